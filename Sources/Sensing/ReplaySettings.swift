package import Logging
package import Positioning
package import Sensors

/// A recording that replaces the sensors.
package struct ReplaySettings: Sendable {
    package var file: String
    package var speed: ReplaySpeed
    package var isLooping: Bool

    package init(file: String, speed: ReplaySpeed = .times(1), isLooping: Bool = false) {
        self.file = file
        self.speed = speed
        self.isLooping = isLooping
    }

    /// - Parameter feed: Is sent every packet of a capture.
    package func source(
        _ ephemerals: EphemeralBeacons?,
        feed: PacketFeed? = nil,
        _ logger: Logger
    ) throws(SensorError) -> SensorSource {
        try Replay(
            .file(file),
            speed: speed,
            isLooping: isLooping,
            clock: ContinuousClock(),
            logger: logger,
            ephemerals: ephemerals,
            feed: feed
        ).source
    }
}
