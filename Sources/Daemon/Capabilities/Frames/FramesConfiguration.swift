package import Settings

/// Animation frames on the broker.
package struct FramesConfiguration: Sendable, Hashable {
    package var isEnabled = false
}

extension ConfigurationDefaults {
    package var frames: FramesConfiguration { FramesConfiguration() }
}

extension ConfigurationSection {
    static let frames = ConfigurationSection(
        summaries: ["frames": "Animation frames, for displays that show this device move."],
        keys: ConfigurationKey.table([
            .init("frames.enabled", \.frames.isEnabled, .flag):
                "Whether up to 60 frames a second are published on <base>/<node>/frame while this device moves."
        ]),
        exchangeable: [.init(\.frames)]
    )
}
