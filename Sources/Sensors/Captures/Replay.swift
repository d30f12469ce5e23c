package import Logging
package import Positioning

/// Plays a recording as if the sensors were speaking now.
///
/// Each reading is due at its own time from the start, not from the one before it, so delays do not add up.
/// Readings keep the recording's time whatever the speed; in a loop it goes on counting. In silence a tick is
/// told every second.
package struct Replay<PlayClock: Clock>: Sendable where PlayClock.Duration == Duration {
    private let origin: RecordingOrigin
    private let speed: ReplaySpeed
    private let isLooping: Bool
    private let clock: PlayClock
    private let logger: Logger
    private let ephemerals: EphemeralBeacons?

    /// Of a silence in the recording at most this many seconds are told.
    private static var mostTicks: Double { 3600 }

    /// Opens the recording once, so that a file which cannot be played is refused at the start.
    ///
    /// - Parameter ephemerals: The beacons that change their identifiers.
    package init(
        _ origin: RecordingOrigin,
        speed: ReplaySpeed = .times(1),
        isLooping: Bool = false,
        clock: PlayClock,
        logger: Logger,
        ephemerals: EphemeralBeacons? = nil
    ) throws(SensorError) {
        self.origin = origin
        self.speed = speed
        self.isLooping = isLooping
        self.clock = clock
        self.logger = logger
        self.ephemerals = ephemerals
        _ = try Recording(origin)
    }

    package var source: SensorSource {
        SensorSource(name: origin.name) { take async throws(SensorError) in try await run(take) }
    }

    /// Tells every reading.
    ///
    /// Returns at the end of the recording, which a looping one reaches only when it holds no reading, or when
    /// the task is cancelled.
    package func run(_ take: @escaping SensorSource.Take) async throws(SensorError) {
        var player = Player(start: clock.now, clock: clock, speed: speed, take: take)
        repeat {
            var recording = try Recording(origin, ephemerals: ephemerals)
            var count = 0
            while let reading = try recording.next() {
                count += 1
                guard await player.play(reading) else { return }
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
        let take: SensorSource.Take
        private(set) var loops = 0
        private var loopStart = 0.0
        /// The latest time told, seconds from the start of the first loop.
        private var latest = 0.0

        init(
            start: PlayClock.Instant,
            clock: PlayClock,
            speed: ReplaySpeed,
            take: @escaping SensorSource.Take
        ) {
            self.start = start
            self.clock = clock
            self.speed = speed
            self.take = take
        }

        /// Tells the reading when it is due; `false` when the task was cancelled.
        mutating func play(_ reading: SensorReading) async -> Bool {
            let reading = reading.later(by: loopStart)
            var second = max(latest.rounded(.down) + 1, (reading.time - Replay.mostTicks).rounded(.up))
            while second < reading.time {
                guard await tell(.tick(time: second)) else { return false }
                second += 1
            }
            return await tell(reading)
        }

        private mutating func tell(_ reading: SensorReading) async -> Bool {
            if case .times(let factor) = speed {
                let due = start.advanced(by: .seconds(reading.time / factor))
                if due > clock.now { try? await clock.sleep(until: due, tolerance: nil) }
            }
            guard !Task.isCancelled else { return false }
            await take([reading])
            latest = max(latest, reading.time)
            return true
        }

        /// The next loop begins as long after the last reading as readings are apart on average.
        mutating func nextLoop(readings count: Int) {
            let span = latest - loopStart
            loopStart = latest + (span > 0 ? span / Double(count) : 1)
            loops += 1
        }
    }
}
