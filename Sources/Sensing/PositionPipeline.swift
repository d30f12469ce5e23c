package import Controller
package import Flare
package import Logging
package import Positioning
package import Sensors

/// Estimates positions from received beacons.
///
/// Each source has its own clock and its own receiver, and so its own estimator.
package struct PositionPipeline: Sendable {
    /// Seconds between checks of the beacons and between writes of receiver offsets.
    private static let interval = 60.0
    /// A smaller change of a receiver's offset is not stored, dB.
    private static let minimumChange = 0.5
    private static let maximumWarnings = 50

    private let makeEstimator: @Sendable (BeaconMap) -> any PositionEstimator
    private let receivers: ReceiverOffsets
    private let clocks: SensorClocks
    private let survey: SurveyChannel?
    private let send: @Sendable (ControllerEvent) -> Void
    private let tracking: @Sendable (Bool) -> Void
    private let logger: Logger

    private var map: BeaconMap?
    private var trackers: [Int: PositionTracker] = [:]
    /// The receivers of the sources, and their stored offsets.
    private var stored: [Int: (name: String, offset: Double?)] = [:]
    /// Which radio map each source uses, and for which receiver.
    private var adopted: [Int: SurveyChannel.Adopted] = [:]
    /// What the sources said last about moving.
    private var flags: [Int: MotionFlag] = [:]
    /// The same of this machine's accelerometer, on the steady clock.
    private var ownFlag: MotionFlag?
    /// Whether this machine's adapter gives positions.
    private var isTracking = false
    private var motion = MotionDetector()
    private var findings: [BeaconFinding] = []
    /// The names of beacons that are heard otherwise than in the survey.
    private var outdated: [String] = []
    private var dueAt = -Double.infinity
    /// Most problems of beacons that are logged at a change of the place.
    private static let mostProblems = 20

    /// Receivers that no thing of the environment has.
    private var unknownReceivers: Set<String> = []

    /// - Parameter tracking: Called when the positions by this machine's adapter begin, and when they end.
    package init(
        makeEstimator: @escaping @Sendable (BeaconMap) -> any PositionEstimator,
        receivers: ReceiverOffsets,
        clocks: SensorClocks,
        survey: SurveyChannel? = nil,
        send: @escaping @Sendable (ControllerEvent) -> Void,
        tracking: @escaping @Sendable (Bool) -> Void = { _ in },
        logger: Logger
    ) {
        self.makeEstimator = makeEstimator
        self.receivers = receivers
        self.clocks = clocks
        self.survey = survey
        self.send = send
        self.tracking = tracking
        self.logger = logger
    }

    // MARK: The place

    package mutating func enter(_ map: BeaconMap, in environment: FlareEnvironment) {
        guard map != self.map else { return }
        for source in trackers.keys { trackers[source]?.estimator.map = map }
        // Once each, however often the place changes.
        let known = Set(self.map?.problems ?? [])
        let problems = map.problems.filter { !known.contains($0) }
        self.map = map
        survey?.enter(map)
        unknownReceivers.removeAll()
        for problem in problems.prefix(Self.mostProblems) { logger.warning("beacons: \(problem)") }
        if problems.count > Self.mostProblems {
            logger.warning("beacons: \(problems.count - Self.mostProblems) more problems")
        }
        let list = map.problems.prefix(5).joined(separator: "; ")
        let problem = "Some beacons of this environment cannot be used: \(list)"
        send(.alert("beacons", .warning, map.problems.isEmpty ? nil : problem))
        logger.info(
            "tracking beacons",
            metadata: ["environment": "\(environment.name)", "beacons": "\(map.beacons.count)"]
        )
    }

    package mutating func leave() {
        reset()
        if map != nil { send(.alertCleared("beacons")) }
        map = nil
        survey?.enter(nil)
        sendFindings()
        motion = MotionDetector()
    }

    /// Discards what was received; the offsets of the receivers are stored.
    package mutating func reset() {
        storeOffsets()
        trackers.removeAll()
        adopted.removeAll()
        flags.removeAll()
        ownFlag = nil
        setTracking(false)
    }

    // MARK: Readings

    package mutating func handle(_ sighting: BeaconSighting, from source: Int) {
        guard let map else { return }
        if trackers[source] == nil { trackers[source] = makeTracker(map, for: source) }
        adoptRadioMap(source)
        if let survey, survey.isMeasuring, let surveyor = receivers.surveyor(source) {
            survey.record(sighting, of: surveyor)
        }
        // In place: a copy of an estimator is large.
        guard let estimates = trackers[source]?.record(sighting), let last = estimates.last else { return }
        for estimate in estimates { send(estimate, at: sighting.time, from: source) }
        checkIfDue(at: last.time)
    }

    package mutating func handle(_ sighting: ReceiverSighting, from source: Int) {
        guard let map else { return }
        if let sighting = map.sighting(sighting) { return handle(sighting, from: source) }
        guard unknownReceivers.count < Self.maximumWarnings,
            unknownReceivers.insert(sighting.receiver).inserted
        else {
            return
        }
        let names = map.receiverNames
        let others = names.isEmpty ? "none has any" : "there are \(names.joined(separator: ", "))"
        logger.warning(
            "beacons: no thing of this environment has the receiver \(sighting.receiver) in its data; \(others)"
        )
    }

    /// Takes from a source that the device moves, or does not.
    ///
    /// It counts for the positions by the same source, as of a phone that hears beacons. This machine's accelerometer counts
    /// for those by its adapter: what other receivers hear may be another device.
    package mutating func handle(_ flag: MotionFlag, from source: Int) {
        guard receivers.isAccelerometer(source) else {
            flags[source] = flag
            trackers[source]?.record(flag)
            return
        }
        // The accelerometer has a clock of its own.
        let flag = MotionFlag(isMoving: flag.isMoving, time: clocks.steady())
        ownFlag = flag
        for source in trackers.keys where receivers.isAdapter(source) { trackers[source]?.record(flag) }
    }

    private mutating func setTracking(_ isTracking: Bool) {
        guard self.isTracking != isTracking else { return }
        self.isTracking = isTracking
        tracking(isTracking)
    }

    package mutating func tick(at time: Double, from source: Int) {
        for estimate in trackers[source]?.advance(to: time) ?? [] { send(estimate, at: time, from: source) }
    }

    /// Uses what the survey has found out since.
    private mutating func adoptRadioMap(_ source: Int) {
        guard let survey, let surveyor = receivers.surveyor(source),
            let found = survey.adopt(for: surveyor, after: adopted[source])
        else { return }
        adopted[source] = found
        trackers[source]?.estimator.radioMap = found.radio?.map
    }

    private mutating func makeTracker(_ map: BeaconMap, for source: Int) -> PositionTracker {
        var estimator = makeEstimator(map)
        if let name = receivers.name(source) {
            let offset = receivers.offset(name)
            estimator.receiverOffset = offset
            stored[source] = (name, offset)
        }
        if let flag = receivers.isAdapter(source) ? ownFlag : flags[source] { estimator.record(flag) }
        return PositionTracker(estimator: estimator)
    }

    /// - Parameter time: When the reading came that made the estimate due, on the clock of the source.
    private mutating func send(_ estimate: PositionEstimate, at time: Double, from source: Int) {
        if receivers.isAdapter(source) { setTracking(estimate.quality != .lost) }
        let counted = trackers[source]?.estimator.counted ?? [:]
        let heardAt = receivers.isOfThisMachine(source) ? time : clocks.steady()
        let isSurveyed = trackers[source]?.estimator.isSurveyed ?? false
        send(
            .positionEstimated(
                .init(
                    position: estimate.position,
                    accuracyMetres: estimate.accuracyMetres,
                    quality: PositionFix.Quality(estimate.quality),
                    isMoving: motion.update(with: estimate.position),
                    // Without beacons the estimate is the previous one.
                    heardAt: estimate.beaconsHeard > 0 ? heardAt : nil,
                    beacons: counted.mapValues { .init(rssi: $0.rssi, age: estimate.time - $0.heardAt) },
                    model: isSurveyed ? .survey(takenAt: adopted[source]?.radio?.takenAt) : .plain,
                    zones: trackers[source]?.estimator.zoneShares
                )
            )
        )
    }

    // MARK: Checks

    private mutating func checkIfDue(at time: Double) {
        // Sources have different clocks: after a step back, check at once.
        guard time >= dueAt || time < dueAt - Self.interval else { return }
        dueAt = time + Self.interval
        sendFindings()
        storeOffsets()
    }

    private mutating func sendFindings() {
        sendOutdated()
        let found = trackers.sorted { $0.key < $1.key }.flatMap(\.value.estimator.findings)
        guard found != findings else { return }
        findings = found
        for finding in found { logger.warning("beacons: \(finding)") }
        let list = found.prefix(5).map(\.description).joined(separator: "; ")
        send(.alert("beacon-health", .warning, found.isEmpty ? nil : list))
    }

    /// Asks for a new survey where a beacon is no longer heard as it was.
    private mutating func sendOutdated() {
        let changed = Set(
            trackers.values.filter(\.estimator.isSurveyed).flatMap(\.estimator.findings)
                .compactMap(\.changedBeacon)
        ).sorted()
        guard changed != outdated else { return }
        outdated = changed
        let names = changed.prefix(5).joined(separator: ", ")
        let problem = "\(names) \(changed.count == 1 ? "is" : "are") not heard as in the survey: survey again"
        send(.alert("survey-beacons", .warning, changed.isEmpty ? nil : problem))
    }

    /// Stores the estimated offsets of the receivers, and changes to another receiver's where it was replaced.
    package mutating func storeOffsets() {
        for source in trackers.keys {
            let estimated = trackers[source]?.estimator.receiverOffset
            if let (name, offset) = stored[source], let estimated,
                offset.map({ abs($0 - estimated) >= Self.minimumChange }) ?? true
            {
                receivers.store(name, estimated)
                stored[source] = (name, estimated)
            }
            guard let name = receivers.name(source), name != stored[source]?.name else { continue }
            let offset = receivers.offset(name)
            trackers[source]?.estimator.receiverOffset = offset
            stored[source] = (name, offset)
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
