import Flare
import Things

/// The capabilities of a light, as announced to Home Assistant.
struct LightKind: Sendable, Hashable {
    /// Sorted by name; several only with colours.
    let modes: [String]
    let hasBrightness: Bool

    /// `nil` for a thing that is not a light.
    init?(data: [String: JSONValue]) {
        guard ThingCapabilities.isLight(data) else { return nil }
        let data = ThingCapabilities.driven(data)
        hasBrightness = ThingAppearance.level(of: data) != nil
        var modes: [ThingAppearance.ColourMode] = []
        if ThingAppearance.storedTemperature(of: data) != nil { modes.append(.temperature) }
        if ThingCapabilities.has("color", in: data) { modes.append(.rgb) }
        if modes.isEmpty { modes = [hasBrightness ? .brightness : .onoff] }
        self.modes = modes.map(\.rawValue)
    }

    /// A thing, by its profile if it has one; `nil` if it is no light.
    init?(of thing: FlareThing, kind: ThingKind?) {
        guard let kind else {
            self.init(data: thing.data)
            return
        }
        guard kind.isLight else { return nil }
        // A part without a value can be set, so it is offered.
        let hasBrightness = kind.brightness(of: thing) != nil
        let hasColour = kind.colour(of: thing) != nil
        self.init(
            modes: [hasColour ? .rgb : hasBrightness ? .brightness : .onoff],
            hasBrightness: hasBrightness
        )
    }

    private init(modes: [ThingAppearance.ColourMode], hasBrightness: Bool) {
        self.modes = modes.map(\.rawValue)
        self.hasBrightness = hasBrightness
    }

    /// A light with every capability.
    static let full = LightKind(modes: [.temperature, .rgb], hasBrightness: true)

    /// The combined capabilities of several lights; `nil` for none.
    static func together(_ kinds: some Sequence<LightKind>) -> LightKind? {
        var hasBrightness = false
        var found: Set<String> = []
        for kind in kinds {
            hasBrightness = hasBrightness || kind.hasBrightness
            found.formUnion(kind.modes)
        }
        // In Home Assistant brightness and on/off are modes only when there is no other.
        let colours: [ThingAppearance.ColourMode] = [.temperature, .rgb].filter {
            found.contains($0.rawValue)
        }
        if !colours.isEmpty { return LightKind(modes: colours, hasBrightness: hasBrightness) }
        return found.isEmpty
            ? nil : LightKind(modes: [hasBrightness ? .brightness : .onoff], hasBrightness: hasBrightness)
    }

    /// Whether it has all capabilities of another light.
    func covers(_ other: LightKind) -> Bool { Self.together([self, other]) == self }

    /// The members of a light with Home Assistant's JSON schema.
    ///
    /// Our things do not support `flash`, so it is not offered. Without `brightness` Home Assistant dims by
    /// changing the colour.
    /// - Source: Home Assistant 2026.11, MQTT light, JSON schema.
    func members(state: String, command: String) -> [String: JSONValue] {
        var members: [String: JSONValue] = [
            "schema": "json", "state_topic": .string(state), "command_topic": .string(command),
            "supported_color_modes": .array(modes.map { .string($0) }), "brightness": .bool(hasBrightness),
            "transition": .bool(modes != [ThingAppearance.ColourMode.onoff.rawValue]), "flash": false,
        ]
        if modes.contains(ThingAppearance.ColourMode.temperature.rawValue) {
            members["color_temp_kelvin"] = true
            members["min_kelvin"] = JSONValue(ColourTemperature.range.lowerBound)
            members["max_kelvin"] = JSONValue(ColourTemperature.range.upperBound)
        }
        return members
    }
}
