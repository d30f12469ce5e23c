import Flare
import JSON

/// Detects a server that does not respond any more.
///
/// A server that hangs keeps its connections open. After some seconds of silence a request is sent, and without any
/// message for some more seconds the connection counts as lost.
///
/// All times are monotonic milliseconds.
package struct LivenessCheck: Sendable, Hashable {
    package enum Outcome: Sendable, Hashable {
        /// Send ``request``.
        case sendRequest
        /// The server did not answer in time.
        case lost
    }

    /// Gets a key of an object that does not exist.
    ///
    /// Every Flare server answers with `null`, and no other request refers to this object.
    /// - Source: contrib/contract/flare-protocol.md, "4.6 getData, getPosition and getActions".
    package static let request = FlareMessage(
        "getData",
        ObjectReference(.environment, FlareID(high: 0, low: 0)),
        ["key": "?"]
    )

    /// How long the server may take to answer.
    package let patience: Int
    private let quiet: Int
    /// When the request or, once it is sent, its answer is due.
    package private(set) var deadline: Int
    private var isRequestPending = true

    /// Starts with a request that is sent now.
    ///
    /// - Parameters:
    ///   - quiet: The silence after which a request is sent.
    ///   - patience: How long the server may take to answer.
    ///   - firstPatience: How long it may take for its first answer, if that is less.
    package init(quiet: Int, patience: Int, firstPatience: Int? = nil, now: Int) {
        self.quiet = quiet
        self.patience = patience
        deadline = now + min(patience, firstPatience ?? patience)
    }

    /// Records any message of the server.
    package mutating func received(now: Int) {
        isRequestPending = false
        deadline = now + quiet
    }

    package mutating func tick(now: Int) -> Outcome? {
        guard now >= deadline else { return nil }
        if isRequestPending { return .lost }
        isRequestPending = true
        deadline = now + patience
        return .sendRequest
    }
}
