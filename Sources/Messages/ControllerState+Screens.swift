package import Controller
import Flare
package import JSON

extension ControllerState {
    /// `B/display/<id>/screen`: the screen that is seen with its thing, and those below it, from the bottom.
    ///
    /// `nil` for a display that is not attached, and for all if the configuration has no screens.
    package func screenJSON(of display: String) -> JSONValue? {
        guard let stack = screens[display] else { return nil }
        func slug(_ thing: FlareID) -> JSONValue { .string(slugs[.thing, thing] ?? "\(thing)") }
        let entries = stack.entries.map { entry -> JSONValue in
            var members: JSONObject = ["screen": .string(entry.screen)]
            members["thing"] = entry.thing.map(slug)
            return .object(members)
        }
        return [
            "screen": .string(stack.current.screen), "thing": stack.current.thing.map(slug) ?? .null,
            "stack": .array(entries),
        ]
    }
}
