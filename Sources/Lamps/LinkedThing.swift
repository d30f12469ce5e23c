package import Flare
import Things

/// A thing as the link to its lamp sees it.
package struct LinkedThing: Sendable, Hashable {
    /// What its lamp shall be like; while a transition runs, what that leads to.
    let wanted: LampState
    /// How long a transition takes that leads to it, seconds.
    let seconds: Double?
    private let hasLevel: Bool
    private let hasColour: Bool
    private let palette: [String]

    /// - Parameters:
    ///   - goal: What a running transition leads to, by data key.
    ///   - seconds: How long that takes.
    /// - Returns: `nil` for what cannot be on or off.
    package init?(_ thing: FlareThing, goal: [String: JSONValue]? = nil, seconds: Double? = nil) {
        let profile = ThingProfile(thing: thing)
        guard profile.hasState else { return nil }
        hasLevel = profile.hasBrightness
        hasColour = profile.hasColour
        palette = profile.palette
        wanted = LampState(data: thing.data.merging(goal ?? [:]) { $1 })
        self.seconds = goal == nil ? nil : seconds
    }

    /// What is to be asked of the thing so that it is as its lamp, and what that makes of it; `nil` for nothing.
    func adoption(of lamp: LampState) -> (request: ThingRequest, values: LampState)? {
        var attributes: [String: JSONValue] = [:]
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
        // A brightness of 0 would keep it dark.
        let level = lamp.level ?? (values.isOn == true && wanted.level == nil ? 1 : nil)
        if hasLevel, let level,
            wanted.level.map({ abs($0 - level) > LampState.Tolerance.rounding.level }) ?? true
        {
            attributes["level"] = .number(level)
            values.level = level
        }
        if hasColour, let colour = lamp.colour, wanted.colour == nil || !wanted.isColourShown(by: lamp) {
            attributes["color"] = .string(name(of: colour))
            values.colour = colour
        }
        return attributes.isEmpty ? nil : (ThingRequest(attributes: attributes), values)
    }

    /// The name under which the thing offers a colour, so that a name survives; else its digits.
    private func name(of colour: RGBColour) -> String {
        let near = palette.compactMap { name -> (name: String, distance: Int)? in
            guard let offered = LampState(colour: RGBColour(name: name)).colour else { return nil }
            return (name, offered.distance(to: colour))
        }.min { $0.distance < $1.distance }
        guard let near, near.distance <= LampState.Tolerance.rounding.channel else { return colour.hexText }
        return near.name
    }

    /// Whether it is as it was asked to be.
    func has(_ values: LampState) -> Bool {
        (values.isOn == nil || values.isOn == wanted.isOn) && values.isLevelShown(by: wanted)
            && values.isColourShown(by: wanted)
    }

    /// Whether a change to another state of the thing is nothing but what was asked of it.
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
        if let colour = new.colour, old.colour != colour {
            guard let asked = values.colour,
                asked.distance(to: colour) <= LampState.Tolerance.rounding.channel
            else { return false }
        }
        return true
    }
}
