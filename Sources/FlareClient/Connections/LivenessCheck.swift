import Flare

/// Whether the server at the other end of an open session still answers.
///
/// An open connection says little: a server that hangs keeps it open. After some seconds of silence a question is
/// sent, and a server that says nothing at all for some more seconds counts as lost.
///
/// All times are monotonic milliseconds.
package struct LivenessCheck: Sendable, Hashable {
    package enum Outcome: Sendable, Hashable {
        /// Send ``question``.
        case ask
        /// The question was not answered.
        case lost
    }

    /// Asks for a key of an object that no server has.
    ///
    /// Any Flare server answers with `null`, and no request waits for an answer about this object.
    /// - Source: flare-protocol 4.6.
    package static let question = FlareMessage(
        "getData",
        ObjectReference(.environment, FlareID(high: 0, low: 0)),
        ["key": "?"]
    )

    /// How long the server may take to answer.
    package let patience: Int
    private let quiet: Int
    /// When the question is due or, once it is sent, its answer.
    package private(set) var deadline: Int
    private var isAsked = true

    /// Begins with a question that is sent now.
    ///
    /// - Parameters:
    ///   - quiet: After how much silence the question is sent.
    ///   - patience: How long the server may take to answer.
    package init(quiet: Int, patience: Int, now: Int) {
        self.quiet = quiet
        self.patience = patience
        deadline = now + patience
    }

    /// The server has sent something, whatever it is.
    package mutating func heard(now: Int) {
        isAsked = false
        deadline = now + quiet
    }

    package mutating func tick(now: Int) -> Outcome? {
        guard now >= deadline else { return nil }
        if isAsked { return .lost }
        isAsked = true
        deadline = now + patience
        return .ask
    }
}
