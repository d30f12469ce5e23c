package import Flare
package import Things

/// Has a say in every change that somebody asks for, before it is checked whether the thing accepts it.
///
/// Policies are asked in a fixed order, for commands of every face and for changes that clients of the embedded Flare
/// server make. The first that refuses decides.
package protocol CommandPolicy: Sendable {
    func decide(_ request: ChangeRequest, in state: ControllerState) -> PolicyDecision
}

/// What a policy says to a request.
package enum PolicyDecision: Sendable, Hashable {
    case allow
    case refuse(Refusal)
}

/// A request to change or read something, in the form that policies decide about, from any client.
package struct ChangeRequest: Sendable, Hashable {
    package enum Kind: Sendable, Hashable {
        /// New values for attributes of a thing or zone; their names.
        case set([String])
        /// An action of a thing, by name.
        case action(String)
        /// A new position.
        case move
        /// Other members of an object as a whole, such as its name.
        case edit
        case remove
        /// Only looks at a thing.
        case read
        /// Another environment, a sensor switched, a request to the daemon itself.
        case control
    }

    package var speaker: Command.Speaker
    package var kind: Kind
    /// What would be changed; `nil` for the daemon itself.
    package var object: ObjectReference?
    /// The zone that a thing belongs to.
    package var zone: FlareID?
    /// What the object and its zone are called, for those in an environment that was never visited.
    package var name: String?
    package var zoneName: String?

    package init(
        speaker: Command.Speaker,
        kind: Kind,
        object: ObjectReference? = nil,
        zone: FlareID? = nil,
        name: String? = nil,
        zoneName: String? = nil
    ) {
        (self.speaker, self.kind, self.object, self.zone) = (speaker, kind, object, zone)
        (self.name, self.zoneName) = (name, zoneName)
    }
}
