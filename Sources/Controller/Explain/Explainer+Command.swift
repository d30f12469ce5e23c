import Flare
import JSON
import Text
import Things

extension Explainer {
    /// Explains the state of a command: waiting, sent, accepted or refused.
    func explainCommand(_ tx: JSONValue?) throws(Refusal) -> Explanation {
        guard let entry = journal.newest(tx: tx) else {
            let limit = "the last \(CommandJournal.capacity) commands of this run are known"
            let message = tx.map { "no command with tx \(QuotedValue.of($0)) is known; \(limit)" }
            throw Refusal(
                .unknownCommand,
                message ?? "no command has come in this run",
                field: "command"
            )
        }
        var facts: JSONObject = ["subject": "command", "speaker": .string(entry.actor.rawValue)]
        facts["tx"] = entry.tx
        facts["age_s"] = age(of: entry.receivedAt)
        let request = entry.summary?.text(entry.answer?.target) ?? "unreadable"
        facts["request"] = .string(request)
        let ago = Explanation.duration(now.milliseconds(since: entry.receivedAt))
        let who =
            "The \(entry.tx == nil ? "last command" : "command with tx \(QuotedValue.of(entry.tx ?? .null))")"
        let what = "\(who), \(request), came \(ago) ago from \(entry.actor.words)"
        let outcome: String
        if let answer = entry.answer {
            let took = answer.at.milliseconds(since: entry.receivedAt)
            facts["took_ms"] = .number(Double(max(0, took)))
            if let refusal = answer.refusal {
                facts["outcome"] = "refused"
                facts["code"] = .string(refusal.code.rawValue)
                outcome =
                    "and was refused after \(max(0, took)) ms: \(refusal.message) (\(refusal.code.rawValue))."
            } else {
                facts["outcome"] = "accepted"
                outcome =
                    "and was carried out after \(max(0, took)) ms." + rejection(answer) + laterEffects(answer)
            }
        } else if let wait = wait(of: entry) {
            facts["outcome"] = .string(wait.isSent ? "sent" : "waiting")
            outcome = "and \(wait.words)."
        } else {
            facts["outcome"] = "waiting"
            outcome = "and is not answered yet: it waits for the Flare server or the configuration."
        }
        return Explanation(text: "\(what) \(outcome)", facts: facts)
    }

    private func rejection(_ answer: CommandJournal.Outcome) -> String {
        guard !answer.rejected.isEmpty else { return "" }
        let list = answer.rejected.sorted { $0.key < $1.key }.map { "\($0.key) (\($0.value.rawValue))" }
        return " Not set: \(list.joined(separator: ", "))."
    }

    /// What continues after the answer: a transition, or a lamp that has not followed.
    private func laterEffects(_ answer: CommandJournal.Outcome) -> String {
        guard let slug = answer.target, let id = state.slugs.id(of: slug, kind: .thing) else { return "" }
        var words = ""
        if state.goals[id] != nil {
            words +=
                state.goalSeconds[id] != nil
                ? " Its transition is still running." : " The thing itself has not confirmed all of it."
        }
        if state.routes[id] == nil, let lamp = state.conditions[id], !lamp.isOnline {
            words += " The real lamp is offline and has not followed."
        }
        return words
    }

    /// The position of a command in its object's queue.
    private func wait(of entry: CommandJournal.Entry) -> (isSent: Bool, words: String)? {
        func position(in queues: ObjectQueues) -> (object: ObjectReference, ahead: Int?)? {
            queues.position(ofTicket: entry.ticket, from: entry.actor, to: entry.node)
        }
        let atEdge = position(in: edgeQueues)
        guard let position = atEdge ?? position(in: queues) else { return nil }
        guard let ahead = position.ahead else {
            let keeper = atEdge == nil ? "the Flare server" : "the thing itself"
            return (true, "was sent to \(keeper), which has not confirmed it yet")
        }
        let count = Explanation.count(ahead, "earlier command")
        return (false, "waits behind \(count) for \(label(position.object))")
    }
}

extension Command.Actor {
    fileprivate var words: String {
        switch self {
        case .broker: "a client of the broker"
        case .kiosk: "a client of the web interface"
        case .lamp: "the link of a real lamp"
        case .flareClient: "a client of the Flare server"
        case .controller: "the controller"
        }
    }
}
