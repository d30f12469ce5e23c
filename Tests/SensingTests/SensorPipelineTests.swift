import Controller
import Flare
import JSON
import Positioning
import Sensing
import Sensors
import TestSupport
import Testing
import Threading

struct SensorPipelineTests {
    private let time = Locked(100.0)
    private let events = Locked<[ControllerEvent]>([])
    private let switches = Locked<[String]>([])
    private let heard = Locked<[BeaconSighting]>([])

    private static let environment = FlareEnvironment(id: FlareID(high: 1, low: 0))
    private static let beacon = FlareID(high: 3, low: 1)

    private static var place: ControllerEffect.BeaconPlace {
        var zone = FlareZone(id: FlareID(high: 2, low: 0))
        zone.data["major"] = 1
        var thing = FlareThing(id: beacon)
        thing.zone = zone.id
        thing.position = Point3D(x: 1, y: 1, z: 1)
        thing.data = ["minor": 1]
        return ControllerEffect.BeaconPlace(environment: environment, zones: [zone], things: [thing])
    }

    private static func reading(at time: Double) -> SensorReading {
        let identity = BeaconIdentity(uuid: BeaconUUID(high: 0, low: 0), major: 1, minor: 1)
        return .beacon(BeaconSighting(identity: identity, rssi: -70, powerAtOneMetre: -59, time: time))
    }

    private enum Step {
        case input(SensorPipeline.Input)
        case clock(Double)
    }

    /// Runs the steps in order: each input is handled before the clock moves on.
    private func run(_ steps: [Step]) async {
        let (inputs, port) = AsyncStream.makeStream(of: SensorPipeline.Input.self)
        let clocks = SensorClocks(steady: { [time] in time.withLock { $0 } }, wall: { 1_767_225_600 })
        let send: @Sendable (ControllerEvent) -> Void = { [events] event in
            events.withLock { $0.append(event) }
        }
        let pipeline = SensorPipeline(
            inputs: inputs,
            beaconUUID: nil,
            positions: PositionPipeline(
                makeEstimator: { CentroidEstimator(map: $0) },
                receivers: ReceiverOffsets(
                    sources: [BeaconScanner.name],
                    adapter: { nil },
                    offset: { _ in nil },
                    store: { _, _ in }
                ),
                clocks: clocks,
                send: send,
                logger: .silent
            ),
            headings: HeadingPipeline(
                source: .auto,
                declination: nil,
                sources: [],
                clocks: clocks,
                send: send,
                logger: .silent
            ),
            maximumError: 100,
            clocks: clocks,
            send: send,
            onSwitch: { [switches] sensor, on in switches.withLock { $0.append("\(sensor) \(on)") } },
            onBeacon: { [heard] sighting in heard.withLock { $0.append(sighting) } },
            logger: .silent
        )
        async let running: Void = pipeline.run()
        for step in steps {
            switch step {
            case .clock(let seconds): time.withLock { $0 = seconds }
            case .input(let input):
                let (handled, signal) = AsyncStream.makeStream(of: Void.self)
                port.yield(input)
                port.yield(.handled(signal))
                for await _ in handled { break }
            }
        }
        port.finish()
        await running
    }

    private var reports: [[FlareID: BeaconReport]] {
        events.withLock { $0 }.compactMap { if case .beaconsHeard(let reports) = $0 { reports } else { nil } }
    }

    @Test func `a received beacon is reported five seconds later, with its age`() async {
        await run([
            .input(.track(Self.place)), .input(.reading(Self.reading(at: 1), source: 0)), .clock(104.9),
            .input(.reading(.tick(time: 5), source: 0)), .clock(106),
            .input(.reading(.tick(time: 6), source: 0)),
        ])
        #expect(reports == [[Self.beacon: BeaconReport(rssi: -70, batteryVolts: nil, age: 6)]])
    }

    @Test func `packets of beacons are passed on without a place, but not while beacons are off`() async {
        await run([
            .input(.reading(Self.reading(at: 1), source: 0)), .input(.switched(.beacons, on: false)),
            .input(.reading(Self.reading(at: 2), source: 0)), .input(.switched(.beacons, on: true)),
            .input(.reading(Self.reading(at: 3), source: 0)),
        ])
        #expect(heard.withLock { $0 }.map(\.time) == [1, 3])
    }

    @Test func `positions of a recording have the time of this machine, not that of the recording`() async {
        await run([
            .input(.track(Self.place)), .input(.reading(Self.reading(at: 1), source: 1)),
            .input(.reading(.tick(time: 2.5), source: 1)),
        ])
        let times = events.withLock { $0 }.compactMap { event -> Double? in
            if case .positionEstimated(let estimate) = event { estimate.heardAt } else { nil }
        }
        #expect(!times.isEmpty && times.allSatisfy { $0 == 100 })
    }

    @Test func `readings of a sensor that is switched off are ignored`() async {
        let location = SensorReading.location(
            GeoPoint(latitude: 52, longitude: 13),
            accuracyMetres: 5,
            time: 0
        )
        await run([
            .input(.track(Self.place)), .input(.switched(.beacons, on: false)),
            .input(.switched(.gps, on: false)), .input(.reading(Self.reading(at: 1), source: 0)),
            .input(.reading(location, source: 0)), .clock(110), .input(.reading(.tick(time: 9), source: 0)),
        ])
        #expect(switches.withLock { $0 } == ["beacons false", "gps false"])
        #expect(reports.isEmpty)
        #expect(!events.withLock { $0 }.contains { if case .located = $0 { true } else { false } })
    }

    @Test func `a location with a larger error than configured is ignored`() async {
        let point = GeoPoint(latitude: 52, longitude: 13)
        await run([
            .input(.reading(.location(point, accuracyMetres: 101, time: 0), source: 0)),
            .input(.reading(.location(point, accuracyMetres: 100, time: 1), source: 0)),
        ])
        #expect(events.withLock { $0 } == [.located(Location(point: point, accuracyMetres: 100))])
    }
}
