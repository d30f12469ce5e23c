package import Controller
import Flare
import JSON
package import Logging
package import Positioning
package import Sensors

/// Turns readings of the sensors into events for the controller: positions, headings, locations.
package struct SensorPipeline: Sendable {
    package enum Input: Sendable {
        /// From one of the sources, each of which has its own clock.
        case reading(SensorReading, source: Int)
        case track(ControllerEffect.BeaconPlace?)
        case switched(SensorKind, on: Bool)
        /// Signals the source that everything before this was handled.
        case handled(AsyncStream<Void>.Continuation)
    }

    private let inputs: AsyncStream<Input>
    private let beaconUUID: String?
    private let positions: PositionPipeline
    private let headings: HeadingPipeline
    private let maximumError: Double
    private let clocks: SensorClocks
    private let send: @Sendable (ControllerEvent) -> Void
    private let onSwitch: @Sendable (SensorKind, Bool) -> Void
    private let onBeacon: @Sendable (BeaconSighting) -> Void
    private let logger: Logger

    /// - Parameters:
    ///   - beaconUUID: The UUID of the beacons; `nil` for the environment's.
    ///   - maximumError: Locations with a larger error are ignored, metres.
    ///   - onSwitch: Called when a sensor is switched on or off.
    ///   - onBeacon: Called with each packet of a beacon, also of one that is no thing, while beacons are on.
    package init(
        inputs: AsyncStream<Input>,
        beaconUUID: String?,
        positions: PositionPipeline,
        headings: HeadingPipeline,
        maximumError: Double,
        clocks: SensorClocks,
        send: @escaping @Sendable (ControllerEvent) -> Void,
        onSwitch: @escaping @Sendable (SensorKind, Bool) -> Void = { _, _ in },
        onBeacon: @escaping @Sendable (BeaconSighting) -> Void = { _ in },
        logger: Logger
    ) {
        self.inputs = inputs
        self.beaconUUID = beaconUUID
        self.positions = positions
        self.headings = headings
        self.maximumError = maximumError
        self.clocks = clocks
        self.send = send
        self.onSwitch = onSwitch
        self.onBeacon = onBeacon
        self.logger = logger
    }

    package func run() async {
        var positions = positions
        var headings = headings
        var switchedOff: Set<SensorKind> = []
        var batteries = BatteryMonitor()
        var reports = BeaconReports()
        for await input in inputs {
            switch input {
            case .track(nil):
                positions.leave()
                reports.reset()
                if batteries.setPlace(nil, things: []) { send(batteries) }
            case .track(let place?):
                headings.enter(place.environment)
                var environment = place.environment
                if let beaconUUID { environment.data["uuid"] = .string(beaconUUID) }
                let map = BeaconMap(environment: environment, zones: place.zones, things: place.things)
                if batteries.setPlace(map, things: place.things) { send(batteries) }
                positions.enter(map, in: place.environment)
            case .switched(let sensor, let on):
                if on { switchedOff.remove(sensor) } else { switchedOff.insert(sensor) }
                if sensor == .beacons {
                    positions.reset()
                    reports.reset()
                }
                onSwitch(sensor, on)
            case .handled(let signal):
                signal.yield()
            case .reading(.heading(let degrees, let north, let time), let source):
                guard !switchedOff.contains(.compass) else { continue }
                headings.handle(heading: degrees, from: north, source: source, at: time)
            case .reading(.location(let place, let accuracy, _), _):
                guard !switchedOff.contains(.gps), accuracy ?? 0 <= maximumError else { continue }
                headings.setLocation(place)
                send(.located(Location(point: place, accuracyMetres: accuracy)))
            case .reading(.beacon(let sighting), let source):
                guard !switchedOff.contains(.beacons) else { continue }
                positions.handle(sighting, from: source)
                onBeacon(sighting)
                if let thing = batteries.thing(.beacon(sighting.identity)) {
                    reports.record(thing, rssi: sighting.rssi, at: clocks.steady())
                    sendDue(&reports)
                }
            case .reading(.receiver(let sighting), let source):
                if !switchedOff.contains(.beacons) { positions.handle(sighting, from: source) }
            case .reading(.telemetry(let telemetry, let sender, _), _):
                if batteries.record(telemetry, from: sender) { send(batteries) }
                if !switchedOff.contains(.beacons), let thing = batteries.thing(sender) {
                    reports.record(thing, batteryVolts: telemetry.batteryVolts, at: clocks.steady())
                    sendDue(&reports)
                }
            case .reading(.moving(let isMoving, let time), let source):
                guard !switchedOff.contains(.beacons) else { continue }
                positions.handle(MotionFlag(isMoving: isMoving, time: time), from: source)
            case .reading(.tick(let time), let source):
                positions.tick(at: time, from: source)
                sendDue(&reports)
            }
        }
        positions.storeOffsets()
    }

    private func sendDue(_ reports: inout BeaconReports) {
        let now = clocks.steady()
        let due = reports.removeDue(at: now)
        guard !due.isEmpty else { return }
        send(
            .beaconsHeard(
                due.mapValues {
                    BeaconReport(rssi: $0.rssi, batteryVolts: $0.batteryVolts, age: now - $0.heardAt)
                }
            )
        )
    }

    private func send(_ batteries: BatteryMonitor) {
        let problem = batteries.problem
        send(.alert("beacon-battery", .warning, problem))
        if let problem { logger.warning("beacons: \(problem)") }
    }
}
