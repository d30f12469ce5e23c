/// Determines a device's zone and nearest thing without flapping.
///
/// Position estimates scatter by a metre or two. A zone or thing is therefore left only beyond a margin, and
/// a new one must hold for several consecutive updates.
/// - Source: positioning 7.
package struct SteadyPresence: Sendable, Hashable {
    package struct Settings: Sendable, Hashable {
        /// How far outside of its zone a device still counts as inside, metres.
        package var zoneMargin = 0.5
        /// How far beyond the limit a thing may be before it is no longer near, metres.
        package var nearMargin = 0.5
        /// The same as a fraction of the limit; the larger of the two applies.
        package var nearMarginShare = 0.25
        /// How much nearer than the current thing another one must be to replace it, metres.
        package var nearerMargin = 0.5
        /// How many consecutive updates must agree.
        package var updates = 2

        package init() {}
    }

    /// The surroundings of a point.
    package struct Surroundings: Sendable, Hashable {
        /// The smallest zone that contains the point.
        package var zone: FlareID?
        /// Whether the point is in the current zone, enlarged by the margin; `false` when there is none.
        package var isAroundZone: Bool
        /// The nearest of all things within the limit.
        package var nearest: (id: FlareID, distance: Double)? {
            nearestID.map { ($0, nearestDistance) }
        }
        /// The distance of the current thing, metres; `nil` when there is none, or it has no position.
        package var thingDistance: Double?
        /// The distance within which a thing is near, metres.
        package var limit: Double
        private var nearestID: FlareID?
        private var nearestDistance: Double

        package init(
            zone: FlareID?,
            isAroundZone: Bool,
            nearest: (id: FlareID, distance: Double)?,
            thingDistance: Double?,
            limit: Double
        ) {
            self.zone = zone
            self.isAroundZone = isAroundZone
            nearestID = nearest?.id
            nearestDistance = nearest?.distance ?? 0
            self.thingDistance = thingDistance
            self.limit = limit
        }
    }

    /// The candidate that differs from the current state, and its consecutive updates.
    private struct Doubt: Sendable, Hashable {
        var value: FlareID?
        var count: Int
    }

    package private(set) var zone: FlareID?
    package private(set) var thing: FlareID?
    private var zoneDoubt: Doubt?
    private var thingDoubt: Doubt?

    package init(zone: FlareID? = nil, thing: FlareID? = nil) {
        self.zone = zone
        self.thing = thing
    }

    /// Whether a candidate differs from the current state.
    package var isInDoubt: Bool { zoneDoubt != nil || thingDoubt != nil }

    /// Applies an observation.
    /// - Parameter isExact: The position is no estimate: the observation applies at once.
    package mutating func update(
        _ seen: Surroundings,
        isExact: Bool = false,
        settings: Settings = Settings()
    ) {
        let needed = isExact ? 1 : max(1, settings.updates)
        let zoneSeen = !isExact && seen.isAroundZone ? zone : seen.zone
        Self.weigh(zoneSeen, against: &zone, &zoneDoubt, needed)
        let thingSeen = isExact ? seen.nearest?.id : self.thingSeen(seen, settings)
        Self.weigh(thingSeen, against: &thing, &thingDoubt, needed)
    }

    private func thingSeen(_ seen: Surroundings, _ settings: Settings) -> FlareID? {
        guard let thing, let distance = seen.thingDistance else { return seen.nearest?.id }
        let margin = max(settings.nearMargin, settings.nearMarginShare * seen.limit)
        guard distance <= seen.limit + margin else { return seen.nearest?.id }
        guard let nearest = seen.nearest, nearest.id != thing,
            nearest.distance < distance - settings.nearerMargin
        else { return thing }
        return nearest.id
    }

    private static func weigh(
        _ seen: FlareID?,
        against believed: inout FlareID?,
        _ doubt: inout Doubt?,
        _ needed: Int
    ) {
        guard seen != believed else {
            doubt = nil
            return
        }
        let count = doubt.map { $0.value == seen ? $0.count + 1 : 1 } ?? 1
        guard count < needed else {
            believed = seen
            doubt = nil
            return
        }
        doubt = Doubt(value: seen, count: count)
    }
}

extension Box {
    /// The box enlarged by some metres on every side.
    package func grown(by margin: Double) -> Box {
        Box(
            origin: Point3D(x: origin.x - margin, y: origin.y - margin, z: origin.z - margin),
            width: width + 2 * margin,
            height: height + 2 * margin,
            depth: depth + 2 * margin
        )
    }

    /// Area seen from above, square metres.
    package var area: Double { width * height }
}
