import Settings

/// A section as a capability declares it.
struct ExampleValues: ConfigurationValues {
    var uuid: String?
    var isEnabled = true
    var gpsd: HostAndPort?
}

extension TrilateralConfiguration {
    fileprivate var example: ExampleValues {
        get { self[ExampleValues.self] }
        set { self[ExampleValues.self] = newValue }
    }
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
