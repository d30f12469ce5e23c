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
        var nearest: (id: FlareID, distance: Double)?
        for thing in things.values {
            guard let distance = metres(from: point, to: thing, metric), distance <= limit else {
                continue
            }
            if let best = nearest, (best.distance, best.id) <= (distance, thing.id) { continue }
            nearest = (thing.id, distance)
        }
        return SteadyPresence.Surroundings(
            zone: zone?.id,
            isAroundZone: self.zone?.perimeter?.grown(by: settings.zoneMargin).contains(point) ?? false,
            nearest: nearest,
            thingDistance: nearby.flatMap { metres(from: point, to: $0, metric) },
            limit: limit
        )
    }
}
