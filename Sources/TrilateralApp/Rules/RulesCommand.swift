import ArgumentParser
import JSON
import People
import Text

/// `trilateral rule`: rules of the daemon, and simulations.
struct RulesCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rule",
        abstract: "Make rules, look at them, and find out why they did or did not fire.",
        discussion: """
            A rule says what is done when something happens. All verbs except simulate need a daemon that runs, and ask it \
            over its socket. Whoever may open the state folder may change every rule.
            """,
        subcommands: [
            RuleAddCommand.self, RuleListCommand.self, RuleShowCommand.self, RuleOnCommand.self,
            RuleOffCommand.self, RuleRemoveCommand.self, RuleRunCommand.self, RuleTestCommand.self,
            RuleImportCommand.self, RuleExportCommand.self, RuleExplainCommand.self,
            RuleSimulateCommand.self,
        ]
    )

    /// The route below `/api/`.
    static let route = "rules"

    /// The words of the route of a rule.
    ///
    /// - Throws: ``VerbError`` for what cannot be the name of a rule: an empty word would be the path of all rules.
    static func path(_ rule: String, _ rest: String...) throws(VerbError) -> [String] {
        guard !rule.isBlank, rule.utf8.count <= 200 else {
            throw VerbError(
                "there is no rule \(QuotedValue.of(rule)): `trilateral rule list` shows them",
                .noInput
            )
        }
        return [route, rule] + rest
    }
}

/// A rule, as verbs name it.
struct RuleArgument: ParsableArguments {
    @Argument(
        help: ArgumentHelp("The rule's short name or number.", valueName: "rule"),
        completion: .rules
    )
    var rule: String

    /// - Throws: ``VerbError`` for what cannot be the name of a rule.
    func path(_ rest: String...) throws(VerbError) -> [String] { try RulesCommand.path(rule) + rest }
}

struct RuleListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "Print the rules.",
        discussion: """
            The columns are number, short name, state (ready, off or suspended), when it is due next, when it fired last, \
            and title.
            """
    )

    @Option(
        help: ArgumentHelp(
            "Only those that look at a thing or drive it, a light also with its zone.",
            valueName: "thing"
        ),
        completion: .things
    )
    var thing: String?

    @OptionGroup var list: ListOption
    @OptionGroup var people: AdministrationOption

    func run() async throws {
        let rows = try await people.rows(RulesCommand.route, query: ["thing": thing])
        guard !list.json else { return try StandardOutput.print(rows.text) }
        try StandardOutput.print(Self.table(rows))
    }

    private static func table(_ rows: JSONValue) -> TextTable {
        TextTable(
            header: ["ID", "SLUG", "STATE", "NEXT", "LAST", "TITLE"],
            rows: (rows.array ?? []).map { row in
                [row["id"], row["slug"], row["state"], row["next"], row["last"]?["ts"], row["title"]].map {
                    ListOption.text($0 ?? .null)
                }
            }
        )
    }
}

struct RuleOnCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "on",
        abstract: "Switch a rule on.",
        discussion: "It begins with what is so now, and fires at the next change."
    )

    @OptionGroup var rule: RuleArgument
    @OptionGroup var people: AdministrationOption

    func run() async throws {
        try await people.ask(.post, rule.path("on"), needsDaemon: true)
        StandardError.tellPerson("Rule \(rule.rule) is on.")
    }
}

struct RuleOffCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "off",
        abstract: "Switch a rule off.",
        discussion: "Its actions that are under way go on; a ceiling that it has set ends."
    )

    @OptionGroup var rule: RuleArgument
    @OptionGroup var people: AdministrationOption

    func run() async throws {
        try await people.ask(.post, rule.path("off"), needsDaemon: true)
        StandardError.tellPerson("Rule \(rule.rule) is off.")
    }
}

struct RuleRemoveCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "rm", abstract: "Remove a rule.")

    @OptionGroup var rule: RuleArgument
    @OptionGroup var people: AdministrationOption

    func run() async throws {
        try await people.ask(.delete, rule.path(), needsDaemon: true)
        StandardError.tellPerson("Removed rule \(rule.rule).")
    }
}

struct RuleRunCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "run",
        abstract: "Do the actions of a rule now, whatever its conditions say.",
        discussion: """
            These are those of the start and the range, or those of the end if it has no others. Waits for their end, \
            40 s at most, and says why those that failed did. Exits with 1 if one has failed. Of those \
            that take longer trilateral rule explain says what came of them.
            """
    )

    @OptionGroup var rule: RuleArgument
    @OptionGroup var people: AdministrationOption

    func run() async throws {
        let answer = try await people.ask(
            .post,
            rule.path("run"),
            query: ["wait": "40"],
            needsDaemon: true
        )
        switch answer["outcome"]?.string {
        case "running"?:
            StandardError.tellPerson(
                "Rule \(rule.rule) still runs. `trilateral rule explain \(rule.rule)` says what came of it later."
            )
        case "done"?, nil: StandardError.tellPerson("Rule \(rule.rule) has run.")
        case let outcome?:
            let what = outcome == "failed" ? "not everything was done" : "the firing was \(outcome)"
            throw VerbError("\(what)\(RuleExplainCommand.failures(of: answer))", .failure)
        }
    }
}

struct RuleExplainCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "explain",
        abstract: "Print when a rule fired, and when it did not although something could have started it.",
        discussion: """
            The newest is last. Result is done, failed, interrupted, or running of a firing; else why there was none: \
            condition, edge, pause, off, suspended, missed, limited or loop. Of these the last 20 since the daemon's start \
            are there. Behind a firing that has failed is why its actions did; --json has the result of each of them.
            """
    )

    @OptionGroup var rule: RuleArgument

    @Option(
        help: ArgumentHelp("How many firings at most, 1 to 1000; without it 20.", valueName: "number")
    )
    var limit: Int?

    @OptionGroup var list: ListOption
    @OptionGroup var people: AdministrationOption

    func validate() throws {
        if let limit, !(1...1000 ~= limit) {
            throw ValidationError("--limit must be 1 to 1000 (is \(limit))")
        }
    }

    func run() async throws {
        let query = ["limit": limit.map { "\($0)" }]
        let answer = try await people.ask(.get, rule.path("explain"), query: query, needsDaemon: true)
        let lines = answer["lines"] ?? []
        guard !list.json else { return try StandardOutput.print(lines.text) }
        let rows = (lines.array ?? []).map { line in
            let times = line["count"]?.integer.map { " (\($0) times)" } ?? ""
            return [
                ListOption.text(line["ts"] ?? .null), ListOption.text(line["result"] ?? .null),
                ListOption.text(line["why"] ?? .null) + times + Self.failures(of: line),
            ]
        }
        try StandardOutput.print(TextTable(header: ["TS", "RESULT", "WHY"], rows: rows))
    }

    /// What went wrong with the actions of a firing, the first one as 1; empty if nothing did.
    fileprivate static func failures(of line: JSONValue) -> String {
        let results = line["results"]?.array ?? []
        let texts = results.enumerated().filter { $0.element["ok"] == false }.map { index, result in
            "; action \(index + 1): \(ListOption.text(result["message"] ?? result["code"] ?? .null))"
        }
        return texts.joined()
    }
}
