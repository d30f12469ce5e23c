import Flare
import Things

/// What a light can show: Home Assistant is told exactly that.
struct LightKind: Sendable, Hashable {
    let mode: ThingAppearance.ColourMode
    let hasBrightness: Bool

    /// `nil` for what is no light.
    init?(data: [String: JSONValue]) {
        guard ThingProfile.isLight(data) else { return nil }
        hasBrightness = ThingAppearance.level(of: data) != nil
        mode = ThingProfile.has("color", in: data) ? .rgb : hasBrightness ? .brightness : .onoff
    }

    private init(mode: ThingAppearance.ColourMode, hasBrightness: Bool) {
        self.mode = mode
        self.hasBrightness = hasBrightness
    }

    /// One that can do everything.
    static let full = LightKind(mode: .rgb, hasBrightness: true)

    /// What several lights can do together; `nil` for none.
    static func together(_ kinds: some Sequence<LightKind>) -> LightKind? {
        kinds.reduce(nil) { sum, kind in
            guard let sum else { return kind }
            let modes: [ThingAppearance.ColourMode] = [.rgb, .brightness, .onoff]
            let mode = modes.first { $0 == sum.mode || $0 == kind.mode } ?? .onoff
            return LightKind(mode: mode, hasBrightness: sum.hasBrightness || kind.hasBrightness)
        }
    }

    /// The members of a light that reads and sets the thing shape.
    ///
    /// `flash` is refused by our things, so it is not offered. Without `brightness` Home Assistant darkens the colour
    /// itself.
    /// - Source: Home Assistant 2026.11, MQTT light, JSON schema.
    func members(state: String, command: String) -> [String: JSONValue] {
        [
            "schema": "json", "state_topic": .string(state), "command_topic": .string(command),
            "supported_color_modes": [.string(mode.rawValue)], "brightness": .bool(hasBrightness),
            "transition": .bool(mode != .onoff), "flash": false,
        ]
    }
}
