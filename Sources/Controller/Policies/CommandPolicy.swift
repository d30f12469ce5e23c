package import Flare
package import People
package import Things

/// Allows or refuses a requested change, before the change is validated.
///
/// Policies are checked in a fixed order, for commands from every interface and for changes by clients of the
/// embedded Flare server. The first refusal wins.
package protocol CommandPolicy: Sendable {
    func decide(_ request: ChangeRequest, in state: ControllerState) -> PolicyDecision

    /// Whether ``decide(_:in:)`` allows the request, without the reason why not.
    func allows(_ request: ChangeRequest, in state: ControllerState) -> Bool
}

extension CommandPolicy {
    package func allows(_ request: ChangeRequest, in state: ControllerState) -> Bool {
        decide(request, in: state) == .allow
    }
}

/// A policy's decision about a request.
package enum PolicyDecision: Sendable, Hashable {
    case allow
    case refuse(Refusal)
}

/// A request to change or read something, from any client, in the form that policies check.
package struct ChangeRequest: Sendable, Hashable {
    package enum Kind: Sendable, Hashable {
        /// New values for these attributes of a thing or zone.
        case set([String])
        /// An action of a thing, by name.
        case action(String)
        /// A new position.
        case move
        /// A change to other fields of an object, such as its name.
        case edit
        case remove
        /// Makes an environment.
        case found
        /// Reads a thing without changing it.
        case read
        /// A level of the lifecycle, which decides what a kiosk may do.
        case level
        /// A sensor switch, the lifecycle but for its level, or a request to the daemon itself.
        case control
        /// Another environment, or the place once more: it concerns all devices.
        case place
        /// A ping, or the state once more: everybody may ask.
        case ping
        /// A request that concerns the whole daemon: reload, restart, the level of the log.
        case administer
    }

    package var actor: Command.Actor
    /// Who asks; `nil` if nobody is identified.
    package var caller: Caller?
    /// Milliseconds since 1970, UTC: rights begin and end.
    package var at: Int64
    package var kind: Kind
    /// The object to change; `nil` for the daemon itself.
    package var object: ObjectReference?
    /// The zone and the environment that the object belongs to.
    package var zone: FlareID?
    package var environment: FlareID?
    /// Names of the object and its zone, for objects without slugs in an environment never visited.
    package var name: String?
    package var zoneName: String?

    package init(
        actor: Command.Actor,
        caller: Caller? = nil,
        at: Int64 = 0,
        kind: Kind,
        object: ObjectReference? = nil,
        zone: FlareID? = nil,
        environment: FlareID? = nil,
        name: String? = nil,
        zoneName: String? = nil
    ) {
        (self.actor, self.caller, self.at) = (actor, caller, at)
        (self.kind, self.object, self.zone, self.environment) = (kind, object, zone, environment)
        (self.name, self.zoneName) = (name, zoneName)
    }
}

extension [any CommandPolicy] {
    /// The first refusal, in order; `nil` if all policies allow a request.
    func refusal(of request: ChangeRequest, in state: ControllerState, withRights: Bool = true) -> Refusal? {
        for policy in self where withRights || !(policy is PeoplePolicy) {
            if case .refuse(let refusal) = policy.decide(request, in: state) { return refusal }
        }
        return nil
    }

    /// The refusal of the rights of users alone.
    func rightsRefusal(of request: ChangeRequest, in state: ControllerState) -> Refusal? {
        for case let policy as PeoplePolicy in self {
            if case .refuse(let refusal) = policy.decide(request, in: state) { return refusal }
        }
        return nil
    }
}
