import Flare

extension CommandDescriptor {
    /// The commands of every program: things, this device, the place and the daemon itself.
    package static let core: [CommandDescriptor] =
        [
            .nearbySet, .nearbySetAttribute, .nearbyAction, .thingSet, .thingSetAttribute, .thingAction,
            .thingGet, .zoneSet, .deviceSet, .environmentSet, .sensorSet,
        ]
        + [FlareClass.environment, .zone, .thing].flatMap { [.add($0), .edit($0), .remove($0)] }
        + [
            .snapshot, .ping, .refresh, .reload, .restart, .discovery, .environmentRequest, .explain,
            .logLevel,
        ]
}
