import Flare
import Glibc

/// Where the device is, as a Bayes filter over the cells of a grid.
///
/// Each cell holds how likely the device stands or walks there. Once a second it spreads as people move, and is
/// multiplied with how likely what was heard is there: in dB, with heavy tails, with the receiver's constant error
/// estimated along. The estimate is the mean. With several floors each has a grid, and evidence decides.
/// - Source: positioning 6.
package struct GridEstimator: PositionEstimator {
    package var map: BeaconMap {
        didSet { if map != oldValue { take(map, instead: oldValue) } }
    }
    private let wanted: Settings
    private var settings: Settings
    private var plan: GridPlan
    private var grids: [FloorGrid]
    private var choice: FloorChoice
    private var signals: [BeaconSignal]
    private var health: [BeaconHealth]
    private var offset = ReceiverOffset()
    private var blur = Blur()
    /// What is heard at the moment, the same without one of them, and how strongly it is expected; kept for their
    /// memory.
    private var looks: [BeaconObservation] = []
    private var others: [BeaconObservation] = []
    private var expected: [Double]
    /// Which beacon's turn it is to be judged by the others.
    private var turn = 0

    private var clock: Double?
    private var heardAt = -Double.infinity
    /// Whether the grids know nothing.
    private var isBlank = true
    private var last: PositionEstimate?
    /// What does not average out of the last estimate.
    private var standing = Covariance(xx: 0, xy: 0, yy: 0)

    private static let mostSilence = 60.0
    private static let longestStep = 30.0
    private static let lostSeconds = 15.0
    private static let goodMetres = 4.0
    /// With fewer one does not know where one is.
    private static let leastWitnesses = 3
    /// Taken when neither the place nor the beacon tells the power at one metre, dBm.
    private static let usualPower = -59.0
    /// What a beacon may say of its own power, dBm; anything else is a mistake.
    private static let plausiblePowers = -100 ... -20

    /// How far people get in a step of so many seconds.
    private struct Blur: Sendable {
        var step = 0.0
        var walking = MotionBlur()
        var standing = MotionBlur()
    }

    package init(map: BeaconMap, settings: Settings = Settings()) {
        self.map = map
        wanted = settings
        self.settings = settings.merging(map.constants)
        plan = GridPlan(map, self.settings)
        grids = plan.makeGrids()
        choice = FloorChoice(floors: plan.floors.count)
        signals = Array(repeating: BeaconSignal(), count: map.beacons.count)
        health = Array(repeating: BeaconHealth(), count: map.beacons.count)
        expected = Array(repeating: 0, count: map.beacons.count)
        looks.reserveCapacity(FloorGrid.mostBeacons)
        others.reserveCapacity(FloorGrid.mostBeacons)
    }

    package var receiverOffset: Double? {
        get { offset.known }
        set { offset = newValue.map(ReceiverOffset.init(known:)) ?? ReceiverOffset() }
    }

    /// How many cells there are, over all floors.
    package var cells: Int { grids.reduce(0) { $0 + $1.area.count } }

    package var findings: [BeaconFinding] {
        zip(map.beacons, health).compactMap { $1.finding($0) }
    }

    package mutating func hear(_ sighting: BeaconSighting) {
        guard sighting.time.isFinite, BeaconSighting.isUsable(rssi: sighting.rssi),
            let index = map.index(of: sighting.identity), plan.isUsable[index]
        else { return }
        let said = sighting.powerAtOneMetre.flatMap { Self.plausiblePowers.contains($0) ? Double($0) : nil }
        let power = map.beacons[index].powerAtOneMetre ?? said ?? Self.usualPower
        signals[index].hear(Double(sighting.rssi) - power, at: sighting.time, settings)
    }

    package mutating func estimate(at time: Double) -> PositionEstimate? {
        guard time.isFinite else { return last }
        var step = clock.map { time - $0 } ?? 1
        if abs(step) > Self.longestStep {
            // The machine slept, or its clock was set.
            forget()
            if time < heardAt { heardAt = -.infinity }
            step = 1
        }
        guard step > 0 else { return last }
        clock = time
        look(at: time)
        guard !looks.isEmpty else { return silence(at: time, step) }
        predict(isBlank ? 1 : step)
        isBlank = false
        return hear(at: time, step)
    }
}

// MARK: A step

extension GridEstimator {
    /// Collects what is heard at a time; of too many the strongest.
    private mutating func look(at time: Double) {
        looks.removeAll(keepingCapacity: true)
        var latest = heardAt
        for (index, signal) in signals.enumerated() {
            guard let now = signal.look(at: time, settings) else { continue }
            latest = max(latest, min(signal.heardAt, time))
            let look = BeaconObservation(index, map.beacons[index].floor, now, settings)
            if looks.count < FloorGrid.mostBeacons {
                looks.append(look)
            } else if let weakest = looks.indices.min(by: { looks[$0].level < looks[$1].level }),
                looks[weakest].level < look.level
            {
                looks[weakest] = look
            }
        }
        heardAt = latest
    }

    private mutating func predict(_ step: Double) {
        if blur.step != step, let cell = grids.first?.area.cell {
            blur.step = step
            blur.walking.set(deviation: settings[.walkingBlur] * step.squareRoot() / cell)
            blur.standing.set(deviation: settings[.standingBlur] * step.squareRoot() / cell)
        }
        let starting = 1 - pow(1 - settings[.starting], step)
        let stopping = 1 - pow(1 - settings[.stopping], step)
        for floor in grids.indices {
            grids[floor].predict(
                starting: starting,
                stopping: stopping,
                walking: blur.walking,
                standing: blur.standing
            )
        }
    }

    private mutating func hear(at time: Double, _ step: Double) -> PositionEstimate? {
        let deviation = offset.deviation(settings)
        let decay = FloorChoice.decay(over: step)
        for floor in grids.indices {
            let likelihood = grids[floor].hear(looks, places: plan.places, conditions(on: floor))
            choice.note(likelihood, on: floor, decay: decay)
        }
        choice.decide(step: step)
        let belief = grids[choice.floor].believe(looks, expected: &expected)
        note(belief, step)
        judge()
        offset.learn(belief.offset, settings)
        standing = belief.standingError(
            looks,
            places: plan.places,
            height: grids[choice.floor].height,
            settings,
            offsetDeviation: deviation
        )
        let spread = belief.spread + standing
        let accuracy = spread.accuracyMetres
        guard belief.x.isFinite, belief.y.isFinite, accuracy.isFinite else {
            forget()
            return silence(at: time, step)
        }
        let estimate = PositionEstimate(
            position: Point3D(x: belief.x, y: belief.y, z: z()).roundedToCentimetres,
            accuracyMetres: (accuracy * 100).rounded() / 100,
            quality: looks.count < 3 ? .coarse : accuracy <= Self.goodMetres ? .good : .fair,
            beaconsHeard: looks.count,
            time: time,
            ellipse: spread.ellipse,
            floor: map.floors.heights.isEmpty ? nil : plan.floors[choice.floor]
        )
        last = estimate
        return estimate
    }

    private func conditions(on floor: Int) -> FloorGrid.Conditions {
        FloorGrid.Conditions(
            floor: plan.floors[floor],
            settings: settings,
            offset: offset.decibels,
            offsetDeviation: offset.deviation(settings)
        )
    }

    /// The last estimate stays and grows worse.
    /// - Source: positioning 6.6.
    private mutating func silence(at time: Double, _ step: Double) -> PositionEstimate? {
        guard var estimate = last else { return nil }
        let silence = time - heardAt
        if silence > Self.mostSilence { forget() }
        if !isBlank { predict(step) }
        estimate.time = time
        estimate.beaconsHeard = 0
        estimate.quality = silence >= Self.lostSeconds ? .lost : .coarse
        defer { last = estimate }
        guard grids.indices.contains(choice.floor) else { return estimate }
        let belief = grids[choice.floor].believe([], expected: &expected)
        let (dx, dy) = (belief.x - estimate.position.x, belief.y - estimate.position.y)
        let spread = belief.spread + Covariance(xx: dx * dx, xy: dx * dy, yy: dy * dy) + standing
        if spread.accuracyMetres > estimate.accuracyMetres {
            estimate.accuracyMetres = (spread.accuracyMetres * 100).rounded() / 100
            estimate.ellipse = spread.ellipse
        }
        return estimate
    }

    private mutating func forget() {
        guard !isBlank else { return }
        for floor in grids.indices { grids[floor].forget() }
        choice.forget()
        isBlank = true
    }

    /// Of the device: radio cannot tell it.
    /// - Source: positioning 6.7.
    private func z() -> Double {
        if settings.deviceZ != nil || !map.floors.heights.isEmpty { return grids[choice.floor].height }
        var (z, sum) = (0.0, 0.0)
        for look in looks {
            let weight = pow(10, look.level / 10) * look.share
            z += weight * plan.places[look.beacon].z
            sum += weight
        }
        return z / sum
    }

    /// Keeps an eye on the beacons.
    /// - Source: positioning 6.8.
    private mutating func note(_ belief: GridBelief, _ step: Double) {
        let conditions = conditions(on: choice.floor)
        for look in looks {
            let error = conditions.level(of: look) - expected[look.beacon] - belief.offset
            health[look.beacon].hear(error: error, for: step)
        }
        for index in signals.indices where signals[index].look(at: clock ?? 0, settings) == nil {
            let place = plan.places[index]
            let isMissed = looks.contains {
                $0.level > BeaconHealth.nearLevel && $0.floor == map.beacons[index].floor
                    && plan.places[$0.beacon].distance(to: place) <= BeaconHealth.neighbourhood
            }
            if isMissed { health[index].miss(for: step) }
        }
    }

    /// Has one beacon an update judged by the others, each in its turn.
    ///
    /// The position follows a beacon that is too loud, and so it does not stand out from it; from what the others say
    /// it does.
    private mutating func judge() {
        guard looks.count > Self.leastWitnesses else { return }
        turn = (turn + 1) % looks.count
        let look = looks[turn]
        others.removeAll(keepingCapacity: true)
        for (index, other) in looks.enumerated() where index != turn { others.append(other) }
        let said = grids[choice.floor].witness(
            of: look,
            others,
            places: plan.places,
            conditions(on: choice.floor)
        )
        health[look.beacon].judge(error: said.error, x: said.x, y: said.y)
    }
}

// MARK: The place

extension GridEstimator {
    /// Goes on with another map: what is known of beacons that stay is kept, and where the device is, if the plan
    /// of the place is still the same.
    private mutating func take(_ map: BeaconMap, instead old: BeaconMap) {
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
        settings = wanted.merging(map.constants)
        plan = GridPlan(map, settings)
        signals = map.beacons.map { signalOf[$0.thing] ?? BeaconSignal() }
        health = map.beacons.map { beacon in
            healthOf[beacon.thing].flatMap { $0 == beacon ? $1 : nil } ?? BeaconHealth()
        }
        expected = Array(repeating: 0, count: map.beacons.count)
        blur = Blur()
        var grids = plan.makeGrids()
        if map.environment == old.environment, plan.hasCells(of: before) {
            for (floor, grid) in self.grids.enumerated() { grids[floor].keepBelief(of: grid) }
        } else {
            choice = FloorChoice(floors: plan.floors.count)
            isBlank = true
        }
        self.grids = grids
    }
}
