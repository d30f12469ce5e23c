import Controller
import Flare
import Foundation
import JSON
import Logging
import Positioning
import Sensing
import Sensors
import TestSupport
import Testing

struct PositionPipelineTests {
    private static let environment = FlareEnvironment(id: FlareID(high: 1, low: 0))

    /// Four beacons in the corners of a square.
    private static var map: BeaconMap {
        var zone = FlareZone(id: FlareID(high: 2, low: 0))
        zone.data["major"] = 1
        let things = (0..<4).map { index in
            var thing = FlareThing(id: FlareID(high: 3, low: UInt32(index)))
            thing.zone = zone.id
            thing.position = Point3D(x: Double(index % 2) * 8, y: Double(index / 2) * 8, z: 1)
            thing.data = ["minor": .number(Double(index))]
            return thing
        }
        return BeaconMap(environment: environment, zones: [zone], things: things)
    }

    /// The stored offsets and the events.
    // @unchecked: `state` is accessed only while the lock is held.
    private final class Recorder: @unchecked Sendable {
        private let lock = NSLock()
        private var state = State()

        struct State {
            var stored: [String: Double] = [:]
            var name: String? = "AA:00:00:00:00:01"
            var events: [ControllerEvent] = []
        }

        func change(_ change: (inout State) -> Void) { lock.withLock { change(&state) } }
        var now: State { lock.withLock { state } }
    }

    private func makePipeline(_ recorder: Recorder) -> PositionPipeline {
        var pipeline = PositionPipeline(
            makeEstimator: { GridEstimator(map: $0) },
            receivers: ReceiverOffsets(
                sources: [BeaconScanner.name],
                adapter: { recorder.now.name },
                offset: { recorder.now.stored[$0] },
                store: { name, offset in recorder.change { $0.stored[name] = offset } }
            ),
            clocks: SensorClocks(steady: { 0 }, wall: { 0 }),
            send: { event in recorder.change { $0.events.append(event) } },
            logger: .silent
        )
        pipeline.enter(Self.map, in: Self.environment)
        return pipeline
    }

    /// Receives all beacons as in the middle of the square, weaker by some dB.
    private func receive(
        _ pipeline: inout PositionPipeline,
        seconds: Range<Int>,
        loss: Int = 0,
        source: Int = 0
    ) {
        for tick in seconds.lowerBound * 4..<seconds.upperBound * 4 {
            for minor in 0..<4 {
                let identity = BeaconIdentity(
                    uuid: BeaconUUID(high: 0, low: 0),
                    major: 1,
                    minor: UInt16(minor)
                )
                pipeline.handle(
                    BeaconSighting(
                        identity: identity,
                        rssi: -76 - loss,
                        powerAtOneMetre: -59,
                        time: Double(tick) / 4
                    ),
                    from: source
                )
            }
        }
    }

    @Test func `the offset of a receiver is stored and used by the next run`() throws {
        let recorder = Recorder()
        var first = makePipeline(recorder)
        receive(&first, seconds: 0..<90, loss: 12)
        first.storeOffsets()
        let stored = try #require(recorder.now.stored["AA:00:00:00:00:01"])
        #expect(abs(stored + 12) < 4, "\(stored)")
        // A new pipeline without readings uses the stored offset.
        recorder.change { $0.stored["AA:00:00:00:00:01"] = -30 }
        var second = makePipeline(recorder)
        receive(&second, seconds: 0..<2, loss: 12)
        second.storeOffsets()
        let next = try #require(recorder.now.stored["AA:00:00:00:00:01"])
        #expect(next < -20, "\(next)")
    }

    @Test func `another adapter has its own offset`() throws {
        let recorder = Recorder()
        var pipeline = makePipeline(recorder)
        receive(&pipeline, seconds: 0..<90, loss: 12)
        pipeline.storeOffsets()
        recorder.change { $0.name = "AA:00:00:00:00:02" }
        pipeline.storeOffsets()
        #expect(recorder.now.stored["AA:00:00:00:00:02"] == nil, "the offset of the other adapter")
        receive(&pipeline, seconds: 90..<180)
        pipeline.storeOffsets()
        #expect(abs(try #require(recorder.now.stored["AA:00:00:00:00:02"])) < 5)
        #expect(abs(try #require(recorder.now.stored["AA:00:00:00:00:01"]) + 12) < 4)
    }

    @Test func `a recording neither uses nor stores offsets`() {
        let recorder = Recorder()
        var pipeline = makePipeline(recorder)
        receive(&pipeline, seconds: 0..<90, loss: 12, source: 1)
        pipeline.reset()
        pipeline.leave()
        #expect(recorder.now.stored.isEmpty)
    }

    @Test func `a position has the time of the readings it is based on`() {
        let recorder = Recorder()
        var pipeline = makePipeline(recorder)
        receive(&pipeline, seconds: 0..<5)
        let heard = recorder.now.events.compactMap { event -> Double? in
            if case .positionEstimated(let estimate) = event { estimate.heardAt } else { nil }
        }
        #expect(heard == [1, 2, 3, 4])
        guard case .positionEstimated(let last)? = recorder.now.events.last else {
            Issue.record("no position")
            return
        }
        #expect(
            !last.beacons.isEmpty
                && last.beacons.values.allSatisfy { $0.rssi != nil && (-1...1).contains($0.age) }
        )
        recorder.change { $0.events = [] }
        pipeline.tick(at: 6.1, from: 0)
        pipeline.tick(at: 17.5, from: 0)
        let later = recorder.now.events.compactMap { event -> Double?? in
            if case .positionEstimated(let estimate) = event { .some(estimate.heardAt) } else { nil }
        }
        #expect(later.prefix(2) == [6.1, 6.1] && later.last == .some(nil))
    }

    @Test func `reports of receivers in the place are used, those of others are not`() {
        let recorder = Recorder()
        var zone = FlareZone(id: FlareID(high: 2, low: 0))
        zone.perimeter = nil
        let things = ["hall", "attic"].enumerated().map { index, name in
            var thing = FlareThing(id: FlareID(high: 3, low: UInt32(index)))
            thing.zone = zone.id
            thing.position = Point3D(x: Double(index) * 5, y: 0, z: 1)
            thing.data = ["receiver": .string(name)]
            return thing
        }
        var pipeline = makePipeline(recorder)
        pipeline.enter(
            BeaconMap(environment: Self.environment, zones: [zone], things: things),
            in: Self.environment
        )
        for tick in 0..<40 {
            let names = ["hall", "attic", "moon"]
            pipeline.handle(
                ReceiverSighting(
                    receiver: names[tick % 3],
                    rssi: tick % 3 == 0 ? -60 : -80,
                    powerAtOneMetre: -59,
                    time: Double(tick) / 8
                ),
                from: 0
            )
        }
        let positions = recorder.now.events.compactMap { event -> Point3D? in
            if case .positionEstimated(let estimate) = event { estimate.position } else { nil }
        }
        #expect(positions.count == 4 && positions.allSatisfy { $0.x < 2 })
    }
}
