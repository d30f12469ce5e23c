package import Controller
package import Flare
package import Logging
package import Positioning

/// From what is heard of beacons to positions.
///
/// Each source has a clock and a receiver of its own, and so an estimator of its own.
package struct PositionPipeline: Sendable {
    /// How often the beacons' health is looked at, and what was learned is kept, seconds.
    private static let interval = 60.0
    /// A receiver's error that has changed by less is not kept again, dB.
    private static let leastChange = 0.5
    private static let mostComplaints = 50

    /// Makes what reckons positions from beacons.
    private let estimator: @Sendable (BeaconMap) -> any PositionEstimator
    private let receivers: ReceiverOffsets
    private let send: @Sendable (ControllerEvent) -> Void
    private let logger: Logger

    private var map: BeaconMap?
    private var trackers: [Int: PositionTracker] = [:]
    /// The receivers of the sources, and what is kept of them.
    private var known: [Int: (name: String, offset: Double?)] = [:]
    private var motion = MotionDetector()
    private var findings: [BeaconFinding] = []
    private var dueAt = -Double.infinity
    /// Receivers that are not in the place.
    private var strangers: Set<String> = []

    package init(
        estimator: @escaping @Sendable (BeaconMap) -> any PositionEstimator,
        receivers: ReceiverOffsets,
        send: @escaping @Sendable (ControllerEvent) -> Void,
        logger: Logger
    ) {
        self.estimator = estimator
        self.receivers = receivers
        self.send = send
        self.logger = logger
    }

    // MARK: The place

    package mutating func enter(_ map: BeaconMap, in environment: FlareEnvironment) {
        guard map != self.map else { return }
        for source in trackers.keys { trackers[source]?.estimator.map = map }
        self.map = map
        strangers.removeAll()
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

    package mutating func leave() {
        forget()
        if map != nil { send(.alertCleared("beacons")) }
        map = nil
        tellFindings()
        motion = MotionDetector()
    }

    /// Forgets what was heard, save what was learned of the receivers.
    package mutating func forget() {
        keep()
        trackers.removeAll()
    }

    // MARK: Hearing

    package mutating func hear(_ sighting: BeaconSighting, from source: Int) {
        guard let map else { return }
        if trackers[source] == nil { trackers[source] = makeTracker(map, for: source) }
        // In place: a copy of an estimator is large.
        guard let estimates = trackers[source]?.record(sighting), let last = estimates.last else { return }
        for estimate in estimates { tell(estimate, at: sighting.time, from: source) }
        look(at: last.time)
    }

    package mutating func hear(_ sighting: ReceiverSighting, from source: Int) {
        guard let map else { return }
        if let sighting = map.sighting(sighting) { return hear(sighting, from: source) }
        guard strangers.count < Self.mostComplaints, strangers.insert(sighting.receiver).inserted else {
            return
        }
        let names = map.receiverNames
        let others = names.isEmpty ? "none has any" : "there are \(names.joined(separator: ", "))"
        logger.warning(
            "beacons: no thing of this environment has the receiver \(sighting.receiver) in its data; \(others)"
        )
    }

    package mutating func tick(at time: Double, from source: Int) {
        for estimate in trackers[source]?.advance(to: time) ?? [] { tell(estimate, at: time, from: source) }
    }

    private mutating func makeTracker(_ map: BeaconMap, for source: Int) -> PositionTracker {
        var estimator = estimator(map)
        if let name = receivers.name(source) {
            let offset = receivers.offset(name)
            estimator.receiverOffset = offset
            known[source] = (name, offset)
        }
        return PositionTracker(estimator: estimator)
    }

    /// - Parameter time: When what made it due came, on the clock of the source.
    private mutating func tell(_ estimate: PositionEstimate, at time: Double, from source: Int) {
        let dueAt = receivers.isOfThisMachine(source) ? time : RuntimeClock.steadySeconds()
        send(
            .positionEstimated(
                .init(
                    position: estimate.position,
                    accuracyMetres: estimate.accuracyMetres,
                    quality: PositionFix.Quality(estimate.quality),
                    isMoving: motion.update(with: estimate.position),
                    // A position that is only held was drawn from nothing.
                    heardAt: estimate.beaconsHeard > 0 ? dueAt : nil
                )
            )
        )
    }

    // MARK: Now and then

    private mutating func look(at time: Double) {
        // Each source has a clock of its own; a step back looks at once.
        guard time >= dueAt || time < dueAt - Self.interval else { return }
        dueAt = time + Self.interval
        tellFindings()
        keep()
    }

    private mutating func tellFindings() {
        let found = trackers.sorted { $0.key < $1.key }.flatMap(\.value.estimator.findings)
        guard found != findings else { return }
        findings = found
        for finding in found { logger.warning("beacons: \(finding)") }
        send(
            found.isEmpty
                ? .alertCleared("beacon-health")
                : .alertRaised(
                    "beacon-health",
                    .warning,
                    message: found.prefix(5).map(\.description).joined(separator: "; ")
                )
        )
    }

    /// Keeps what was learned of the receivers, and takes another one where it was changed.
    package mutating func keep() {
        for source in trackers.keys {
            let learned = trackers[source]?.estimator.receiverOffset
            if let (name, kept) = known[source], let learned,
                kept.map({ abs($0 - learned) >= Self.leastChange }) ?? true
            {
                receivers.keep(name, learned)
                known[source] = (name, learned)
            }
            guard let name = receivers.name(source), name != known[source]?.name else { continue }
            let offset = receivers.offset(name)
            trackers[source]?.estimator.receiverOffset = offset
            known[source] = (name, offset)
        }
    }
}

extension PositionFix.Quality {
    fileprivate init(_ quality: PositionQuality) {
        switch quality {
        case .good: self = .good
        case .fair: self = .fair
        case .coarse: self = .coarse
        case .lost: self = .lost
        }
    }
}
