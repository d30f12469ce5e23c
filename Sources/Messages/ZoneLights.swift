package import Controller
package import Flare
package import JSON
import Things

/// The lights of each zone as one light, for `B/zones/<z>/lights`.
///
/// It keeps only the values that are shown, so that a change of one light among a thousand is cheap.
package struct ZoneLights: Sendable {
    private struct Light: Sendable {
        let zone: FlareID
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
        init?(_ thing: FlareThing, _ shape: ThingShape, zone: FlareID, isReachable: Bool) {
            guard shape.isLight else { return nil }
            let light = shape.light(of: thing.data)
            self.zone = zone
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

    private var lights: [FlareID: Light] = [:]
    private var members: [FlareID: Set<FlareID>] = [:]

    package init() {}

    /// Updates the light of a thing.
    /// - Returns: The zones whose lights may have changed.
    package mutating func update(_ id: FlareID, in state: ControllerState) -> Set<FlareID> {
        let old = lights.removeValue(forKey: id)
        if let old {
            members[old.zone]?.remove(id)
            if members[old.zone]?.isEmpty == true { members[old.zone] = nil }
        }
        let before = Set([old?.zone].compactMap { $0 })
        let isReachable = state.lamps[id]?.isOnline != false
        guard let thing = state.things[id], let zone = thing.zone,
            let light = Light(thing, state.shape(of: thing), zone: zone, isReachable: isReachable)
        else { return before }
        lights[id] = light
        members[zone, default: []].insert(id)
        return before.union([zone])
    }

    /// The lights of a zone as one light; `nil` if it has none.
    ///
    /// It is on when one of them is, with the average brightness of those that are on and the colour of the first.
    /// `available` is there when some cannot be reached.
    package func json(of zone: FlareID, isLinkUp: Bool = true) -> JSONValue? {
        guard let ids = members[zone] else { return nil }
        let all = ids.sorted().compactMap { lights[$0] }
        let lit = all.filter(\.isOn)
        let shown = lit.isEmpty ? all : lit
        var members: JSONObject = [
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
        // They are announced with a colour, so another mode would contradict that.
        if colour != nil || !all.contains(where: { $0.hasColour || $0.hasTemperature }) {
            let isDimmed = all.contains(where: \.hasBrightness)
            members["color_mode"] = colour != nil ? "rgb" : isDimmed ? "brightness" : "onoff"
        }
        return .object(members)
    }
}
