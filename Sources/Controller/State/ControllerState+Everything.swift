import Flare

extension ControllerState {
    /// Every part of the state as a change, for a new observer.
    package var everything: Set<StateChange> {
        var changes: Set<StateChange> = [
            .environment, .zone, .nearby, .device, .position, .angle, .location, .link,
        ]
        changes.formUnion(SensorKind.allCases.map { .sensor($0) })
        changes.formUnion(alerts.keys.map { .alert($0) })
        changes.formUnion(slices.everything)
        if !nodes.isEmpty { changes.insert(.devices) }
        changes.formUnion(beacons.keys.map { .beacon($0) })
        changes.formUnion(environments.keys.map { .object(ObjectReference(.environment, $0)) })
        changes.formUnion(zones.keys.map { .object(ObjectReference(.zone, $0)) })
        changes.formUnion(things.keys.map { .object(ObjectReference(.thing, $0)) })
        return changes
    }
}
