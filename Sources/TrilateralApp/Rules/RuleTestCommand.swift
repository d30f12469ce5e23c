import ArgumentParser
import JSON
import People

/// `trilateral rule test`: whether a rule would fire now.
struct RuleTestCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "test",
        abstract: "Print whether a rule would fire now; nothing is done.",
        discussion: """
            A line for each trigger and each condition: true, false or unknown, where it is in the rule, what it is, and \
            what it saw. A trigger is true while what it waits for is so, and false while it must last longer until it \
            counts. A rule that is off or suspended has a line for that first. Exits with 0 if the rule would fire, else \
            with 1.
            """
    )

    @Argument(
        help: ArgumentHelp("The rule's short name or number.", valueName: "rule"),
        completion: .rules
    )
    var rule: String?

    @Option(file: "A file with a rule that the daemon does not have, JSON; - reads standard input.")
    var file: String?

    @Option(help: ArgumentHelp("The thing that is meant where the file names none.", valueName: "name"))
    var thing: String?

    @OptionGroup var list: ListOption
    @OptionGroup var people: AdministrationOption

    func validate() throws {
        if (rule == nil) == (file == nil) { throw ValidationError("give a rule or --file") }
        if thing != nil, file == nil { throw ValidationError("--thing needs --file; give both") }
    }

    func run() async throws {
        let answer: JSONValue
        if let file {
            let read = try RuleFiles(paths: [file], thing: thing).readOne()
            answer = try await people.ask(
                .post,
                [RulesCommand.route, "test"],
                body: read.members,
                needsDaemon: true
            )
        } else {
            answer = try await people.ask(.post, RulesCommand.path(rule ?? "", "test"), needsDaemon: true)
        }
        try StandardOutput.print(lines: list.json ? [answer.text] : Self.lines(of: answer))
        if answer["wouldFire"] != true { throw ExitCode(1) }
    }

    /// Why the rule does not run, if it does not.
    private static func state(of answer: JSONValue) -> [String] {
        switch answer["state"]?.string {
        case "off"?: return ["off: the rule is switched off"]
        case "suspended"?:
            let missing = (answer["missing"]?.array ?? []).compactMap(\.string)
            let why = missing.isEmpty ? "" : ": \(missing.joined(separator: ", "))"
            return ["suspended: \(ListOption.text(answer["suspended"] ?? .null))\(why)"]
        default: return []
        }
    }

    private static func lines(of answer: JSONValue) -> [String] {
        let rows = (answer["lines"]?.array ?? []).map { line in
            [
                ListOption.text(line["truth"] ?? .null), ListOption.text(line["path"] ?? .null),
                "\(ListOption.text(line["what"] ?? .null)): \(ListOption.text(line["saw"] ?? .null))",
            ]
        }
        return state(of: answer) + TextTable(rows: rows).lines
    }
}
