package import Flare

/// What somebody wants to see or change, with where it is now: a grant of what contains it counts.
package enum AccessObject: Sendable, Hashable {
    case thing(FlareID, zone: FlareID?, environment: FlareID?)
    case zone(FlareID, environment: FlareID?)
    case environment(FlareID)
    /// A group of things itself: for giving grants of it.
    case group(AccountID)
    /// Every environment, zone and thing, also those to come.
    case everything
    /// All devices.
    case devices
    /// A device of a daemon with several, by its node.
    case device(String)
    /// Users, groups, grants, and the program itself; needs `own all`, whatever access is asked for.
    case administration

    package init(_ thing: FlareThing) {
        self = .thing(thing.id, zone: thing.zone, environment: thing.environment)
    }

    package init(_ zone: FlareZone) { self = .zone(zone.id, environment: zone.environment) }

    /// What a scope is about, to be asked for; `nil` if it is gone.
    ///
    /// - Parameter place: Where an environment, zone or thing is now; `nil` if it is gone.
    package init?(_ scope: Scope, place: (Scope) -> AccessObject?) {
        switch scope {
        case .all: self = .everything
        case .devices: self = .devices
        case .device(let node): self = .device(node)
        case .group(let id): self = .group(id)
        case .environment, .zone, .thing:
            guard let object = place(scope) else { return nil }
            self = object
        }
    }
}

extension AccessObject {
    /// An environment, zone or thing with what contains it; `nil` for a device.
    package init?(_ reference: ObjectReference, zone: FlareID?, environment: FlareID?) {
        switch reference.kind {
        case .thing: self = .thing(reference.id, zone: zone, environment: environment)
        case .zone: self = .zone(reference.id, environment: environment)
        case .environment: self = .environment(reference.id)
        case .device: return nil
        }
    }
}
