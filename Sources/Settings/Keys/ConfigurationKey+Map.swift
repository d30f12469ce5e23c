extension ConfigurationKey {
    /// The picture of the place.
    static let map: [ConfigurationKey] = [
        .init(
            "map.enabled",
            \.map.isEnabled,
            .flag,
            "Whether a picture of the place (SVG) is told on <base>/<node>/map."
        ),
        .init(
            "map.interval_seconds",
            \.map.intervalSeconds,
            .integer(1...3600),
            "The least time between two pictures, seconds."
        ),
        .init(
            "map.style",
            \.map.style,
            .choice(),
            "The picture's colours: auto is light, and dark where the page that shows it prefers dark."
        ),
    ]
}
