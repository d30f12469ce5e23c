package import Controller
package import Flare
package import JSON
import Things

/// The lights of each zone as one light, for `B/zones/<z>/lights`.
///
/// It keeps only the values that are shown, so that a change of one light among a thousand is cheap.
package struct ZoneLights: Sendable {
    private struct Light: Sendable, Equatable {
        let isOn: Bool
        /// Whether its real lamp, if it has one, can be reached.
        let isReachable: Bool
        let brightness: Int?
        /// Whether it can be dimmed or coloured, also before it has such a value.
        let hasBrightness: Bool
        let hasColour: Bool
        let hasTemperature: Bool
        /// `nil` also for an unknown colour.
        let rgb: RGBColour?
        /// The colour temperature, if that is what it shows.
        let temperature: ColourTemperature?

        var isColoured: Bool { rgb != nil || temperature != nil }

        /// `nil` for what is no light.
        init?(_ thing: FlareThing, _ shape: ThingShape, isReachable: Bool) {
            guard shape.isLight else { return nil }
            let light = shape.light(of: thing.data)
            self.isReachable = isReachable
            isOn = light.isOn
            brightness = light.brightness
            hasBrightness = shape.isDimmable
            hasColour = shape.hasColour
            temperature = light.shownTemperature
            hasTemperature = shape.hasTemperature
            rgb = RGBColour(drawn: light.colour)
        }
    }

    /// The zone of each light, and the lights of each zone.
    private var zones: [FlareID: FlareID] = [:]
    private var lights: [FlareID: [FlareID: Light]] = [:]

    package init() {}

    /// Updates the light of a thing.
    /// - Returns: The zones whose lights have changed.
    package mutating func update(_ id: FlareID, in state: ControllerState) -> [FlareID] {
        var changed: [FlareID] = []
        let old = zones[id]
        var (light, zone): (Light?, FlareID?) = (nil, nil)
        if let thing = state.things[id] {
            light = Light(thing, state.shape(of: thing), isReachable: state.conditions[id]?.isOnline != false)
            if light != nil { zone = thing.zone }
        }
        if let old, old != zone {
            lights[old]?[id] = nil
            if lights[old]?.isEmpty == true { lights[old] = nil }
            changed.append(old)
        }
        if old != zone { zones[id] = zone }
        guard let zone, lights[zone]?[id] != light else { return changed }
        lights[zone, default: [:]][id] = light
        changed.append(zone)
        return changed
    }

    /// Whether a zone has lights.
    package func hasLights(_ zone: FlareID) -> Bool { lights[zone] != nil }

    /// The lights of a zone as one light; `nil` if it has none.
    package func json(of zone: FlareID, isLinkUp: Bool = true) -> JSONValue? {
        guard hasLights(zone) else { return nil }
        return .object(JSONObject { write(zone, isLinkUp: isLinkUp, to: &$0) })
    }

    /// Writes the lights of a zone as one light.
    ///
    /// It is on when one of them is, with the average brightness of those that are on and the colour of the first.
    /// `available` is there when some cannot be reached.
    package func write(_ zone: FlareID, isLinkUp: Bool = true, to members: inout some JSONMembers & ~Copyable)
    {
        var (all, lit) = (Sum(), Sum())
        for (id, light) in lights[zone] ?? [:] {
            all.add(id, light)
            if light.isOn { lit.add(id, light) }
        }
        let available = isLinkUp ? all.reachable : 0
        if available < all.count { members.add("available", available) }
        members.add("brightness", lit.brightness ?? all.brightness)
        let coloured = lit.coloured ?? all.coloured
        if let temperature = coloured?.light.temperature {
            members.add("color_mode", "color_temp")
            members.add("color_temp", temperature.kelvin)
        } else if let colour = coloured?.light.rgb {
            members.add("color") { $0.add(colour) }
            members.add("color_mode", "rgb")
        } else if !all.hasColour {
            // They are announced with a colour otherwise, so another mode would contradict that.
            members.add("color_mode", all.isDimmed ? "brightness" : "onoff")
        }
        members.add("lights", all.count)
        members.add("on", lit.count)
        members.add("state", lit.count > 0 ? "ON" : "OFF")
    }

    /// What several lights have together.
    private struct Sum {
        private(set) var (count, reachable) = (0, 0)
        private var (level, levels) = (0, 0)
        /// The first of those with a colour, by identifier.
        private(set) var coloured: (id: FlareID, light: Light)?
        /// Whether there is one that can be dimmed, or coloured.
        private(set) var (isDimmed, hasColour) = (false, false)

        /// The average; `nil` if none has one.
        var brightness: Int? { levels > 0 ? Int((Double(level) / Double(levels)).rounded()) : nil }

        mutating func add(_ id: FlareID, _ light: Light) {
            count += 1
            if light.isReachable { reachable += 1 }
            if let brightness = light.brightness { (level, levels) = (level + brightness, levels + 1) }
            if light.isColoured, coloured.map({ id < $0.id }) ?? true { coloured = (id, light) }
            isDimmed = isDimmed || light.hasBrightness
            hasColour = hasColour || light.hasColour || light.hasTemperature
        }
    }
}
