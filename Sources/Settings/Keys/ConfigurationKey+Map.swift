extension ConfigurationKey {
    /// The picture of the place.
    static let map: [ConfigurationKey] = [
        .init(
            "map.enabled",
            \.map.isEnabled,
            .flag,
            "Whether a map (SVG) is published on <base>/<node>/map."
        ),
        .init(
            "map.interval_seconds",
            \.map.intervalSeconds,
            .integer(1...3600),
            "The shortest time between two maps, seconds."
        ),
        .init(
            "map.style",
            \.map.style,
            .choice(),
            "The map's colours: auto is light, and dark if the page that shows it prefers dark."
        ),
    ]
}
