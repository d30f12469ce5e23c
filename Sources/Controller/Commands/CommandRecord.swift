package import People

/// A command with its answer, for the log of who did what.
package struct CommandRecord: Sendable, Hashable {
    /// `nil` if it could not be read.
    package var operation: Command.Operation?
    package var answer: Answer
    /// Who gave it; `nil` if nobody was identified.
    package var caller: Caller?
    /// Where it came from: an address or a topic.
    package var source: String?
    package var received: Instant
    package var ended: Instant

    package init(
        operation: Command.Operation?,
        answer: Answer,
        caller: Caller?,
        source: String?,
        received: Instant,
        ended: Instant
    ) {
        (self.operation, self.answer, self.caller) = (operation, answer, caller)
        (self.source, self.received, self.ended) = (source, received, ended)
    }

    /// Whether the log keeps it: what only read, and was allowed to, would push out what users did.
    package var isKept: Bool {
        guard answer.refusal == nil, let operation = operation?.base else { return true }
        return !operation.onlyReads && !operation.keepsOwnRow
    }
}
