import JSON
import Things

/// The capabilities of a light, as announced to Home Assistant.
struct LightKind: Sendable, Hashable {
    /// Sorted by name; several only with colours.
    let modes: [ThingShape.ColourMode]
    let hasBrightness: Bool
    /// The colour temperatures that it can show, kelvin.
    var kelvin = ColourTemperature.range
    /// The names of its effects.
    var effects: [String] = []

    /// A light with every capability.
    static let full = LightKind(modes: [.temperature, .rgb], hasBrightness: true)

    /// The combined capabilities of several lights, save the effects, which each has of its own; `nil` for none.
    static func together(_ kinds: some Sequence<LightKind>) -> LightKind? {
        var hasBrightness = false
        var found: Set<ThingShape.ColourMode> = []
        var kelvin: ClosedRange<Int>?
        for kind in kinds {
            hasBrightness = hasBrightness || kind.hasBrightness
            found.formUnion(kind.modes)
            guard kind.modes.contains(.temperature) else { continue }
            let known = kelvin ?? kind.kelvin
            kelvin =
                min(known.lowerBound, kind.kelvin.lowerBound)...max(known.upperBound, kind.kelvin.upperBound)
        }
        guard !found.isEmpty else { return nil }
        // In Home Assistant brightness and on/off are modes only when there is no other.
        let colours = [ThingShape.ColourMode.temperature, .rgb].filter(found.contains)
        return LightKind(
            modes: colours.isEmpty ? [hasBrightness ? .brightness : .onoff] : colours,
            hasBrightness: hasBrightness,
            kelvin: kelvin ?? ColourTemperature.range
        )
    }

    /// Whether this kind, which stands for several lights, has all capabilities of another one, except for effects.
    func covers(_ other: LightKind) -> Bool {
        guard hasBrightness || !other.hasBrightness else { return false }
        return other.modes.allSatisfy { mode in
            switch mode {
            case .rgb: modes.contains(.rgb)
            case .temperature: modes.contains(.temperature) && kelvin.contains(other.kelvin)
            // Every light with colours has them.
            case .brightness, .onoff: true
            }
        }
    }

    /// The members of a light with Home Assistant's JSON schema.
    ///
    /// Our things do not support `flash`, so it is not offered. Without `brightness` Home Assistant dims by
    /// changing the colour.
    /// - Source: Home Assistant 2026.11, MQTT light, JSON schema.
    func members(state: String, command: String) -> JSONObject {
        var members: JSONObject = [
            "schema": "json", "state_topic": .string(state), "command_topic": .string(command),
            "supported_color_modes": .array(modes.map { .string($0.rawValue) }),
            "brightness": .bool(hasBrightness),
            "transition": .bool(modes != [.onoff]), "flash": false,
        ]
        if modes.contains(.temperature) {
            members["color_temp_kelvin"] = true
            members["min_kelvin"] = JSONValue(kelvin.lowerBound)
            members["max_kelvin"] = JSONValue(kelvin.upperBound)
        }
        if !effects.isEmpty {
            members["effect"] = true
            members["effect_list"] = .array(effects.map { .string($0) })
        }
        return members
    }
}

extension LightKind {
    /// `nil` for a thing that is not a light.
    init?(_ shape: ThingShape) {
        guard shape.isLight else { return nil }
        var modes: [ThingShape.ColourMode] = []
        if shape.hasTemperature { modes.append(.temperature) }
        if shape.hasColour { modes.append(.rgb) }
        if modes.isEmpty { modes = [shape.isDimmable ? .brightness : .onoff] }
        self.init(modes: modes, hasBrightness: shape.isDimmable, kelvin: shape.temperatureRange)
        if let effect = shape.effect, !effect.isReadOnly { effects = effect.actions.map(\.name) }
    }
}
