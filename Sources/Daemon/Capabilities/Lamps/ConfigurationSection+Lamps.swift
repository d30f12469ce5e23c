import Lamps
package import Settings
import Things

extension ConfigurationDefaults {
    /// Things and the real lamps that they are linked to.
    package var links: [LampSettings] { [] }
}

extension ConfigurationSection {
    static let lamps = ConfigurationSection(
        keys: ConfigurationKey.table([
            .init(
                "links",
                \.links,
                entries: .init(LampSettings.fields) { LampSettings(number: $0) },
                example: LampSettings.example
            ):
                "Real lamps that are on the broker already, each linked to a thing: what happens to one happens to the other. "
                + "An entry names the thing (short name, name or id), the kind of the lamp, and its topics. Links can be "
                + "given in the file only."
        ]),
        exchangeable: [.init(\.links)],
        rules: [.noLinkToOwnTopics, .oneLinkPerLampAndThing]
    )
}

extension LampSettings {
    fileprivate static let example = [
        "links:",
        "  - thing: desk-lamp",
        "    kind: zigbee2mqtt            # zigbee2mqtt, tasmota, wled, json or template",
        "    topic: zigbee2mqtt/desk      # <base topic>/<friendly name>, of a device or a group",
        "  - thing: ceiling",
        "    kind: tasmota",
        "    topic: tasmota_4711          # the device's Topic",
        "    # full_topic: \"%prefix%/%topic%/\"   and   relay: 2   for devices that are set otherwise",
        "  - thing: shelf",
        "    kind: wled",
        "    topic: wled/shelf            # the device topic",
        "  - thing: lantern",
        "    kind: json                   # any JSON light of Home Assistant, such as one of ESPHome",
        "    state_topic: lantern/light/lamp/state",
        "    command_topic: lantern/light/lamp/command",
        "    # availability_topic, payload_available (online), payload_not_available (offline)",
        "    # brightness_scale (255), color_model (rgb, hs or xy: how colours are sent),",
        "    # color_temp_kelvin (false: its colour temperatures are in mired)",
        "  - thing: old-lamp",
        "    kind: template",
        "    command_topic: old/lamp/do   # placeholders: {state} {brightness} {level} {percent} {r} {g} {b} {hex}",
        "    command: \"power {state}, dim {percent}\"   # {h} {s} {x} {y} {kelvin} {mired} {transition}",
        "    # command_off: what is sent instead to switch it off",
        "    state_topic: old/lamp/is     # plain payload_on (ON), payload_off (OFF) or a brightness; or JSON with",
        "    # state_path, brightness_path, color_path, color_temp_path: keys with dots, such as light.state",
    ]

    fileprivate static let fields: [ConfigurationField<LampSettings>] = [
        .init("thing", \.thing, .text(upTo: 200), isNeeded: { _ in true }),
        .init("kind", \.kind, .optional(.choice()), isNeeded: { _ in true }),
        field("topic", \.topic, .topic, for: [.zigbee2mqtt, .tasmota, .wled], isNeeded: true),
        field("full_topic", \.fullTopic, .fullTopic, for: [.tasmota]),
        field("relay", \.relay, .integer(1...32), for: [.tasmota]),
        field("command_topic", \.commandTopic, .topic, for: described, isNeeded: true),
        field("command", \.command, .template, for: [.template], isNeeded: true),
        field("command_off", \.offCommand, .template, for: [.template]),
        field("state_topic", \.stateTopic, .topic, for: described, needed: [.json]),
        field("state_path", \.statePath, .text(upTo: 200), for: [.template]),
        field("brightness_path", \.brightnessPath, .text(upTo: 200), for: [.template]),
        field("color_path", \.colourPath, .text(upTo: 200), for: [.template]),
        field("color_temp_path", \.temperaturePath, .text(upTo: 200), for: [.template]),
        field("color_temp_kelvin", \.isKelvin, .flag, for: described),
        field("payload_on", \.payloadOn, .text(upTo: 200), for: [.template]),
        field("payload_off", \.payloadOff, .text(upTo: 200), for: [.template]),
        field("brightness_scale", \.brightnessScale, .integer(1...65535), for: described),
        field("color_model", \.colourModel, .choice(), for: [.json]),
        field("availability_topic", \.availabilityTopic, .topic, for: described),
        field("payload_available", \.payloadAvailable, .text(upTo: 200), for: described),
        field("payload_not_available", \.payloadNotAvailable, .text(upTo: 200), for: described),
    ]

    /// The kinds whose topics the user gives.
    private static let described: Set<Kind> = [.json, .template]

    private static func field<Value>(
        _ name: String,
        _ target: any WritableKeyPath<LampSettings, Value?> & Sendable,
        _ type: ConfigurationType<Value>,
        for kinds: Set<Kind>,
        isNeeded: Bool = false,
        needed: Set<Kind> = []
    ) -> ConfigurationField<LampSettings> {
        ConfigurationField(
            name,
            target,
            .optional(type),
            // Without a kind, every key may be legal.
            isLegal: { $0.kind.map(kinds.contains) ?? true },
            isNeeded: { $0.kind.map { (isNeeded ? kinds : needed).contains($0) } ?? false }
        )
    }
}

extension ConfigurationType<String> {
    /// Tasmota's FullTopic, with or without a `/` at its end.
    fileprivate static var fullTopic: ConfigurationType {
        let legal =
            "a topic with %prefix% and, once or twice, %topic% in it, without +, # and a / at its beginning or two at its end"
        return checked(legal) { text in
            guard text.contains("%prefix%"), (1...2).contains(text.ranges(of: "%topic%").count) else {
                return false
            }
            return isTopic(text.hasSuffix("/") ? text.dropLast() : text[...])
        }
    }
}

extension ConfigurationType<CommandTemplate> {
    fileprivate static var template: ConfigurationType {
        ConfigurationType("a text with placeholders") { input throws(ConfigurationValueError) in
            guard case .scalar(let text, _) = input, !text.isEmpty, text.utf8.count <= 1024 else {
                let message = "must be a text of 1 to 1024 bytes (is \(input.description))"
                throw ConfigurationValueError(message: message)
            }
            do throws(Refusal) {
                return try CommandTemplate(text)
            } catch {
                throw ConfigurationValueError(message: error.message)
            }
        } encode: {
            .scalar($0.text)
        }
    }
}
