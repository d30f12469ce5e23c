import Controller
import JSON
import People
import Things

/// Commands from the broker: the service of rules carries them out, and tells the slice what came of it.
extension RulesSlice {
    /// A command that waits for the service.
    struct Request: Sendable {
        let number: Int
        let command: RuleTopicCommand
        let caller: Caller
    }

    /// The most commands that wait.
    private static let mostAsked = 1000

    /// Takes a command, to be answered later.
    mutating func ask(_ command: Command) throws(Refusal) -> [SliceEffect] {
        guard asked.count < Self.mostAsked else {
            throw Refusal(.rateLimited, "\(Self.mostAsked) commands for rules are waiting already")
        }
        lastAsked += 1
        asked[lastAsked] = command
        return [.changed(.ruleAsked(lastAsked))]
    }

    /// The command of a number, while it is not answered.
    func request(_ number: Int) -> Request? {
        guard let command = asked[number], let work = command.operation.base as? RuleTopicCommand,
            let caller = command.caller
        else { return nil }
        return Request(number: number, command: work, caller: caller)
    }

    mutating func settled(_ number: Int, slug: String?, _ refusal: Refusal?) -> [SliceEffect] {
        guard let command = asked.removeValue(forKey: number) else { return [] }
        return [answer(to: command, slug: slug, refusal)]
    }

    /// The daemon stops: whether they are carried out, the next run shows.
    mutating func refuseAsked() -> [SliceEffect] {
        guard !asked.isEmpty else { return [] }
        let refusal = Refusal(
            .timeout,
            "Trilateral is stopping, and may have done it; look at the rule when status is online again"
        )
        defer { asked = [:] }
        return asked.sorted { $0.key < $1.key }.map { answer(to: $0.value, slug: nil, refusal) }
    }

    private func answer(to command: Command, slug: String?, _ refusal: Refusal?) -> SliceEffect {
        let work = command.operation.base as? RuleTopicCommand
        return .settle(
            command,
            slug.map { Answer.Target(kind: "rule", slug: $0) },
            accepted: work?.accepted ?? [:],
            refusal
        )
    }
}

extension StateChange {
    /// A command for a rule waits for the service.
    static func ruleAsked(_ number: Int) -> StateChange { .slice(RulesSlice.askedChanges, part: "\(number)") }
}

extension RulesSlice {
    static let askedChanges = "rules-asked"
}
