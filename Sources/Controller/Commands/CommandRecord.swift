package import People

/// A command with its answer, for the log of who did what.
package struct CommandRecord: Sendable, Hashable {
    /// `nil` if it could not be read.
    package var order: Command.Order?
    package var answer: Answer
    /// Who gave it; `nil` if nobody was identified.
    package var speaker: Speaker?
    /// Where it came from: an address or a topic.
    package var source: String?
    package var received: Instant
    package var ended: Instant

    package init(
        order: Command.Order?,
        answer: Answer,
        speaker: Speaker?,
        source: String?,
        received: Instant,
        ended: Instant
    ) {
        (self.order, self.answer, self.speaker, self.source) = (order, answer, speaker, source)
        (self.received, self.ended) = (received, ended)
    }

    /// Whether the log keeps it: what only read, and was allowed to, would push out what users did.
    package var isKept: Bool { answer.refusal != nil || order?.operation.onlyReads != true }
}
