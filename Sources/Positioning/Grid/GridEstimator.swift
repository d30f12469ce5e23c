package import Flare
import Glibc

/// Estimates the device's position with a Bayes filter over the cells of a grid.
///
/// Each cell holds the probability that the device stands or walks there. Once a second the belief spreads as
/// people move, and is multiplied by the likelihood of the received levels: in dB, with heavy tails, and with
/// the constant error of each source estimated along. The estimate is the mean. Each floor has its own grid, and
/// accumulated evidence chooses between them.
/// - Source: contrib/contract/positioning.md, "6. The grid estimator".
package struct GridEstimator: PositionEstimator {
    package var map: BeaconMap {
        didSet { if map != oldValue { mapChanged(from: oldValue) } }
    }
    /// What a survey of this place found out; ``surveyed`` says whether it counts.
    package var radioMaps = BySource<RadioMap?>(nil, nil) { didSet { adoptRadioMaps() } }
    private let baseSettings: Settings
    private var settings: Settings
    /// The same on floors with a survey.
    private var surveyedSettings: Settings
    private var plan: GridPlan
    private var grids: [FloorGrid]
    private var zoneCells: ZoneCells
    private var choice: FloorChoice
    private var signals: [BeaconSignal]
    private var health: [BeaconHealth]
    private var errors = BySource(ReceiverOffset(), ReceiverOffset())
    private var motion = PeopleMotion()
    /// What was said last about moving.
    private var flag: MotionFlag?
    /// The current observations, the same without one of them, and the expected levels: to reuse their memory.
    private var observations: [BeaconObservation] = []
    private var others: [BeaconObservation] = []
    private var expected: [Double]
    /// What the last update found of the constant error of receivers, dB.
    private var offsetOfReceivers = 0.0
    private var variances: [Double]
    /// Index of the observation to cross-check next.
    private var crossCheckIndex = 0

    private var clock: Double?
    private var heardAt = -Double.infinity
    /// Whether the grids hold no information.
    private var isBlank = true
    private var last: PositionEstimate?
    /// The part of the last estimate's error that does not average out.
    private var standing = Covariance(xx: 0, xy: 0, yy: 0)

    private static let mostSilence = 60.0
    private static let longestStep = 30.0
    private static let lostSeconds = 15.0
    private static let goodMetres = 4.0
    private static let recentSeconds = 5.0
    /// Fewer other beacons than this do not determine a position.
    private static let leastOthers = 3

    package init(map: BeaconMap, settings: Settings = Settings()) {
        self.map = map
        baseSettings = settings
        self.settings = settings.merging(map.constants)
        surveyedSettings = self.settings.surveyed
        plan = GridPlan(map, self.settings)
        grids = plan.makeGrids()
        zoneCells = ZoneCells(map, plan)
        choice = FloorChoice(floors: plan.floors.count)
        signals = Array(repeating: BeaconSignal(), count: map.beacons.count)
        health = Array(repeating: BeaconHealth(), count: map.beacons.count)
        expected = Array(repeating: 0, count: map.beacons.count)
        variances = Array(repeating: 0, count: map.beacons.count)
        observations.reserveCapacity(FloorGrid.mostBeacons)
        others.reserveCapacity(FloorGrid.mostBeacons)
    }

    package var offsets: BySource<Double?> {
        get { errors.map(\.known) }
        set {
            // What one source has learnt does not depend on the other.
            for source in MeasurementSource.allCases where newValue[source] != errors[source].known {
                errors[source] = newValue[source].map(ReceiverOffset.init(known:)) ?? ReceiverOffset()
            }
        }
    }

    package var counted: [FlareID: BeaconReports.Report] {
        observations.reduce(into: [:]) { found, observation in
            let signal = signals[observation.beacon]
            found[map.beacons[observation.beacon].thing] =
                BeaconReports.Report(rssi: signal.rssi, heardAt: signal.heardAt)
        }
    }

    package var zoneShares: ZoneShares? { zoneCells.shares }

    package var receiverErrors: [ReceiverError] {
        guard !surveyed.receivers else { return [] }
        let conditions = conditions(on: choice.floor)
        return observations.of(.receivers).filter(isRecent).compactMap { observation in
            map.beacons[observation.beacon].receiver.map { name in
                let error = conditions.level(of: observation) - expected[observation.beacon]
                return ReceiverError(receiver: name, decibels: error - offsetOfReceivers)
            }
        }
    }

    /// The number of cells over all floors.
    package var cells: Int { grids.reduce(0) { $0 + $1.area.count } }

    package var findings: [BeaconFinding] {
        zip(map.beacons, health).compactMap { $1.finding($0) }
    }

    package mutating func record(_ sighting: BeaconSighting) {
        guard let (index, level) = map.level(of: sighting), plan.isUsable[index] else { return }
        signals[index].record(level, at: sighting.time, settings)
        signals[index].rssi = sighting.rssi
    }

    package mutating func record(_ flag: MotionFlag) { self.flag = flag }

    /// Computes the levels that receivers would have in each cell, so that copies of this estimator share them.
    package mutating func expectReceivers() {
        let receivers = map.beacons.indices.filter { map.beacons[$0].receiver != nil && plan.isUsable[$0] }
        for floor in grids.indices {
            grids[floor].expectReceivers(receivers, places: plan.places, settings(on: floor))
        }
    }

    package mutating func estimate(at time: Double) -> PositionEstimate? {
        guard time.isFinite else { return last }
        var step = clock.map { time - $0 } ?? 1
        if abs(step) > Self.longestStep {
            // The machine was suspended, or its clock was set.
            reset()
            if time < heardAt { heardAt = -.infinity }
            step = 1
        }
        guard step > 0 else { return last }
        clock = time
        collectObservations(at: time)
        guard !observations.isEmpty else { return estimateInSilence(at: time, step) }
        predict(isBlank ? 1 : step)
        isBlank = false
        return update(at: time, step)
    }
}

// MARK: Steps

extension GridEstimator {
    /// Collects the current observations; if there are too many, the strongest.
    private mutating func collectObservations(at time: Double) {
        observations.removeAll(keepingCapacity: true)
        var latest = heardAt
        for (index, signal) in signals.enumerated() {
            guard let average = signal.average(at: time, settings) else { continue }
            latest = max(latest, min(signal.heardAt, time))
            let observation = BeaconObservation(
                index,
                map.beacons[index].source,
                map.beacons[index].floor,
                average,
                doubt: isSurveyed ? health[index].doubt : 0,
                settings
            )
            if observations.count < FloorGrid.mostBeacons {
                observations.append(observation)
            } else if let weakest = observations.indices.min(by: {
                observations[$0].level < observations[$1].level
            }),
                observations[weakest].level < observation.level
            {
                observations[weakest] = observation
            }
        }
        observations.groupBySource()
        heardAt = latest
    }

    private mutating func predict(_ step: Double) {
        guard let cell = grids.first?.area.cell else { return }
        motion.set(step: step, cell: cell, settings)
        let flag = flag.flatMap { $0.isFresh(at: clock ?? .nan) ? $0 : nil }
        for floor in grids.indices {
            grids[floor].predict(motion, MotionChances(step: step, settings(on: floor)))
            guard let flag else { continue }
            let trust = settings(on: floor)[.motionFlag]
            grids[floor].weigh(walking: flag.isMoving ? trust : 1 - trust)
        }
    }

    private func settings(on floor: Int) -> Settings {
        grids[floor].isSurveyed ? surveyedSettings : settings
    }

    private mutating func update(at time: Double, _ step: Double) -> PositionEstimate? {
        let deviations = errors.map { $0.deviation(settings) }
        let decay = FloorChoice.decay(over: step)
        for floor in grids.indices {
            let likelihood = grids[floor].update(
                with: observations,
                places: plan.places,
                conditions(on: floor)
            )
            choice.add(likelihood, to: floor, decay: decay)
        }
        choice.decide(step: step)
        let belief = grids[choice.floor].belief(for: observations, expected: &expected)
        updateHealth(belief, step)
        crossCheckNext()
        errors.learn(belief.offsets, from: observations, settings)
        grids[choice.floor].variances(of: observations, x: belief.x, y: belief.y, into: &variances)
        standing = belief.standingError(
            observations,
            places: plan.places,
            height: grids[choice.floor].height,
            settings(on: choice.floor),
            exponents: grids[choice.floor].radio.map { $0?.line.exponent ?? settings[.pathLoss] },
            deviations: deviations,
            surveyed: grids[choice.floor].isSurveyed ? variances : nil
        )
        let spread = belief.spread + standing
        let accuracy = spread.accuracyMetres
        guard belief.x.isFinite, belief.y.isFinite, accuracy.isFinite else {
            reset()
            return estimateInSilence(at: time, step)
        }
        let estimate = PositionEstimate(
            position: Point3D(x: belief.x, y: belief.y, z: z()).roundedToCentimetres,
            accuracyMetres: (accuracy * 100).rounded() / 100,
            quality: observations.count < 3 ? .coarse : accuracy <= Self.goodMetres ? .good : .fair,
            beaconsHeard: observations.count,
            time: time,
            floor: map.floors.heights.isEmpty ? nil : plan.floors[choice.floor]
        )
        last = estimate
        zoneCells.update(grids[choice.floor], floor: choice.floor)
        return estimate
    }

    private func conditions(on floor: Int) -> FloorGrid.Conditions {
        FloorGrid.Conditions(floor: plan.floors[floor], settings: settings(on: floor), errors)
    }

    /// The last estimate with growing uncertainty, while nothing is received.
    /// - Source: contrib/contract/positioning.md, "6.6 Few beacons, none, and loss".
    private mutating func estimateInSilence(at time: Double, _ step: Double) -> PositionEstimate? {
        guard var estimate = last else { return nil }
        let silence = time - heardAt
        if silence > Self.mostSilence { reset() }
        if !isBlank { predict(step) }
        estimate.time = time
        estimate.beaconsHeard = 0
        estimate.quality = silence >= Self.lostSeconds ? .lost : .coarse
        defer { last = estimate }
        guard grids.indices.contains(choice.floor) else { return estimate }
        let belief = grids[choice.floor].belief(for: [], expected: &expected)
        let (dx, dy) = (belief.x - estimate.position.x, belief.y - estimate.position.y)
        let spread = belief.spread + Covariance(xx: dx * dx, xy: dx * dy, yy: dy * dy) + standing
        if spread.accuracyMetres > estimate.accuracyMetres {
            estimate.accuracyMetres = (spread.accuracyMetres * 100).rounded() / 100
        }
        return estimate
    }

    private mutating func reset() {
        guard !isBlank else { return }
        for floor in grids.indices { grids[floor].reset() }
        choice.reset()
        isBlank = true
    }

    /// Height of the device, metres; received levels do not determine it.
    /// - Source: contrib/contract/positioning.md, "6.7 Height and floors".
    private func z() -> Double {
        if settings.deviceZ != nil || !map.floors.heights.isEmpty { return grids[choice.floor].height }
        var (z, sum) = (0.0, 0.0)
        for observation in observations {
            let weight = pow(10, observation.level / 10) * observation.share
            z += weight * plan.places[observation.beacon].z
            sum += weight
        }
        return z / sum
    }

    /// Updates the health of every beacon.
    /// - Source: contrib/contract/positioning.md, "6.8 Health".
    private mutating func updateHealth(_ belief: GridBelief, _ step: Double) {
        offsetOfReceivers = belief.offsets.receivers
        let conditions = conditions(on: choice.floor)
        for observation in observations where isRecent(observation) {
            let error =
                conditions.level(of: observation) - expected[observation.beacon]
                - belief.offsets[observation.source]
            health[observation.beacon].recordReceived(error: error, for: step)
        }
        // Without a near one none is missed, and most places have many that are silent.
        guard observations.contains(where: { $0.level > BeaconHealth.nearLevel }) else { return }
        for index in signals.indices where signals[index].average(at: clock ?? 0, settings) == nil {
            let place = plan.places[index]
            let isMissed = observations.contains {
                $0.level > BeaconHealth.nearLevel && $0.floor == map.beacons[index].floor
                    && plan.places[$0.beacon].distance(to: place) <= BeaconHealth.neighbourhood
            }
            if isMissed { health[index].recordMissed(for: step) }
        }
    }

    /// Whether a beacon was heard lately: a walker has left the place of an older packet.
    private func isRecent(_ observation: BeaconObservation) -> Bool {
        (clock ?? 0) - signals[observation.beacon].heardAt <= Self.recentSeconds
    }

    /// Cross-checks one beacon an update against the others, in turn.
    ///
    /// The position follows a beacon that is too strong, which hides its error; a prediction from the other
    /// beacons shows it.
    private mutating func crossCheckNext() {
        guard observations.count > Self.leastOthers else { return }
        crossCheckIndex = (crossCheckIndex + 1) % observations.count
        let observation = observations[crossCheckIndex]
        guard isRecent(observation) else { return }
        others.removeAll(keepingCapacity: true)
        for (index, other) in observations.enumerated() where index != crossCheckIndex && isRecent(other) {
            others.append(other)
        }
        // Those of the other source say nothing of the constant error of this one.
        guard others.of(observation.source).count >= Self.leastOthers else { return }
        let result = grids[choice.floor].crossCheck(
            observation,
            against: others,
            places: plan.places,
            conditions(on: choice.floor)
        )
        health[observation.beacon].recordCrossCheck(error: result.error, x: result.x, y: result.y)
    }
}

// MARK: Changing the map

extension GridEstimator {
    /// Adopts a new map, keeps the state of the beacons that remain, and the belief if the cells are the
    /// same.
    private mutating func mapChanged(from old: BeaconMap) {
        // They name beacons by their index.
        observations.removeAll(keepingCapacity: true)
        var signalOf: [FlareID: BeaconSignal] = [:]
        var healthOf: [FlareID: (BeaconMap.Beacon, BeaconHealth)] = [:]
        if map.environment == old.environment {
            for (index, beacon) in old.beacons.enumerated() {
                signalOf[beacon.thing] = signals[index]
                healthOf[beacon.thing] = (beacon, health[index])
            }
        } else {
            last = nil
        }
        let before = plan
        settings = baseSettings.merging(map.constants)
        surveyedSettings = settings.surveyed
        plan = GridPlan(map, settings)
        signals = map.beacons.map { signalOf[$0.thing] ?? BeaconSignal() }
        health = map.beacons.map { beacon in
            healthOf[beacon.thing].flatMap { $0 == beacon ? $1 : nil } ?? BeaconHealth()
        }
        expected = Array(repeating: 0, count: map.beacons.count)
        variances = Array(repeating: 0, count: map.beacons.count)
        motion = PeopleMotion()
        zoneCells = ZoneCells(map, plan)
        var grids = plan.makeGrids()
        if map.environment == old.environment, plan.hasCells(of: before) {
            for (floor, grid) in self.grids.enumerated() { grids[floor].copyBelief(of: grid) }
        } else {
            choice = FloorChoice(floors: plan.floors.count)
            isBlank = true
        }
        self.grids = grids
        adoptRadioMaps()
    }

    package var surveyed: BySource<Bool> {
        guard grids.indices.contains(choice.floor) else { return BySource(false, false) }
        return grids[choice.floor].radio.map { $0 != nil }
    }

    /// Uses the radio maps where they are of this place and of these cells.
    private mutating func adoptRadioMaps() {
        for floor in grids.indices {
            func radio(_ source: MeasurementSource) -> FloorRadio? {
                radioMaps[source]?.radio(of: source, onFloor: plan.floors[floor], of: map, plan)
            }
            let found = BySource(radio(.device), radio(.receivers))
            let isSurveyed = found.device != nil || found.receivers != nil
            if isSurveyed || grids[floor].isSurveyed { grids[floor].adopt(found) }
        }
    }
}
