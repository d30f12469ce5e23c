import Controller
import Flare
import Positioning
import Sensing
import Sensors
import TestSupport
import Testing
import Threading

/// Whose word about moving counts for which positions, and when the accelerometer is read.
struct MovingFlagTests {
    private static let adapter = 0
    private static let broker = 1
    private static let accelerometer = 2
    private static let recording = 3

    private let flags = Locked<[MotionFlag]>([])
    private let tracked = Locked<[Bool]>([])
    private let quality = Locked(PositionQuality.good)

    /// Keeps the flags that it gets, and always has an estimate.
    private struct FlagCollector: PositionEstimator {
        var map: BeaconMap
        let flags: Locked<[MotionFlag]>
        let quality: Locked<PositionQuality>

        mutating func record(_ sighting: BeaconSighting) {}
        mutating func record(_ flag: MotionFlag) { flags.withLock { $0.append(flag) } }

        mutating func estimate(at time: Double) -> PositionEstimate? {
            PositionEstimate(
                position: .zero,
                accuracyMetres: 1,
                quality: quality.withLock { $0 },
                beaconsHeard: 1,
                time: time
            )
        }
    }

    private func makePipeline() -> PositionPipeline {
        let environment = FlareEnvironment(id: FlareID(high: 1, low: 0))
        var pipeline = PositionPipeline(
            makeEstimator: { [flags, quality] in FlagCollector(map: $0, flags: flags, quality: quality) },
            receivers: ReceiverOffsets(
                sources: [BeaconScanner.name, RawReadings.name, IIOAccelerometer.name, "walk.jsonl"],
                adapter: { nil },
                offset: { _ in nil },
                store: { _, _ in }
            ),
            clocks: SensorClocks(steady: { 100 }, wall: { 0 }),
            send: { _ in },
            tracking: { [tracked] isTracking in tracked.withLock { $0.append(isTracking) } },
            logger: .silent
        )
        pipeline.enter(BeaconMap(environment: environment, zones: [], things: []), in: environment)
        return pipeline
    }

    private func hear(_ pipeline: inout PositionPipeline, from source: Int, at time: Double = 1) {
        let identity = BeaconIdentity(uuid: BeaconUUID(high: 0, low: 0), major: 1, minor: 1)
        pipeline.handle(
            BeaconSighting(identity: identity, rssi: -70, powerAtOneMetre: -59, time: time),
            from: source
        )
    }

    @Test(arguments: [
        (accelerometer, adapter, true), (accelerometer, broker, false), (accelerometer, recording, false),
        (broker, broker, true), (broker, adapter, true), (recording, recording, true),
        (recording, adapter, false),
    ])
    func `a word about moving counts for what moves with the speaker`(
        _ speaker: Int,
        _ listener: Int,
        _ counts: Bool
    ) {
        // The accelerometer has its own clock; its word counts from now.
        let flag = MotionFlag(isMoving: true, time: speaker == Self.accelerometer ? 100 : 3)
        var pipeline = makePipeline()
        hear(&pipeline, from: listener)
        pipeline.handle(MotionFlag(isMoving: true, time: 3), from: speaker)
        #expect(flags.withLock { $0 } == (counts ? [flag] : []))
        // The same where the word comes before the first beacon.
        flags.withLock { $0 = [] }
        var later = makePipeline()
        later.handle(MotionFlag(isMoving: true, time: 3), from: speaker)
        hear(&later, from: listener)
        #expect(flags.withLock { $0 } == (counts ? [flag] : []))
    }

    @Test func `nothing that was said counts after a reset`() {
        var pipeline = makePipeline()
        for source in [Self.accelerometer, Self.broker] {
            pipeline.handle(MotionFlag(isMoving: true, time: 3), from: source)
        }
        pipeline.reset()
        for source in [Self.adapter, Self.broker] { hear(&pipeline, from: source) }
        #expect(flags.withLock { $0 }.isEmpty)
    }

    @Test func `the accelerometer is asked for while the adapter gives positions`() {
        var pipeline = makePipeline()
        var told: [Bool] { tracked.withLock { $0 } }
        hear(&pipeline, from: Self.broker)
        pipeline.tick(at: 9, from: Self.broker)
        #expect(told == [], "the broker's positions do not need it")
        hear(&pipeline, from: Self.adapter, at: 9.5)
        #expect(told == [])
        pipeline.tick(at: 10, from: Self.adapter)
        pipeline.tick(at: 11, from: Self.adapter)
        #expect(told == [true])
        quality.withLock { $0 = .lost }
        pipeline.tick(at: 12, from: Self.adapter)
        #expect(told == [true, false])
        quality.withLock { $0 = .coarse }
        pipeline.tick(at: 13, from: Self.adapter)
        pipeline.leave()
        pipeline.leave()
        #expect(told == [true, false, true, false])
    }
}
