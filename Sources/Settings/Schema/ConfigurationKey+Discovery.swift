import HomeAssistant

extension ConfigurationKey {
    /// Home Assistant discovery.
    static let discovery: [ConfigurationKey] = [
        .init(
            "discovery.enabled",
            \.discovery.isEnabled,
            .flag,
            "Whether this device and the things are announced to Home Assistant; switching it off removes everything that was announced."
        ),
        .init(
            "discovery.prefix",
            \.discovery.prefix,
            .topic,
            "The discovery prefix, as it is set in Home Assistant."
        ),
        .init(
            "discovery.things",
            \.discovery.things,
            .choice(),
            "Which things become devices there: all, those of the zone the device is in, the nearby one, or none."
        ),
        .init(
            "discovery.areas",
            \.discovery.suggestsAreas,
            .flag,
            "Whether things are put into the area of their zone; Home Assistant creates areas that it does not have."
        ),
    ]
}
