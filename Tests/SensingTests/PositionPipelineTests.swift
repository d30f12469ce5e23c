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
            var errors: [String: Double] = [:]
            var name: String? = "AA:00:00:00:00:01"
            var events: [ControllerEvent] = []
        }

        func change(_ change: (inout State) -> Void) { lock.withLock { change(&state) } }
        var now: State { lock.withLock { state } }
    }

    /// The numbers of the sources.
    private static let (adapter, broker, recording) = (0, 1, 2)

    private func makePipeline(_ recorder: Recorder) -> PositionPipeline {
        var pipeline = PositionPipeline(
            makeEstimator: { GridEstimator(map: $0) },
            receivers: ReceiverOffsets(
                sources: [BeaconScanner.name, RawReadings.name, "walk.jsonl"],
                adapter: { recorder.now.name },
                offset: { recorder.now.stored[$0] },
                store: { name, offset in recorder.change { $0.stored[name] = offset } }
            ),
            errors: LearntReceiverErrors {
                recorder.now.errors[$0]
            } store: { name, error in
                recorder.change { $0.errors[name] = error }
            },
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
        receive(&pipeline, seconds: 0..<90, loss: 12, source: Self.recording)
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

    // MARK: Beacons and receivers at once

    /// The square with a receiver in the middle of each side and one above the middle.
    private static var joined: BeaconMap {
        var zone = FlareZone(id: FlareID(high: 2, low: 0))
        zone.data["major"] = 1
        let beacons = (0..<4).map { index in
            (
                Point3D(x: Double(index % 2) * 8, y: Double(index / 2) * 8, z: 1), JSONValue(index),
                JSONValue.null
            )
        }
        let receivers = [(4.0, 0.0), (0, 4), (8, 4), (4, 8), (4, 4)].enumerated().map { index, place in
            (Point3D(x: place.0, y: place.1, z: 1), JSONValue.null, JSONValue.string("r\(index)"))
        }
        let things = (beacons + receivers).enumerated().map { index, item in
            var thing = FlareThing(id: FlareID(high: 3, low: UInt32(index)))
            (thing.zone, thing.position) = (zone.id, item.0)
            thing.data = item.1.isNull ? ["receiver": item.2] : ["minor": item.1]
            return thing
        }
        return BeaconMap(environment: environment, zones: [zone], things: things)
    }

    /// The device is at a place: it hears the beacons, and the receivers report it, each 8 dB too strong but one.
    private func report(
        _ pipeline: inout PositionPipeline,
        at place: (_ time: Double) -> Point3D,
        seconds: Range<Int>,
        deaf: (name: String, by: Double) = ("", 0)
    ) {
        let map = Self.joined
        for tick in seconds.lowerBound * 4..<seconds.upperBound * 4 {
            let time = Double(tick) / 4 + 0.1
            for beacon in map.beacons {
                let level = -59 - 22 * log10(max(beacon.position.distance(to: place(time)), 0.5))
                guard let name = beacon.receiver else {
                    let uuid = BeaconUUID(high: 0, low: 0)
                    let sighting = BeaconSighting(
                        identity: BeaconIdentity(uuid: uuid, major: 1, minor: beacon.minor),
                        rssi: Int((level - 12).rounded()),
                        powerAtOneMetre: -59,
                        time: time
                    )
                    pipeline.handle(sighting, from: Self.adapter)
                    continue
                }
                let error = 8 - (name == deaf.name ? deaf.by : 0)
                let sighting = ReceiverSighting(
                    receiver: name,
                    rssi: Int((level + error).rounded()),
                    powerAtOneMetre: -59,
                    time: time + 0.05
                )
                pipeline.handle(sighting, from: Self.broker)
            }
        }
    }

    private func estimates(_ recorder: Recorder) -> [ControllerEvent.PositionEstimated] {
        recorder.now.events.compactMap { if case .positionEstimated(let found) = $0 { found } else { nil } }
    }

    @Test func `the adapter and receivers give one position a second, from both`() throws {
        let recorder = Recorder()
        var pipeline = makePipeline(recorder)
        pipeline.enter(Self.joined, in: Self.environment)
        let spot = Point3D(x: 2, y: 5, z: 1)
        report(&pipeline, at: { _ in spot }, seconds: 0..<90)
        for source in [Self.adapter, Self.broker] { pipeline.tick(at: 90.2, from: source) }
        let found = estimates(recorder)
        #expect(found.count == 90)
        let last = try #require(found.last)
        #expect(last.beacons.count == 9 && last.position.distance(to: spot) < 1, "\(last.position)")
        pipeline.storeOffsets()
        let stored = recorder.now.stored
        #expect(stored.keys.sorted() == ["AA:00:00:00:00:01", "receivers"])
        #expect(abs(try #require(stored["AA:00:00:00:00:01"]) + 12) < 3, "\(stored)")
        #expect(abs(try #require(stored["receivers"]) - 8) < 3, "\(stored)")
    }

    @Test func `neither the adapter nor receivers wait for the other`() throws {
        let recorder = Recorder()
        var pipeline = makePipeline(recorder)
        pipeline.enter(Self.joined, in: Self.environment)
        let sighting = ReceiverSighting(receiver: "r0", rssi: -60, powerAtOneMetre: -59, time: 0.2)
        pipeline.handle(sighting, from: Self.broker)
        pipeline.tick(at: 1, from: Self.broker)
        #expect(estimates(recorder).last?.beacons.count == 1)
        receive(&pipeline, seconds: 2..<4)
        #expect(estimates(recorder).last?.beacons.count == 5)
    }

    @Test func `the error of one receiver is learnt while the device walks, and stored`() throws {
        let recorder = Recorder()
        var pipeline = makePipeline(recorder)
        pipeline.enter(Self.joined, in: Self.environment)
        // Round the middle.
        let walk = { (time: Double) in Point3D(x: 4 + 3 * cos(time / 5), y: 4 + 3 * sin(time / 5), z: 1) }
        report(&pipeline, at: walk, seconds: 0..<300, deaf: ("r2", 12))
        pipeline.storeOffsets()
        let errors = recorder.now.errors
        let others = errors.filter { $0.key != "r2" }.map(\.value)
        #expect(others.count == 4)
        let deaf = try #require(errors["r2"]) - others.reduce(0, +) / 4
        #expect((-15 ... -8).contains(deaf), "\(errors)")
        // The next run begins with it.
        var next = makePipeline(recorder)
        recorder.change { $0.events = [] }
        next.enter(Self.joined, in: Self.environment)
        report(&next, at: { _ in Point3D(x: 6.5, y: 3, z: 1) }, seconds: 0..<20, deaf: ("r2", 12))
        let place = try #require(estimates(recorder).last).position
        #expect(place.distance(to: Point3D(x: 6.5, y: 3, z: 1)) < 1, "\(place)")
    }
}
