/// How far a command is.
///
/// - Source: contrib/contract/bindings.md, "Life of a command".
package enum CommandState: String, Sendable, Hashable, CaseIterable {
    case sending = "SENDING"
    /// The server or the broker has it.
    case delivered = "DELIVERED"
    /// Every action succeeded.
    case done = "DONE"
    /// An action failed, or was not answered in time.
    case incomplete = "INCOMPLETE"

    package var isOpen: Bool { self == .sending || self == .delivered }
}
