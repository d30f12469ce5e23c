package import PlaceMap
package import Settings

/// The map on the broker.
package struct MapConfiguration: Sendable, Hashable {
    package var isEnabled = false
    package var intervalSeconds = 5
    package var style = PictureStyle.auto
}

extension ConfigurationDefaults {
    package var map: MapConfiguration { MapConfiguration() }
}

extension ConfigurationSection {
    static let map = ConfigurationSection(
        summaries: ["map": "The map: zones, things, and where this device is."],
        keys: ConfigurationKey.table([
            .init("map.enabled", \.map.isEnabled, .flag):
                "Whether a map (SVG) is published on <base>/<node>/map.",
            .init("map.interval_seconds", \.map.intervalSeconds, .integer(1...3600)):
                "The shortest time between two maps, seconds.",
            .init("map.style", \.map.style, .choice()):
                "The map's colours: auto is light, and dark if the page that shows it prefers dark.",
        ]),
        exchangeable: [.init(\.map)]
    )
}
