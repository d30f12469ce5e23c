import Settings

/// A section as a capability declares it.
struct ExampleValues: Sendable, Hashable {
    var uuid: String?
    var isEnabled = true
    var gpsd: HostAndPort?
}

extension ConfigurationDefaults {
    var example: ExampleValues { ExampleValues() }
}

extension ConfigurationSchema {
    static let example = ConfigurationSchema([
        ConfigurationSection(
            summaries: ["sensors.beacons": "An example."],
            keys: [
                .init("sensors.beacons.uuid", \.example.uuid, .optional(.text()), "A text."),
                .init("sensors.gps.enabled", \.example.isEnabled, .flag, "A switch."),
                .init("sensors.gps.gpsd", \.example.gpsd, .optional(.hostAndPort), "An address."),
            ]
        )
    ])
}
