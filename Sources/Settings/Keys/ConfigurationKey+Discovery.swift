import HomeAssistant

extension ConfigurationKey {
    /// How Home Assistant is told of this device and the things.
    static let discovery: [ConfigurationKey] = [
        .init(
            "discovery.enabled",
            \.discovery.isEnabled,
            .flag,
            "Whether Home Assistant is told of this device and the things; switched off, all that it was told is taken back."
        ),
        .init(
            "discovery.prefix",
            \.discovery.prefix,
            .topic,
            "The first levels of Home Assistant's discovery topics, as they are set there."
        ),
        .init(
            "discovery.things",
            \.discovery.things,
            .choice(),
            "Which things become devices there: all, those of the zone we are in, the nearby one, or none."
        ),
        .init(
            "discovery.areas",
            \.discovery.suggestsAreas,
            .flag,
            "Whether things are put into the area of their zone; areas that Home Assistant does not have are created."
        ),
    ]
}
