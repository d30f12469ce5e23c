package import Flare
package import JSON

/// A change of an object, requested by a client over REST or Socket.IO.
package struct ClientChange: Sendable, Hashable {
    package enum Kind: Sendable, Hashable {
        case setData(JSONObject)
        case setPosition(Point3D)
        case performAction(String)
        /// Replaces members, such as the name; empty as long as the new ones are not read.
        case update(JSONObject)
        case remove
        /// A new object; it is not there yet.
        case insert
    }

    /// The object before the change.
    package let object: FlareRecord
    /// The zone that a thing belongs to.
    package let zone: FlareRecord?
    package let kind: Kind
    /// Who requests it.
    package let visitor: FlareVisitor
}

/// Decides whether clients may make a change.
///
/// Called on the hub's executor.
///
/// - Returns: Why the change is refused, as a sentence for its sender; `nil` when it is allowed.
package typealias ClientChangeGate = @Sendable (ClientChange) -> String?

/// Receives an object that a client is making, once only the disk can refuse it and before anybody is notified of it.
///
/// Called on the hub's executor.
package typealias ClientInsertionRecord = @Sendable (FlareRecord, FlareVisitor) -> Void

/// Receives a change of a client, and why it was refused, if it was.
///
/// Called on the hub's executor.
package typealias ClientChangeRecord = @Sendable (ClientChange, _ refusal: String?) -> Void
