package import Controller
package import Flare
package import Logging
package import Positioning
import Receivers
package import Sensors

/// Estimates positions from received beacons.
///
/// What this machine's adapter hears, and what comes from the broker, are measurements of one device, and so of one
/// estimator: neither waits for the other. A recording has its own clock, and so its own estimator.
package struct PositionPipeline: Sendable {
    /// Seconds between checks of the beacons and between writes of receiver offsets.
    private static let interval = 60.0
    /// A smaller change of a receiver's offset is not stored, dB.
    private static let minimumChange = 0.5
    private static let maximumWarnings = 50

    private let makeEstimator: @Sendable (BeaconMap) -> any PositionEstimator
    private let receivers: ReceiverOffsets
    private let errors: LearntReceiverErrors
    private let clocks: SensorClocks
    private let survey: SurveyChannel?
    private let send: @Sendable (ControllerEvent) -> Void
    private let tracking: @Sendable (Bool) -> Void
    private let logger: Logger

    private var map: BeaconMap?
    private typealias Stream = ReceiverOffsets.Stream
    private var tracked: [Stream: Tracked] = [:]
    /// What was said last about moving.
    private var flags: [Stream: MotionFlag] = [:]
    /// The same by this machine's accelerometer, on the steady clock.
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

    /// The positions of one device, on one clock.
    private struct Tracked {
        var tracker: PositionTracker
        /// Who measures: the sources that came first.
        var sources = BySource<Int?>(nil, nil)
        /// Their names, and their stored offsets.
        var stored = BySource<(name: String, offset: Double?)?>(nil, nil)
        /// Which radio map each uses, and for which receiver.
        var adopted = BySource<SurveyChannel.Adopted?>(nil, nil)
        /// Whether this machine's adapter hears anything of the place.
        var isHeardByAdapter = false
        var lessons = ReceiverLessons()
    }

    /// - Parameter tracking: Called when the positions by this machine's adapter begin, and when they end.
    package init(
        makeEstimator: @escaping @Sendable (BeaconMap) -> any PositionEstimator,
        receivers: ReceiverOffsets,
        errors: LearntReceiverErrors = LearntReceiverErrors(),
        clocks: SensorClocks,
        survey: SurveyChannel? = nil,
        send: @escaping @Sendable (ControllerEvent) -> Void,
        tracking: @escaping @Sendable (Bool) -> Void = { _ in },
        logger: Logger
    ) {
        self.makeEstimator = makeEstimator
        self.receivers = receivers
        self.errors = errors
        self.clocks = clocks
        self.survey = survey
        self.send = send
        self.tracking = tracking
        self.logger = logger
    }

    // MARK: The place

    package mutating func enter(_ map: BeaconMap, in environment: FlareEnvironment) {
        guard map != self.map else { return }
        for stream in tracked.keys { tracked[stream]?.tracker.estimator.map = map }
        // Once each, however often the place changes.
        let known = Set(self.map?.problems ?? [])
        let problems = map.problems.filter { !known.contains($0) }
        self.map = map
        survey?.enter(map)
        errors.enter(map.receiverNames)
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

    /// Discards what was received; the constant errors are stored.
    package mutating func reset() {
        storeOffsets()
        tracked.removeAll()
        flags.removeAll()
        ownFlag = nil
        setTracking(false)
    }

    // MARK: Readings

    package mutating func handle(_ sighting: BeaconSighting, from source: Int) {
        guard let map else { return }
        let measured: MeasurementSource = sighting.identity.group == .receivers ? .receivers : .device
        let stream = receivers.stream(source)
        if tracked[stream] == nil { tracked[stream] = track(stream, map) }
        if tracked[stream]?.sources[measured] == nil { begin(measured, stream, source) }
        if receivers.isAdapter(source), tracked[stream]?.isHeardByAdapter == false {
            tracked[stream]?.isHeardByAdapter = true
            if let ownFlag { tracked[stream]?.tracker.record(ownFlag) }
        }
        adoptRadioMap(measured, stream)
        if let survey, survey.isMeasuring, let surveyor = receivers.surveyor(source) {
            survey.record(sighting, of: surveyor)
        }
        var sighting = sighting
        if measured == .receivers, tracked[stream]?.tracker.estimator.surveyed.receivers == false,
            let name = map.beacon(sighting.identity)?.receiver
        {
            // The levels of a survey contain the error.
            sighting.correct(by: errors.correction(of: name))
        }
        // In place: a copy of an estimator is large.
        guard let estimates = tracked[stream]?.tracker.record(sighting), let last = estimates.last else {
            return
        }
        for estimate in estimates { send(estimate, at: sighting.time, of: stream) }
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
    /// This machine's accelerometer counts where its adapter hears something: otherwise the device may be another one,
    /// which receivers hear.
    package mutating func handle(_ flag: MotionFlag, from source: Int) {
        guard receivers.isAccelerometer(source) else {
            let stream = receivers.stream(source)
            flags[stream] = flag
            tracked[stream]?.tracker.record(flag)
            return
        }
        // The accelerometer has a clock of its own.
        let flag = MotionFlag(isMoving: flag.isMoving, time: clocks.steady())
        ownFlag = flag
        for stream in tracked.keys where tracked[stream]?.isHeardByAdapter == true {
            tracked[stream]?.tracker.record(flag)
        }
    }

    private mutating func setTracking(_ isTracking: Bool) {
        guard self.isTracking != isTracking else { return }
        self.isTracking = isTracking
        tracking(isTracking)
    }

    package mutating func tick(at time: Double, from source: Int) {
        let stream = receivers.stream(source)
        for estimate in tracked[stream]?.tracker.advance(to: time) ?? [] {
            send(estimate, at: time, of: stream)
        }
    }

    private func track(_ stream: Stream, _ map: BeaconMap) -> Tracked {
        var estimator = makeEstimator(map)
        if let flag = flags[stream] { estimator.record(flag) }
        return Tracked(tracker: PositionTracker(estimator: estimator))
    }

    /// Begins with what an earlier run has learnt of a source of measurements.
    private mutating func begin(_ measured: MeasurementSource, _ stream: Stream, _ source: Int) {
        tracked[stream]?.sources[measured] = source
        guard let name = receivers.name(source, measured) else { return }
        let offset = receivers.offset(name)
        tracked[stream]?.tracker.estimator.offsets[measured] = offset
        tracked[stream]?.stored[measured] = (name, offset)
    }

    /// Uses what the survey has found out since.
    private mutating func adoptRadioMap(_ measured: MeasurementSource, _ stream: Stream) {
        guard let survey, let source = tracked[stream]?.sources[measured],
            let surveyor = receivers.surveyor(source),
            let found = survey.adopt(for: surveyor, after: tracked[stream]?.adopted[measured])
        else { return }
        tracked[stream]?.adopted[measured] = found
        tracked[stream]?.tracker.estimator.radioMaps[measured] = found.radio?.map
    }

    /// - Parameter time: When the reading came that made the estimate due, on the clock of the stream.
    private mutating func send(_ estimate: PositionEstimate, at time: Double, of stream: Stream) {
        guard let estimator = tracked[stream]?.tracker.estimator else { return }
        if tracked[stream]?.isHeardByAdapter == true { setTracking(estimate.quality != .lost) }
        let isOfThisMachine = stream == .thisMachine
        // A recording is of another place or time.
        if isOfThisMachine { tracked[stream]?.lessons.teach(errors, estimate, by: estimator) }
        let adopted = tracked[stream]?.adopted
        let takenAt = [adopted?.device, adopted?.receivers].compactMap { $0?.radio?.takenAt }.max()
        send(
            .positionEstimated(
                .init(
                    estimate,
                    by: estimator,
                    isMoving: motion.update(with: estimate.position),
                    heardAt: isOfThisMachine ? time : clocks.steady(),
                    surveyTakenAt: takenAt
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
        let found = tracked.sorted { $0.key < $1.key }.flatMap(\.value.tracker.estimator.findings)
        guard found != findings else { return }
        findings = found
        for finding in found { logger.warning("beacons: \(finding)") }
        let list = found.prefix(5).map(\.description).joined(separator: "; ")
        send(.alert("beacon-health", .warning, found.isEmpty ? nil : list))
    }

    /// Asks for a new survey where a beacon is no longer heard as it was.
    private mutating func sendOutdated() {
        let changed = Set(
            tracked.values.map(\.tracker.estimator).filter(\.isSurveyed).flatMap(\.findings)
                .compactMap(\.changedBeacon)
        ).sorted()
        guard changed != outdated else { return }
        outdated = changed
        let names = changed.prefix(5).joined(separator: ", ")
        let problem = "\(names) \(changed.count == 1 ? "is" : "are") not heard as in the survey: survey again"
        send(.alert("survey-beacons", .warning, changed.isEmpty ? nil : problem))
    }

    /// Stores the estimated constant errors, and changes to another adapter's where it was replaced.
    package mutating func storeOffsets() {
        errors.save()
        for stream in tracked.keys {
            for measured in MeasurementSource.allCases { storeOffset(measured, stream) }
        }
    }

    private mutating func storeOffset(_ measured: MeasurementSource, _ stream: Stream) {
        guard let source = tracked[stream]?.sources[measured] else { return }
        let estimated = tracked[stream]?.tracker.estimator.offsets[measured]
        if let (name, offset) = tracked[stream]?.stored[measured], let estimated,
            offset.map({ abs($0 - estimated) >= Self.minimumChange }) ?? true
        {
            receivers.store(name, estimated)
            tracked[stream]?.stored[measured] = (name, estimated)
        }
        guard let name = receivers.name(source, measured), name != tracked[stream]?.stored[measured]?.name
        else { return }
        let offset = receivers.offset(name)
        tracked[stream]?.tracker.estimator.offsets[measured] = offset
        tracked[stream]?.stored[measured] = (name, offset)
    }
}
