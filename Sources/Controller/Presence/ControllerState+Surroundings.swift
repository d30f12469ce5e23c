import Flare

extension ControllerState {
    /// The zone that holds a point, and the nearest thing.
    func surroundings(
        of point: Point3D,
        _ settings: SteadyPresence.Settings
    ) -> SteadyPresence.Surroundings {
        let limit = ProximityLimit.metres(environmentData: environment?.data)
        var zone: FlareZone?
        for candidate in zones.values {
            guard let box = candidate.perimeter, box.contains(point) else { continue }
            if let best = zone, let area = best.perimeter?.area,
                (area, best.id) <= (box.area, candidate.id)
            {
                continue
            }
            zone = candidate
        }
        let metric = nearnessMetric
        let shares = zoneShares(at: point)
        var nearest: (id: FlareID, distance: Double)?
        for thing in things.values {
            // Most things are far in one direction alone: their zone, which says on which floor they are, is not looked up.
            guard let place = thing.position, abs(place.x - point.x) <= limit,
                abs(place.y - point.y) <= limit,
                let distance = metres(from: point, to: thing, metric), distance <= limit
            else { continue }
            if let best = nearest, (best.distance, best.id) <= (distance, thing.id) { continue }
            guard canBeNearby(thing) else { continue }
            nearest = (thing.id, distance)
        }
        return SteadyPresence.Surroundings(
            zone: zone?.id,
            isAroundZone: self.zone?.perimeter?.grown(by: settings.zoneMargin).contains(point) ?? false,
            shares: shares,
            nearest: nearest,
            thingDistance: nearby.flatMap { canBeNearby($0) ? metres(from: point, to: $0, metric) : nil },
            limit: limit
        )
    }

    /// How likely each zone is for a device at a point; `nil` if the point is not the estimate that they belong to.
    ///
    /// A change of less than a decimetre is not sent, so the point may be that of an earlier estimate.
    func zoneShares(at point: Point3D) -> ZoneShares? {
        guard let belief = fix?.zones, belief.position.distance(to: point) <= Self.farthestFromEstimate else {
            return nil
        }
        return belief.shares
    }

    /// Metres.
    private static var farthestFromEstimate: Double { 0.2 }
}
