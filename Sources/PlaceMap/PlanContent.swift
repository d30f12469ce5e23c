import Flare

/// The content of the plan, ordered by identifier: the current floor.
struct PlanContent {
    let zones: [(id: FlareID, zone: PlanZone)]
    let things: [(id: FlareID, thing: PlanThing)]
    /// The area that the plan must show; `nil` when nothing has a position.
    let bounds: PlaneBounds?

    init(_ picture: PlacePicture) {
        let floors = Floors(zonesFrom: picture.zones.values.lazy.map(\.box.origin.z))
        let zoneHere = picture.zoneID.flatMap { picture.zones[$0] }
        let height = zoneHere?.box.origin.z ?? picture.device?.position.z ?? -.infinity
        let floor = floors.floor(at: height)
        zones = picture.zones.filter { floors.floor(at: $0.value.box.origin.z) == floor }
            .sorted { $0.key < $1.key }.map { (id: $0.key, zone: $0.value) }

        let shown = Set(zones.map(\.id))
        let onFloor = picture.things.filter { _, thing in
            thing.zone.map { shown.contains($0) || picture.zones[$0] == nil } ?? true
        }
        let bounds = Self.bounds(
            rooms: zones.map { PlaneBounds($0.zone.box) }.union,
            outline: picture.environment?.perimeter,
            things: onFloor.values.map(\.position),
            device: picture.device?.position
        )
        self.bounds = bounds
        things = onFloor.filter { bounds?.contains($0.value.position) ?? false }
            .sorted { $0.key < $1.key }.map { (id: $0.key, thing: $0.value) }
    }

    private static func bounds(
        rooms: PlaneBounds?,
        outline: Box?,
        things: [Point3D],
        device: Point3D?
    ) -> PlaneBounds? {
        var base = rooms
        if let outline, outline.isDrawable {
            let bounds = PlaneBounds(outline)
            // A wrong perimeter would shrink the zones to a dot.
            let isPlausible = rooms.map { bounds.longerSide <= 10 * $0.longerSide } ?? true
            if isPlausible { base = rooms?.union(bounds) ?? bounds }
        }
        guard let base else {
            let points = (things + (device.map { [$0] } ?? [])).map { PlaneBounds($0) }
            return points.union.map { $0.grown(by: 1 + $0.longerSide / 10) }
        }
        // Things outside are included, unless they are far away.
        let surroundings = base.grown(by: base.longerSide)
        let beside = things.filter { surroundings.contains($0) && !base.contains($0) }
        return (beside.map { PlaneBounds($0).grown(by: 0.5) } + [base]).union
    }

    /// The first things, and always the nearby one.
    func things(limit: Int, nearby: FlareID?) -> [(id: FlareID, thing: PlanThing)] {
        let first = things.prefix(limit)
        guard limit > 0, let last = things.dropFirst(limit).first(where: { $0.id == nearby }) else {
            return Array(first)
        }
        return first.dropLast() + [last]
    }
}
