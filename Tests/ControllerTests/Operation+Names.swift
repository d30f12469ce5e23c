@testable import Controller
import Flare

/// Every command in one word; the program reads them from payloads.
extension Command.Operation {
    static let ping = Self(Ping())
    static let snapshot = Self(ResendState())
    static let refresh = Self(RefreshPlace())
    static let reload = Self(ReloadConfiguration())
    static let restart = Self(Restart())
    static let discovery = Self(Announce())

    static func logLevel(_ level: String) -> Self { Self(SetLogLevel(level: level)) }
    static func chooseEnvironment(_ choice: ChooseEnvironment) -> Self { Self(choice) }
    static func get(_ thing: Command.Target) -> Self { Self(GetThing(thing: thing)) }
    static func setDevice(_ change: SetDevice) -> Self { Self(change) }
    static func explain(_ question: Explanation.Subject) -> Self { Self(Explain(question: question)) }
    static func setLifecycle(_ change: SetLifecycle) -> Self { Self(change) }

    static func action(_ thing: Command.Target, name: String) -> Self {
        Self(PerformAction(thing: thing, name: name))
    }

    static func switchSensor(_ sensor: SensorKind, on isOn: Bool) -> Self {
        Self(SwitchSensor(sensor: sensor, isOn: isOn))
    }

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
