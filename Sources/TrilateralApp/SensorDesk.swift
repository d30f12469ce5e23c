import Controller
import Flare
import Logging
import Positioning
import Sensors

/// Turns what the sensors say into facts for the controller: positions, headings, places.
struct SensorDesk: Sendable {
    enum Input: Sendable {
        /// From one of the sources; each has a clock of its own.
        case reading(SensorReading, source: Int)
        case track(ControllerEffect.BeaconPlace?)
        case switched(SensorKind, on: Bool)
        /// Tells the source that everything before this was looked at.
        case looked(AsyncStream<Void>.Continuation)
    }

    /// How often the beacons' health is looked at, seconds.
    private static let healthInterval = 60.0

    let inputs: AsyncStream<Input>
    /// The UUID of the beacons that count, where the configuration names one; else the environment's.
    let beaconUUID: String?
    /// Makes what reckons positions from beacons.
    let estimator: @Sendable (BeaconMap) -> any PositionEstimator
    let headings: HeadingDesk
    /// Places on the earth whose error may be larger are not told, metres.
    let largestError: Double
    let send: @Sendable (ControllerEvent) -> Void
    /// Called when a sensor is switched, so that it need not work for nobody.
    var onSwitch: @Sendable (SensorKind, Bool) -> Void = { _, _ in }
    let logger: Logger

    func run() async {
        var map: BeaconMap?
        var trackers: [Int: PositionTracker] = [:]
        var headings = headings
        var motion = MotionSense()
        var switchedOff: Set<SensorKind> = []
        var batteries = BatteryWatch()
        var health = HealthReport()
        for await input in inputs {
            switch input {
            case .track(let place):
                guard let place else {
                    map = nil
                    trackers.removeAll()
                    report(trackers, at: health.dueAt, &health)
                    motion = MotionSense()
                    if batteries.follow(nil, things: []) { tell(batteries) }
                    continue
                }
                headings.enter(place.environment)
                var environment = place.environment
                if let beaconUUID { environment.data["uuid"] = .string(beaconUUID) }
                let known = BeaconMap(
                    environment: environment,
                    zones: place.zones,
                    things: place.things
                )
                if batteries.follow(known, things: place.things) { tell(batteries) }
                guard known != map else { continue }
                tell(known, in: place.environment)
                for source in trackers.keys { trackers[source]?.estimator.map = known }
                map = known
            case .switched(let sensor, let on):
                if on { switchedOff.remove(sensor) } else { switchedOff.insert(sensor) }
                if sensor == .beacons { trackers.removeAll() }
                onSwitch(sensor, on)
            case .looked(let mark):
                mark.yield()
            case .reading(.heading(let degrees, let north, let time), let source):
                guard !switchedOff.contains(.compass) else { continue }
                headings.hear(degrees, from: north, source: source, at: time)
            case .reading(.location(let place, let accuracy, _), _):
                guard !switchedOff.contains(.gps), accuracy ?? 0 <= largestError else { continue }
                headings.locate(at: place)
                send(.located(Location(point: place, accuracyMetres: accuracy)))
            case .reading(.beacon(let sighting), let source):
                guard !switchedOff.contains(.beacons), let map else { continue }
                // In place: a copy of an estimator is large.
                let estimates = trackers[source, default: PositionTracker(estimator: estimator(map))]
                    .hear(sighting)
                for estimate in estimates { tell(estimate, &motion) }
                if let last = estimates.last { report(trackers, at: last.time, &health) }
            case .reading(.telemetry(let telemetry, let sender, _), _):
                if batteries.hear(telemetry, of: sender) { tell(batteries) }
            case .reading(.tick(let time), let source):
                for estimate in trackers[source]?.advance(to: time) ?? [] { tell(estimate, &motion) }
            }
        }
    }

    private func tell(_ batteries: BatteryWatch) {
        let problem = batteries.problem
        send(
            problem.map { .alertRaised("beacon-battery", .warning, message: $0) }
                ?? .alertCleared("beacon-battery")
        )
        if let problem { logger.warning("beacons: \(problem)") }
    }

    private func tell(_ map: BeaconMap, in environment: FlareEnvironment) {
        for problem in map.problems { logger.warning("beacons: \(problem)") }
        send(
            map.problems.isEmpty
                ? .alertCleared("beacons")
                : .alertRaised(
                    "beacons",
                    .warning,
                    message: "Some beacons of this environment cannot be used: "
                        + map.problems.prefix(5).joined(separator: "; ")
                )
        )
        logger.info(
            "listening for beacons",
            metadata: ["environment": "\(environment.name)", "beacons": "\(map.beacons.count)"]
        )
    }

    /// What was said of the beacons' health, and when it is looked at again.
    private struct HealthReport {
        var told: [BeaconFinding] = []
        var dueAt = -Double.infinity
    }

    private func report(_ trackers: [Int: PositionTracker], at time: Double, _ report: inout HealthReport) {
        // Each source has a clock of its own; a step back looks at once.
        guard time >= report.dueAt || time < report.dueAt - Self.healthInterval else { return }
        report.dueAt = time + Self.healthInterval
        let findings = trackers.sorted { $0.key < $1.key }.flatMap(\.value.estimator.findings)
        guard findings != report.told else { return }
        report.told = findings
        for finding in findings { logger.warning("beacons: \(finding)") }
        send(
            findings.isEmpty
                ? .alertCleared("beacon-health")
                : .alertRaised(
                    "beacon-health",
                    .warning,
                    message: findings.prefix(5).map(\.description).joined(separator: "; ")
                )
        )
    }

    private func tell(_ estimate: PositionEstimate, _ motion: inout MotionSense) {
        send(
            .positionEstimated(
                .init(
                    position: estimate.position,
                    accuracyMetres: estimate.accuracyMetres,
                    quality: PositionFix.Quality(estimate.quality),
                    isMoving: motion.isMoving(at: estimate.position)
                )
            )
        )
    }
}

extension PositionFix.Quality {
    init(_ quality: PositionQuality) {
        switch quality {
        case .good: self = .good
        case .fair: self = .fair
        case .coarse: self = .coarse
        case .lost: self = .lost
        }
    }
}
