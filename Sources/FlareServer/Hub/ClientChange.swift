package import Flare

/// A change of an object that a client of the server asks for, by REST or Socket.IO.
package struct ClientChange: Sendable, Hashable {
    package enum Kind: Sendable, Hashable {
        case setData([String: JSONValue])
        case setPosition(Point3D)
        case performAction(String)
        /// Other members as a whole, such as the name.
        case update
        case remove
    }

    /// The object as it is.
    package let object: FlareRecord
    /// The zone that a thing belongs to.
    package let zone: FlareRecord?
    package let kind: Kind
}

/// Decides whether clients of the server may make a change.
///
/// Called on the hub's executor.
///
/// - Returns: Why the change is refused, a sentence for its sender; `nil` when it is allowed.
package typealias ClientChangeGate = @Sendable (ClientChange) -> String?
