package import Controller
import Flare
package import Positioning
package import Receivers
package import Sensing

/// Where further devices are, from what receivers report of them: an estimator for each that is heard.
package struct DeviceEstimates: Sendable {
    /// An estimate, and whose.
    package struct Estimate: Sendable {
        package let node: String
        package let event: ControllerEvent
    }

    private struct Tracked: Sendable {
        var tracker: PositionTracker
        var motion = MotionDetector()
        var heardAt: Double
        var lessons = ReceiverLessons()
    }

    /// A device that is silent for so long has no position, and costs nothing until it is heard again; seconds.
    private static let patience = 90.0

    package var makeEstimator: @Sendable (BeaconMap) -> any PositionEstimator {
        didSet { (tracked, blank) = ([:], nil) }
    }
    private let cipher: BlockCipher
    private var list = DeviceList()
    private var resolver: AddressResolver
    private var nodesOfKeys: [String] = []
    private var joiner: SightingJoiner?
    private let errors: LearntReceiverErrors
    private let survey: SurveyChannel?
    private var adopted: SurveyChannel.Adopted?
    private var tracked: [String: Tracked] = [:]
    /// The estimator that each device begins with: what all of them expect of the receivers is in memory once.
    private var blank: (any PositionEstimator)?
    private var switchedOff: Set<String> = []

    package init(
        cipher: @escaping BlockCipher,
        errors: LearntReceiverErrors = LearntReceiverErrors(),
        survey: SurveyChannel? = nil,
        makeEstimator: @escaping @Sendable (BeaconMap) -> any PositionEstimator
    ) {
        (self.errors, self.survey) = (errors, survey)
        (self.cipher, self.makeEstimator) = (cipher, makeEstimator)
        resolver = AddressResolver([], cipher: cipher)
    }

    /// Whether any device was heard lately, so that ``tick(at:)`` has something to do.
    package var isActive: Bool { !tracked.isEmpty }

    /// Receivers that no thing of the environment has, by name.
    package var unknownReceivers: Set<String> { joiner?.unknownReceivers ?? [] }

    /// Uses another list; devices that stay keep what is known of them.
    package mutating func use(_ new: DeviceList) {
        var new = new
        new.nameKeys(cipher)
        let keys = new.keys.map { $0.key }
        if keys != list.keys.map({ $0.key }) { resolver = AddressResolver(keys, cipher: cipher) }
        nodesOfKeys = new.keys.map { $0.node }
        list = new
        tracked = tracked.filter { new[node: $0.key] != nil }
        switchedOff = switchedOff.filter { new[node: $0] != nil }
    }

    /// Forgets where a device was, and that its estimates were switched off.
    package mutating func forget(_ node: String) {
        tracked[node] = nil
        switchedOff.remove(node)
    }

    /// Uses the beacons and receivers of another place; `nil` for none.
    package mutating func enter(_ map: BeaconMap?) {
        guard let map else {
            (joiner, tracked, blank) = (nil, [:], nil)
            return
        }
        guard joiner?.map != map else { return }
        blank = nil
        if joiner == nil { joiner = SightingJoiner(map: map) } else { joiner?.map = map }
        errors.enter(map.receiverNames)
        for node in tracked.keys { tracked[node]?.tracker.estimator.map = map }
    }

    /// Whether receivers' reports of a device count.
    package mutating func setSwitch(of node: String, on: Bool) {
        if on {
            switchedOff.remove(node)
        } else if switchedOff.insert(node).inserted {
            tracked[node] = nil
        }
    }

    /// The node of the device that a report is about; `nil` if it is nobody's that is listed.
    package mutating func node(of report: DeviceReport, at now: Double) -> String? {
        if let known = list.device(heardAs: HeardID(reported: report.id), address: report.address) {
            return known.node
        }
        guard !nodesOfKeys.isEmpty, let address = report.address else { return nil }
        // A receiver does not say whether an address is random; one that is not has no key that fits.
        guard case .key(let number) = resolver.resolve(DeviceAddress(bits: address, isRandom: true), at: now),
            nodesOfKeys.indices.contains(number)
        else { return nil }
        return nodesOfKeys[number]
    }

    /// A receiver has reported a device.
    ///
    /// - Parameter now: When the message came, seconds on the steady clock.
    package mutating func record(_ report: DeviceReport, at now: Double) -> [Estimate] {
        guard let node = node(of: report, at: now), !switchedOff.contains(node),
            let sighting = report.sighting(at: now)
        else { return [] }
        adoptSurvey()
        // The levels of a survey contain the error.
        let isSurveyed = tracked[node]?.tracker.estimator.surveyed.receivers ?? false
        let correction = isSurveyed ? 0 : errors.correction(of: sighting.receiver)
        guard let joined = joiner?.join(sighting, correction: correction) else { return [] }
        if tracked[node] == nil, let map = joiner?.map {
            tracked[node] = Tracked(tracker: PositionTracker(estimator: blankEstimator(map)), heardAt: now)
        }
        tracked[node]?.heardAt = now
        // In place: a copy of an estimator is large.
        let estimates = tracked[node]?.tracker.record(joined) ?? []
        return estimates.compactMap { event($0, of: node, at: now) }
    }

    /// Uses what the survey has found out since.
    private mutating func adoptSurvey() {
        guard let found = survey?.adoptForOthers(after: adopted) else { return }
        (adopted, blank) = (found, nil)
        for node in tracked.keys { tracked[node]?.tracker.estimator.radioMaps.receivers = found.radio?.map }
    }

    private mutating func blankEstimator(_ map: BeaconMap) -> any PositionEstimator {
        if let blank { return blank }
        var new = makeEstimator(map)
        new.radioMaps.receivers = adopted?.radio?.map
        if var grid = new as? GridEstimator {
            grid.expectReceivers()
            new = grid
        }
        blank = new
        return new
    }

    /// Those that were heard lately, sorted.
    package var heardNodes: [String] { tracked.keys.sorted() }

    /// A second has passed.
    package mutating func tick(at now: Double) -> [Estimate] { heardNodes.flatMap { advance($0, to: now) } }

    /// What is estimated of a device although nobody reports it; one by one, so that no device waits for all others.
    package mutating func advance(_ node: String, to now: Double) -> [Estimate] {
        let estimates = tracked[node]?.tracker.advance(to: now) ?? []
        let events = estimates.compactMap { event($0, of: node, at: now) }
        if let heardAt = tracked[node]?.heardAt, now - heardAt > Self.patience { tracked[node] = nil }
        return events
    }

    /// Seconds until the next tick: in the middle between two estimates, when those that receivers hear have had theirs with
    /// the first report of the second.
    package static func pause(at now: Double) -> Double {
        let phase = now - now.rounded(.down)
        return phase < 0.5 ? 0.5 - phase : 1.5 - phase
    }

    private mutating func event(_ estimate: PositionEstimate, of node: String, at now: Double) -> Estimate? {
        guard let estimator = tracked[node]?.tracker.estimator, var lessons = tracked[node]?.lessons else {
            return nil
        }
        lessons.teach(errors, estimate, by: estimator)
        tracked[node]?.lessons = lessons
        let isMoving = tracked[node]?.motion.update(with: estimate.position) ?? false
        return Estimate(
            node: node,
            event: .positionEstimated(
                .init(
                    estimate,
                    by: estimator,
                    isMoving: isMoving,
                    heardAt: now,
                    surveyTakenAt: adopted?.radio?.takenAt
                )
            )
        )
    }
}
