import ArgumentParser
import Controller
import Foundation
import JSON
import MQTT
import Messages
import Text

/// `trilateral set`: changes the nearby thing, or any other, and waits for the answer.
struct SetCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "set",
        abstract: "Change a thing, this device, the environment or a sensor.",
        discussion: """
            Examples: trilateral set nearby color=red brightness=40%; trilateral set desk-lamp state=ON transition=2; \
            trilateral set desk-lamp toggle; trilateral set zones/kitchen OFF; trilateral set environment next; \
            trilateral set sensors/beacons OFF; trilateral set device position='{"x":1,"y":2}'; trilateral set lifecycle/level FULL. Exits with 1 and the daemon's message when the change is refused. A \
            thing that is offline accepts the change, with a warning: its lamp has not followed yet.
            """
    )

    @Argument(help: "\(DriveTarget.settable).", completion: .targets)
    var target: String

    @Argument(
        help: ArgumentHelp("What to set; a value without a name is the state.", valueName: "name=value")
    )
    var values: [String]

    @OptionGroup var drive: DriveOptions
    @OptionGroup var caller: CallerOptions

    func validate() throws { _ = try request() }

    func run() async throws {
        let (command, members) = try request()
        let sender = try caller.members()
        try await drive.command(command, members.merging(sender) { $1 }, advice: advice)
    }

    /// A word that is no state may be an action.
    private func advice(_ answer: JSONValue) -> String? {
        guard answer["rejected"]?["state"] != nil || answer["error"]?["field"] == "state",
            let word = values.first, values.count == 1,
            word.allSatisfy({ $0.isLetter || $0.isNumber || $0 == "_" }),
            (try? drive.target(target).actionCommand) != nil
        else { return nil }
        return "if \"\(word)\" is an action: trilateral action \(target) \(word)"
    }

    private func request() throws -> (command: CommandTopic, members: JSONObject) {
        let target = try drive.target(target)
        guard let command = target.setCommand else {
            throw ValidationError(
                "\(self.target) cannot be set. What can be set: \(DriveTarget.settable)."
            )
        }
        switch target.members(values) {
        case .success(let members): return (command, members)
        case .failure(let fault): throw ValidationError(fault.message)
        }
    }
}

/// `trilateral action`: lets a thing carry out an action and waits for the answer.
struct ActionCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "action",
        abstract: "Let a thing carry out an action.",
        discussion: """
            Example: trilateral action nearby nextColor.

            "trilateral get" shows the actions of a thing. Without a profile they are built in: on, off; lighter, darker (by a \
            tenth); nextColor, previousColor (of its palette); clockwise, counterclockwise (by 30°); and north, south, \
            east, west, up, down, which move its place by 1 m.
            """
    )

    @Argument(help: "nearby, or the short name or id of a thing.", completion: .things)
    var target: String

    @Argument(help: "The name of the action.")
    var action: String

    @OptionGroup var drive: DriveOptions
    @OptionGroup var caller: CallerOptions

    func validate() throws { _ = try command() }

    func run() async throws {
        var members = try caller.members()
        members["action"] = .string(action)
        try await drive.command(command(), members)
    }

    private func command() throws -> CommandTopic {
        guard let command = try drive.target(target).actionCommand else {
            throw ValidationError(
                "\(target) has no actions. Give nearby, or the short name or id of a thing."
            )
        }
        return command
    }
}

/// What `set`, `action` and `get` have in common.
struct DriveOptions: ParsableArguments {
    @OptionGroup var broker: BrokerOptions

    @Option(help: ArgumentHelp("How long to wait for the broker and the answer.", valueName: "seconds"))
    // A thing at the edge may take eight seconds to answer.
    var timeout = 10.0

    @Flag(
        help: """
            Print one line of JSON: the result (get, list), or the whole answer (set, action, and every refusal).
            """
    )
    var json = false

    func validate() throws {
        guard (0.1...3600).contains(timeout) else {
            throw ValidationError("--timeout must be 0.1 to 3600 seconds.")
        }
    }

    func target(_ text: String) throws -> DriveTarget {
        guard let target = DriveTarget(text) else {
            throw ValidationError("\(QuotedValue.of(text)) is no target. Targets are: \(DriveTarget.all).")
        }
        return target
    }

    /// Sends a command, prints what came of it, and ends the program otherwise when there is no answer or it is a
    /// refusal.
    ///
    /// - Parameter advice: What is added to a refusal.
    func command(
        _ topic: CommandTopic,
        _ members: JSONObject,
        advice: (JSONValue) -> String? = { _ in nil }
    ) async throws {
        let question = DriveExchange.Question.command(topic, members: members)
        let (outcome, read) = try await ask(question, reading: [Topics.tails.availability(thing: "+")])
        var report = DriveReport(outcome, asJSON: json, read: read, sender: members)
        if case .answer(let answer) = outcome, answer["status"] == "error", let text = advice(answer) {
            report.add(text)
        }
        try self.report(report)
    }

    /// Asks the daemon a question.
    ///
    /// - Parameter reading: Further topics below `B/`, or filters.
    /// - Returns: What came of it, and what the further topics retain.
    func ask(_ question: DriveExchange.Question, reading: [String]) async throws -> (
        outcome: DriveExchange.Outcome, read: JSONObject
    ) {
        let limit = Duration.milliseconds(Int64(timeout * 1000))
        let daemon = try await broker.daemon(timeout: limit)
        let answer = await question.ask(daemon, reading: reading, within: limit)
        guard case .noDaemon(let reason) = answer.outcome else { return answer }
        return (.noDaemon(reason + (await broker.hint(daemon))), answer.read)
    }

    func report(_ report: DriveReport) throws {
        try StandardOutput.print(lines: report.output)
        for line in report.complaints { StandardError.report(line) }
        guard report.exitCode == .success else { throw report.exitCode }
    }
}

extension BrokerOptions {
    /// Who to talk to, once it is known to be online.
    func runningDaemon(timeout: Duration) async throws -> (link: MQTTConfiguration, root: String) {
        let daemon = try await daemon(timeout: timeout)
        let (outcome, _) = await DriveExchange.Question.state(topic: Topics.tails.info)
            .ask(daemon, reading: [], within: timeout)
        if let failure = outcome.failure { throw failure }
        return daemon
    }
}

extension DriveExchange.Question {
    /// Asks a daemon, over a link of its own.
    ///
    /// - Parameter isPatient: Whether the broker is tried again when it cannot be reached.
    func ask(
        _ daemon: (link: MQTTConfiguration, root: String),
        reading: [String],
        within limit: Duration,
        isPatient: Bool = true
    ) async -> (outcome: DriveExchange.Outcome, read: JSONObject) {
        let exchange = DriveExchange(
            root: daemon.root,
            question: self,
            reading: reading,
            tx: "cli-" + UUID().uuidString.lowercased(),
            timeout: limit.inSeconds
        )
        let session = BrokerSession(daemon.link)
        return await session.run(filters: exchange.filters, timeout: limit) { visit in
            var exchange = exchange
            for await event in visit.events {
                let input: DriveExchange.Event
                switch event {
                case .link(.connected(let link)): input = .linked(refusedFilters: link.refusedFilters)
                case .link(.disconnected(let error)) where error.isFinal:
                    return (.noLink("\(error)", status: ExitCode(error).rawValue), [:])
                case .link(.disconnected(let error)) where !isPatient: return (.noBroker("\(error)"), [:])
                case .link(.disconnected(let error)): input = .unlinked(reason: "\(error)")
                case .message(let message): input = .message(topic: message.topic, payload: message.payload)
                case .deadline: input = .deadline
                case .link(.refused), .link(.drained), .woken, .signal, .acknowledged: continue
                }
                for step in exchange.apply(input) {
                    switch step {
                    case .publish(let topic, let payload): visit.publish(topic: topic, payload: payload)
                    case .finish(let outcome): return (outcome, exchange.read)
                    }
                }
            }
            return (.noBroker("the link to the broker ended"), [:])
        }
    }
}
