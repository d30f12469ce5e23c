import JSON
import Things

/// The latest commands and their outcomes, for explanations.
///
/// It keeps no values, only names of bounded length.
struct CommandJournal: Sendable {
    struct Entry: Sendable {
        var ticket: Int
        var actor: Command.Actor
        /// The further node that it came to, each of which has tickets of its own.
        var node: String?
        var tx: JSONValue?
        /// `nil` if it was refused because it could not be read.
        var summary: CommandSummary?
        var receivedAt: Instant
        var answer: Outcome?
    }

    struct Outcome: Sendable {
        var at: Instant
        var target: String?
        var rejected: [String: RefusalCode]
        var refusal: Refusal?
    }

    /// Maximum number of recorded commands.
    static let capacity = 256

    /// Of all commands, also of those that were forgotten.
    private(set) var figures = CommandFigures()
    private var entries: [Entry] = []
    /// Index of the next entry once the journal is full.
    private var next = 0

    mutating func received(_ command: Command, at now: Instant) {
        guard let summary = command.operation.base.summary else { return }
        append(
            Entry(
                ticket: command.ticket,
                actor: command.actor,
                node: command.node,
                tx: command.tx,
                summary: summary,
                receivedAt: now
            )
        )
    }

    mutating func answered(_ answer: Answer, at now: Instant) {
        let found = index { entry in
            entry.ticket == answer.ticket && entry.actor == answer.actor && entry.node == answer.node
        }
        guard let index = found else {
            return figures.record(answer.refusal?.code, milliseconds: nil)
        }
        let wait = now.milliseconds(since: entries[index].receivedAt)
        figures.record(answer.refusal?.code, milliseconds: wait)
        entries[index].answer = Outcome(answer, at: now)
    }

    /// Records a command that was refused before it reached the controller.
    mutating func refused(_ answer: Answer, at now: Instant) {
        figures.record(answer.refusal?.code, milliseconds: nil)
        append(
            Entry(
                ticket: 0,
                actor: answer.actor,
                tx: answer.tx,
                receivedAt: now,
                answer: Outcome(answer, at: now)
            )
        )
    }

    /// The newest command with this `tx`, compared as text; the newest of all if it is `nil`.
    func newest(tx: JSONValue?) -> Entry? {
        guard let tx else { return index { _ in true }.map { entries[$0] } }
        let wanted = tx.string ?? tx.text
        return index { $0.tx.map { $0.string ?? $0.text } == wanted }.map { entries[$0] }
    }

    private mutating func append(_ entry: Entry) {
        if entries.count < Self.capacity {
            entries.append(entry)
        } else {
            entries[next] = entry
            next = (next + 1) % Self.capacity
        }
    }

    /// Searches from the newest entry, because most answers belong to the last command.
    private func index(where isWanted: (Entry) -> Bool) -> Int? {
        for back in 1...Self.capacity where back <= entries.count {
            let index = (next - back + entries.count) % entries.count
            if isWanted(entries[index]) { return index }
        }
        return nil
    }
}

extension CommandJournal.Outcome {
    init(_ answer: Answer, at now: Instant) {
        at = now
        target = answer.target?.slug
        refusal = answer.refusal
        rejected = answer.rejected.count <= 8 ? answer.rejected : [:]
    }
}
