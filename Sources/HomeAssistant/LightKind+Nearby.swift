import Controller
import Flare
import JSON
import Messages
import Things

/// The nearby thing as a light of these capabilities.
extension LightKind {
    /// The state of the light; a thing that is not a light has none.
    ///
    /// A light that can do less is shown as a white or a bright one: Home Assistant
    /// counts how often an entity changes its capabilities, and complains.
    func json(of thing: FlareThing?, _ state: ControllerState) -> JSONValue {
        guard let thing, LightKind(state.shape(of: thing)) != nil,
            let shape = state.nearbyJSON.object
        else { return ["state": .null] }
        var members: JSONObject = ["state": shape["state"] ?? .null]
        let isDimmed = modes != [.onoff]
        if isDimmed { members["brightness"] = shape["brightness"] ?? 255 }
        guard let mode = shape["color_mode"]?.string else { return .object(members) }
        if ThingShape.ColourMode(rawValue: mode).map(modes.contains) ?? false {
            for key in ["color_mode", "color", "color_temp"] { members[key] = shape[key] }
        } else if modes.contains(.rgb) {
            members["color_mode"] = "rgb"
            members["color"] = shape["color"] ?? ["r": 255, "g": 255, "b": 255]
        } else if modes.contains(.temperature) {
            members["color_mode"] = "color_temp"
            members["color_temp"] = JSONValue(min(max(4000, kelvin.lowerBound), kelvin.upperBound))
        } else {
            members["color_mode"] = isDimmed ? "brightness" : "onoff"
        }
        return .object(members)
    }
}
