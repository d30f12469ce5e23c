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
        guard let thing, case let shape = state.shape(of: thing), LightKind(shape) != nil else {
            return ["state": .null]
        }
        let light = shape.light(of: thing.data)
        let shown = shape.members(of: light)
        var members: JSONObject = ["state": shown["state"] ?? .null]
        let isDimmed = modes != [.onoff]
        if isDimmed { members["brightness"] = shown["brightness"] ?? 255 }
        guard let mode = shape.colourMode(of: light, light.rgb) else { return .object(members) }
        if modes.contains(mode) {
            members["color_mode"] = .string(mode.rawValue)
            for key in ["color", "color_temp"] { members[key] = shown[key] }
        } else if modes.contains(.rgb) {
            members["color_mode"] = "rgb"
            members["color"] = shown["color"] ?? ["r": 255, "g": 255, "b": 255]
        } else if modes.contains(.temperature) {
            members["color_mode"] = "color_temp"
            members["color_temp"] = JSONValue(min(max(4000, kelvin.lowerBound), kelvin.upperBound))
        } else {
            members["color_mode"] = isDimmed ? "brightness" : "onoff"
        }
        return .object(members)
    }
}
