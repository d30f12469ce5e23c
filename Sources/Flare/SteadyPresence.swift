/// Which zone a device is in and which thing it is near, without flapping.
///
/// Estimates of a place scatter by a metre or two. So what is true has to be left by a margin, and what is new has to
/// hold for some updates in a row before it is believed.
/// - Source: positioning 7.
package struct SteadyPresence: Sendable, Hashable {
    package struct Settings: Sendable, Hashable {
        /// How far out of its zone a device still counts as inside, metres.
        package var zoneMargin = 0.5
        /// How much further than the limit a thing may be before it is no longer near, metres.
        package var nearMargin = 0.5
        /// The same as a share of the limit; the larger of the two counts.
        package var nearMarginShare = 0.25
        /// How much nearer than the nearby thing another one must be to take its place, metres.
        package var nearerMargin = 0.5
        /// How many updates in a row must say the same.
        package var updates = 2

        package init() {}
    }

    /// What is around a device, as seen from one point.
    package struct Surroundings: Sendable, Hashable {
        /// The smallest zone that holds the point.
        package var zone: FlareID?
        /// Whether the point is in the current zone, grown by the margin; false when there is none.
        package var isAroundZone: Bool
        /// The nearest of all things within the limit.
        package var nearest: (id: FlareID, distance: Double)? {
            nearestID.map { ($0, nearestDistance) }
        }
        /// How far the current thing is, metres; `nil` when there is none, or it has no place.
        package var thingDistance: Double?
        /// Within which a thing is near, metres.
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

    /// What was seen instead of what is believed, and how often in a row.
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

    /// Whether something else was seen that is not believed yet.
    package var isInDoubt: Bool { zoneDoubt != nil || thingDoubt != nil }

    /// Takes in what was seen.
    /// - Parameter isExact: The point is no estimate: what is seen is so.
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
    /// The same box, larger by so many metres on every side.
    package func grown(by margin: Double) -> Box {
        Box(
            origin: Point3D(x: origin.x - margin, y: origin.y - margin, z: origin.z - margin),
            width: width + 2 * margin,
            height: height + 2 * margin,
            depth: depth + 2 * margin
        )
    }

    /// Seen from above, square metres.
    package var area: Double { width * height }
}
