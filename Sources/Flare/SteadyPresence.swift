/// Determines a device's zone and nearest thing without flapping.
///
/// Position estimates scatter by a metre or two. A zone or thing is therefore left only beyond a margin, and
/// a new one must hold for several consecutive updates. Where it is known how likely each zone is, that decides
/// instead of the margin: near a wall, the mean of a belief may lie in a room that hardly anything speaks for.
/// - Source: contrib/contract/positioning.md, "7. Zones and the nearest thing".
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
        /// How many times as likely as the current zone another one must be to replace it, where shares are known.
        package var zoneLead = 1.5
        /// How many consecutive updates must agree.
        package var updates = 2
        /// The dimensions in which a thing must be near: 2 measures in the plane of a floor, 3 in space.
        package var nearDimensions = 2

        package init() {}
    }

    /// The surroundings of a point.
    package struct Surroundings: Sendable, Hashable {
        /// The smallest zone that contains the point.
        package var zone: FlareID?
        /// Whether the point is in the current zone, enlarged by the margin; `false` when there is none.
        package var isAroundZone: Bool
        /// How likely the device is in each zone; `nil` for a position that is no estimate of beacons.
        package var shares: ZoneShares?
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
            shares: ZoneShares? = nil,
            nearest: (id: FlareID, distance: Double)?,
            thingDistance: Double?,
            limit: Double
        ) {
            self.zone = zone
            self.isAroundZone = isAroundZone
            self.shares = shares
            nearestID = nearest?.id
            nearestDistance = nearest?.distance ?? 0
            self.thingDistance = thingDistance
            self.limit = limit
        }
    }

    /// An object that differs from the current one, and the number of consecutive updates that agree on it.
    package struct Candidate: Sendable, Hashable {
        /// `nil`: none.
        package var id: FlareID?
        package var updates: Int

        package init(id: FlareID?, updates: Int) {
            self.id = id
            self.updates = updates
        }
    }

    package private(set) var zone: FlareID?
    package private(set) var thing: FlareID?
    package private(set) var zoneCandidate: Candidate?
    package private(set) var thingCandidate: Candidate?

    package init(zone: FlareID? = nil, thing: FlareID? = nil) {
        self.zone = zone
        self.thing = thing
    }

    /// Whether a candidate differs from the current state.
    package var hasCandidate: Bool { zoneCandidate != nil || thingCandidate != nil }

    /// Applies an observation.
    /// - Parameter isExact: The position is no estimate: the observation applies at once.
    package mutating func update(
        _ seen: Surroundings,
        isExact: Bool = false,
        settings: Settings = Settings()
    ) {
        let needed = isExact ? 1 : max(1, settings.updates)
        let zoneSeen = isExact ? seen.zone : self.zoneSeen(seen, settings)
        Self.weigh(zoneSeen, against: &zone, &zoneCandidate, needed)
        let thingSeen = isExact ? seen.nearest?.id : self.thingSeen(seen, settings)
        Self.weigh(thingSeen, against: &thing, &thingCandidate, needed)
    }

    private func zoneSeen(_ seen: Surroundings, _ settings: Settings) -> FlareID? {
        guard let shares = seen.shares else { return seen.isAroundZone ? zone : seen.zone }
        let likeliest = shares.likeliest
        return shares[likeliest] > settings.zoneLead * shares[zone] ? likeliest : zone
    }

    private func thingSeen(_ seen: Surroundings, _ settings: Settings) -> FlareID? {
        guard let thing, let distance = seen.thingDistance else { return seen.nearest?.id }
        guard distance <= settings.leavingDistance(limit: seen.limit) else { return seen.nearest?.id }
        guard let nearest = seen.nearest, nearest.id != thing,
            nearest.distance < distance - settings.nearerMargin
        else { return thing }
        return nearest.id
    }

    private static func weigh(
        _ seen: FlareID?,
        against current: inout FlareID?,
        _ candidate: inout Candidate?,
        _ needed: Int
    ) {
        guard seen != current else {
            candidate = nil
            return
        }
        let updates = candidate.map { $0.id == seen ? $0.updates + 1 : 1 } ?? 1
        guard updates < needed else {
            current = seen
            candidate = nil
            return
        }
        candidate = Candidate(id: seen, updates: updates)
    }
}

extension SteadyPresence.Settings {
    /// The distance beyond which a near thing is no longer near, metres.
    /// - Parameter limit: The distance within which a thing becomes near, metres.
    package func leavingDistance(limit: Double) -> Double {
        limit + max(nearMargin, nearMarginShare * limit)
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

    /// How far outside of the box a point lies along the axis where it is furthest out, metres; 0 inside.
    ///
    /// A point is in ``grown(by:)`` exactly when this is at most the margin.
    package func excess(of point: Point3D) -> Double {
        max(
            0,
            max(origin.x - point.x, point.x - origin.x - width),
            max(origin.y - point.y, point.y - origin.y - height),
            max(origin.z - point.z, point.z - origin.z - depth)
        )
    }

    /// How far a point inside is from the nearest side as seen from above, metres.
    package func clearance(of point: Point3D) -> Double {
        min(
            min(point.x - origin.x, origin.x + width - point.x),
            min(point.y - origin.y, origin.y + height - point.y)
        )
    }
}
