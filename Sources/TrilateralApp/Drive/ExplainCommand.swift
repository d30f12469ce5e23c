import ArgumentParser
import Controller
import Daemon
import JSON
import Text

/// `trilateral explain`: why something is as it is, in a sentence or two.
struct ExplainCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "explain",
        abstract: "Explain why the device is in its zone, why a thing is near, or what became of a command.",
        discussion: """
            Examples: trilateral explain zone; trilateral explain nearby; trilateral explain nearby desk-lamp; \
            trilateral explain command; trilateral explain command 7. The daemon knows the last 256 commands since its \
            start. Exits with 1 if there is no such thing or command.
            """
    )

    enum Subject: String, ExpressibleByArgument, CaseIterable {
        case zone, nearby, command
    }

    @Argument(help: "What to explain.")
    var subject: Subject

    @Argument(
        help: ArgumentHelp(
            "With nearby: a thing, by short name or id. With command: the tx of a command; the last one without it.",
            valueName: "thing or tx"
        )
    )
    var object: String?

    @OptionGroup var drive: DriveOptions
    @OptionGroup var caller: CallerOptions

    func validate() throws {
        if subject == .zone, let object {
            throw ValidationError(
                "zone takes no second argument (is \(QuotedValue.of(object))): it is the zone of this device."
            )
        }
    }

    func run() async throws {
        var members: JSONObject = ["subject": .string(subject.rawValue)]
        switch subject {
        case .zone: break
        case .nearby: members["thing"] = object.map { .string($0) }
        case .command: members["command"] = object.map { .string($0) }
        }
        let question = DriveExchange.Question.command(
            CommandDescriptor.explain.topic(),
            members: members.merging(try caller.members()) { $1 }
        )
        let (outcome, _) = try await drive.ask(question, reading: [])
        guard case .answer(let answer) = outcome, let explanation = answer["data"] else {
            return try drive.report(DriveReport(outcome, asJSON: drive.json))
        }
        try StandardOutput.print(
            drive.json ? explanation.text : TerminalText.visible(explanation["text"]?.string ?? "")
        )
    }
}
