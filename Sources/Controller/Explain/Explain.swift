package import JSON
import People
import Text
package import Things

/// Explains a part of the current state.
package struct Explain: DaemonRequest {
    package static let verb = "explain"
    let question: Explanation.Subject

    package var permission: ChangeRequest.Kind? { .read }
    package var onlyReads: Bool { true }
    package var logValues: JSONValue? {
        switch question {
        case .zone: ["subject": "zone"]
        case .nearby(let thing): ["subject": "nearby", "thing": thing.map { .string($0) } ?? .null]
        case .command(let tx): ["subject": "command", "command": tx ?? .null]
        }
    }
    /// An explanation must not hide the command that it is about.
    package var summary: CommandSummary? { nil }

    package func perform(
        _ command: inout PendingCommand,
        in controller: inout DeviceController
    ) throws(Refusal) {
        // It names things, positions and commands of everybody, whichever device it is asked of.
        guard controller.isAllowed(command.command, .read, on: .everything) else {
            throw Refusal(.notAllowed, "an explanation needs the right to read all")
        }
        guard controller.isAllowed(command.command, .read, on: .devices) else {
            throw Refusal(.notAllowed, "an explanation needs the right to read devices")
        }
        let explainer = Explainer(
            state: controller.state,
            configuration: controller.configuration,
            presence: controller.presence,
            queues: controller.queues,
            edgeQueues: controller.edge.queues,
            journal: controller.pending.journal,
            now: controller.now
        )
        controller.accept(command, data: try explainer.explain(question, for: command.command).json)
    }
}

extension CommandDescriptor {
    /// `zone`, `nearby`, `command`, or an object: `{"subject":"nearby","thing":…}`, `{"subject":"command","command":TX}`.
    package static let explain = CommandDescriptor(verb: Explain.verb) { _, payload throws(Refusal) in
        var thing: String?
        var tx: JSONValue?
        let subject = try payload.word(named: "subject") { fields throws(Refusal) in
            thing = try fields.text("thing")
            tx = fields.remove("command")
        }
        let question: Explanation.Subject
        switch subject {
        case "zone": question = .zone
        case "nearby": question = .nearby(thing: thing)
        case "command": question = .command(tx: tx)
        default:
            throw Refusal(
                .invalidValue,
                "subject must be zone, nearby or command (is \(QuotedValue.of(subject)))",
                field: "subject"
            )
        }
        let stray =
            subject != "nearby" && thing != nil
            ? "thing" : subject != "command" && tx != nil ? "command" : nil
        if let stray {
            throw Refusal(
                .unknownKey,
                "\"\(stray)\" does not belong to \"subject\": \"\(subject)\"",
                field: stray
            )
        }
        if let tx, tx.string == nil, tx.number == nil {
            throw Refusal(
                .wrongType,
                "command must be the tx of a command, a text or a number (is \(QuotedValue.of(tx)))",
                field: "command"
            )
        }
        return Explain(question: question)
    }
}
