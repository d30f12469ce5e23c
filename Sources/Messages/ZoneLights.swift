package import Controller
package import Flare
import Things

/// The lights of each zone, taken together: what `B/zones/<z>/lights` shows.
///
/// It knows of each light only what it shows, so that a change of one among a thousand costs little.
package struct ZoneLights: Sendable {
    private struct Light: Sendable {
        let zone: FlareID
        let isOn: Bool
        /// Whether its real lamp, if it has one, can be reached.
        let isReachable: Bool
        let brightness: Int?
        let hasColour: Bool
        /// `nil` for a colour that nobody knows, too.
        let rgb: RGBColour?
        /// The colour temperature, if that is what it shows.
        let temperature: ColourTemperature?

        var isColoured: Bool { rgb != nil || temperature != nil }

        /// `nil` for what is no light.
        init?(_ data: [String: JSONValue], zone: FlareID, isReachable: Bool) {
            guard ThingProfile.isLight(data) else { return nil }
            self.zone = zone
            self.isReachable = isReachable
            let data = ThingProfile.driven(data)
            isOn = ThingAppearance.isOn(data)
            brightness = ThingAppearance.brightness(of: data)
            hasColour = ThingProfile.has("color", in: data)
            temperature = ThingAppearance.temperature(of: data)
            rgb = hasColour ? ThingAppearance.drawn(data["color"]) : nil
        }
    }

    private var lights: [FlareID: Light] = [:]
    private var members: [FlareID: Set<FlareID>] = [:]

    package init() {}

    /// Takes in what became of a thing.
    /// - Returns: The zones whose lights look different, or may.
    package mutating func note(_ id: FlareID, in state: ControllerState) -> Set<FlareID> {
        let old = lights.removeValue(forKey: id)
        if let old {
            members[old.zone]?.remove(id)
            if members[old.zone]?.isEmpty == true { members[old.zone] = nil }
        }
        let before = Set([old?.zone].compactMap { $0 })
        let isReachable = state.lamps[id]?.isOnline != false
        guard let thing = state.things[id], let zone = thing.zone,
            let light = Light(thing.data, zone: zone, isReachable: isReachable)
        else { return before }
        lights[id] = light
        members[zone, default: []].insert(id)
        return before.union([zone])
    }

    /// The lights of a zone in the shape of one; `nil` where there is none.
    ///
    /// They are on when one of them is, as bright as those that are on are on average, and of the colour of the first.
    /// How many can be reached is told when some cannot.
    package func json(of zone: FlareID, isLinkUp: Bool = true) -> JSONValue? {
        guard let ids = members[zone] else { return nil }
        let all = ids.sorted().compactMap { lights[$0] }
        let lit = all.filter(\.isOn)
        let shown = lit.isEmpty ? all : lit
        var members: [String: JSONValue] = [
            "state": lit.isEmpty ? "OFF" : "ON", "lights": JSONValue(all.count),
        ]
        members["on"] = JSONValue(lit.count)
        let available = isLinkUp ? all.count(where: \.isReachable) : 0
        if available < all.count { members["available"] = JSONValue(available) }
        let levels = (shown.contains { $0.brightness != nil } ? shown : all).compactMap(\.brightness)
        if !levels.isEmpty {
            let mean = Double(levels.reduce(0, +)) / Double(levels.count)
            members["brightness"] = JSONValue(Int(mean.rounded()))
        }
        let coloured = shown.first(where: \.isColoured) ?? all.first(where: \.isColoured)
        if let temperature = coloured?.temperature {
            members["color_mode"] = "color_temp"
            members["color_temp"] = JSONValue(temperature.kelvin)
            return .object(members)
        }
        let colour = coloured?.rgb
        members["color"] = colour.map {
            ["r": JSONValue(Int($0.red)), "g": JSONValue(Int($0.green)), "b": JSONValue(Int($0.blue))]
        }
        // They are announced as lights with a colour: to say that they have none would be wrong too.
        if colour != nil || !all.contains(where: \.hasColour) {
            members["color_mode"] = colour != nil ? "rgb" : levels.isEmpty ? "onoff" : "brightness"
        }
        return .object(members)
    }
}
