package import Logging
package import Positioning

/// Replays a recording as if the readings came from live sensors.
///
/// Each reading is due at its own time from the start, so delays do not accumulate. Readings keep the
/// recording's time at any speed; in a loop it continues to count. In gaps a tick is sent every second.
package struct Replay<PlayClock: Clock>: Sendable where PlayClock.Duration == Duration {
    private let origin: RecordingOrigin
    private let speed: ReplaySpeed
    private let isLooping: Bool
    private let clock: PlayClock
    private let logger: Logger
    private let ephemerals: EphemeralBeacons?
    private let feed: PacketFeed?

    /// Longest part of a gap for which ticks are sent, seconds.
    private static var mostTicks: Double { 3600 }

    /// Opens the recording once, so that an unreadable file is refused at the start.
    ///
    /// - Parameters:
    ///   - ephemerals: Beacons with rotating identifiers.
    ///   - feed: Is sent every packet of a capture when it is due.
    package init(
        _ origin: RecordingOrigin,
        speed: ReplaySpeed = .times(1),
        isLooping: Bool = false,
        clock: PlayClock,
        logger: Logger,
        ephemerals: EphemeralBeacons? = nil,
        feed: PacketFeed? = nil
    ) throws(SensorError) {
        self.origin = origin
        self.speed = speed
        self.isLooping = isLooping
        self.clock = clock
        self.logger = logger
        self.ephemerals = ephemerals
        self.feed = feed
        _ = try Recording(origin)
    }

    package var source: SensorSource {
        SensorSource(name: origin.name) { handler async throws(SensorError) in try await run(handler) }
    }

    /// Delivers every reading.
    ///
    /// Returns when the recording ends or the task is cancelled. A looping recording ends only when it
    /// contains no reading.
    package func run(_ handler: @escaping SensorSource.Handler) async throws(SensorError) {
        var player = Player(start: clock.now, clock: clock, speed: speed, handler: handler)
        repeat {
            var recording = try Recording(
                origin,
                ephemerals: ephemerals,
                collectsPackets: feed != nil
            )
            var count = 0
            while let reading = try recording.next() {
                count += 1
                guard await player.play(reading) else { return }
                guard let feed else { continue }
                for packet in recording.removePackets() {
                    let payload = packet.payload
                    feed.send(payload.span, from: packet.sender, rssi: packet.rssi)
                }
            }
            for problem in recording.problems where player.loops == 0 {
                logger.warning("replay: \(problem)", metadata: ["file": "\(origin.name)"])
            }
            guard count > 0 else { break }
            player.nextLoop(readings: count)
        } while isLooping
        logger.info("replay ended", metadata: ["file": "\(origin.name)"])
    }

    private struct Player {
        let start: PlayClock.Instant
        let clock: PlayClock
        let speed: ReplaySpeed
        let handler: SensorSource.Handler
        private(set) var loops = 0
        private var loopStart = 0.0
        /// The latest time delivered, seconds from the start of the first loop.
        private var latest = 0.0

        init(
            start: PlayClock.Instant,
            clock: PlayClock,
            speed: ReplaySpeed,
            handler: @escaping SensorSource.Handler
        ) {
            self.start = start
            self.clock = clock
            self.speed = speed
            self.handler = handler
        }

        /// Delivers the reading when it is due; `false` when the task was cancelled.
        mutating func play(_ reading: SensorReading) async -> Bool {
            let reading = reading.delayed(by: loopStart)
            var second = max(latest.rounded(.down) + 1, (reading.time - Replay.mostTicks).rounded(.up))
            while second < reading.time {
                guard await deliver(.tick(time: second)) else { return false }
                second += 1
            }
            return await deliver(reading)
        }

        private mutating func deliver(_ reading: SensorReading) async -> Bool {
            if case .times(let factor) = speed {
                let due = start.advanced(by: .seconds(reading.time / factor))
                if due > clock.now { try? await clock.sleep(until: due, tolerance: nil) }
            }
            guard !Task.isCancelled else { return false }
            await handler([reading])
            latest = max(latest, reading.time)
            return true
        }

        /// Starts the next loop after the average interval between readings.
        mutating func nextLoop(readings count: Int) {
            let span = latest - loopStart
            loopStart = latest + (span > 0 ? span / Double(count) : 1)
            loops += 1
        }
    }
}
