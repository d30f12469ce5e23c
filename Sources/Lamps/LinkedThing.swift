package import Flare
import JSON
package import Things

/// The state of a thing that its lamp follows.
package struct LinkedThing: Sendable, Hashable {
    /// The wanted state of its lamp; during a transition, its end.
    let wanted: LampState
    /// Duration of the transition, seconds.
    let seconds: Double?
    private let hasLevel: Bool
    private let hasColour: Bool
    private let hasTemperature: Bool
    private let palette: [String]

    /// - Parameters:
    ///   - goal: What a running transition leads to.
    ///   - seconds: Its duration.
    /// - Returns: `nil` for a thing that cannot be switched on and off.
    package init?(
        _ thing: FlareThing,
        _ shape: ThingShape,
        goal: ThingPatch? = nil,
        seconds: Double? = nil
    ) {
        guard shape.hasState else { return nil }
        hasLevel = shape.hasBrightness
        hasColour = shape.hasColour
        hasTemperature = shape.hasTemperature
        palette = shape.palette
        let light = shape.light(of: thing.data)
        wanted = LampState(goal.map { light.applying($0) } ?? light)
        self.seconds = goal == nil ? nil : seconds
    }

    /// The request that gives the thing its lamp's state, and the values it sets; `nil` when there is nothing
    /// to change.
    func adoption(of lamp: LampState) -> (request: ThingRequest, values: LampState)? {
        var attributes: JSONObject = [:]
        var values = LampState()
        if lamp.isOn == false {
            guard wanted.isOn != false else { return nil }
            values.isOn = false
            return (ThingRequest(attributes: ["state": "OFF"]), values)
        }
        if lamp.isOn == true, wanted.isOn == false {
            attributes["state"] = "ON"
            values.isOn = true
        }
        // A brightness of 0 would keep it off.
        let level = lamp.level ?? (values.isOn == true && wanted.level == nil ? 1 : nil)
        if hasLevel, let level,
            wanted.level.map({ abs($0 - level) > LampState.Tolerance.rounding.level }) ?? true
        {
            attributes["level"] = .number(level)
            values.level = level
        }
        if wanted.shownColour == nil || !wanted.isColourShown(by: lamp) {
            if hasTemperature, let temperature = lamp.temperature {
                attributes["color_temp"] = JSONValue(temperature.kelvin)
                values.temperature = temperature
            } else if hasColour, let colour = lamp.shownColour {
                // By name only for the exact colour.
                attributes["color"] = .string(ColourValue(rgb: colour, palette: palette).stored)
                values.colour = colour
            }
        }
        return attributes.isEmpty ? nil : (ThingRequest(attributes: attributes), values)
    }

    /// Whether the thing has the requested values.
    func has(_ values: LampState) -> Bool {
        (values.isOn == nil || values.isOn == wanted.isOn) && values.isLevelShown(by: wanted)
            && values.isColourShown(by: wanted)
    }

    /// Whether a later state of the thing differs only by the requested values.
    func becomes(_ later: LinkedThing, by values: LampState) -> Bool {
        let (old, new) = (wanted, later.wanted)
        if old.isOn != new.isOn, values.isOn != new.isOn, values.level == nil || new.isOn == false {
            return false
        }
        if let level = new.level, old.level != level {
            guard let asked = values.level, abs(asked - level) <= LampState.Tolerance.rounding.level else {
                return false
            }
        }
        if new.shownColour != nil, (old.colour, old.temperature) != (new.colour, new.temperature) {
            guard values.shownColour != nil, values.isColourShown(by: new) else { return false }
        }
        return true
    }
}
