@testable import Controller
import Flare

/// Commands in one word; the program reads them from payloads.
extension Command.Operation {
    static func chooseEnvironment(_ choice: ChooseEnvironment) -> Self { Self(choice) }

    static func add(_ kind: FlareClass, _ values: ObjectEdit, to container: String?) -> Self {
        Self(AddObject(kind: kind, values: values, container: container))
    }

    static func edit(_ kind: FlareClass, _ name: String, _ values: ObjectEdit, zone: String?) -> Self {
        Self(EditObject(kind: kind, name: name, values: values, zone: zone))
    }

    static func remove(_ kind: FlareClass, _ name: String, withContents: Bool) -> Self {
        Self(RemoveObject(kind: kind, name: name, withContents: withContents))
    }

    static func show(_ call: ScreenCall, display: String) -> Self {
        Self(ShowScreen(call: call, display: display))
    }
}
