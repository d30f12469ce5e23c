import ArgumentParser
import JSON
import Logging
import People
import Rules
import Text
import Things

/// `trilateral rule import`: rules of files, all or none.
struct RuleImportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "import",
        abstract: "Add all rules of files, or none of them.",
        discussion: """
            The files have rules in our form, or as AMAP applications, Ayla's service and Kii's Thing-IF have them. Prints a \
            line for each rule: FILE:LINE, its form and its short name. A rule whose maker has one with the same title and \
            content already is left out: its line ends with "unchanged". One with the same title and other content is added \
            beside it, with a warning. Problems are printed as FILE:LINE:COLUMN: \
            error|warning: CODE: MESSAGE on standard error. Exits with 65 if there is an error, and with 66 if a file cannot \
            be read.
            """
    )

    @Argument(
        help: ArgumentHelp("The files with rules, JSON; - reads standard input.", valueName: "file"),
        completion: .file()
    )
    var files: [String]

    @Option(help: ArgumentHelp("The thing that is meant where a rule names none.", valueName: "name"))
    var thing: String?

    @Option(
        name: .customLong("as"),
        help: ArgumentHelp("The user who makes them; without it the owner.", valueName: "user"),
        completion: .users
    )
    var maker: String?

    @Flag(help: "Only look for problems.")
    var check = false

    @OptionGroup var people: AdministrationOption

    func validate() throws {
        if files.count(where: { $0 == "-" }) > 1 {
            throw ValidationError("- can be given once, as standard input can be read once")
        }
        try RuleFiles.check(thing: thing)
    }

    func run() async throws {
        let rules = try RuleFiles(paths: files, thing: thing).read()
        let answer = try await people.ask(
            .post,
            [RulesCommand.route, "import"],
            body: [
                "rules": .array(rules.map { .object(JSONObject($0.members.compactMapValues(\.self))) }),
                "as": maker.map { .string($0) }, "check": .bool(check),
            ],
            needsDaemon: true
        )
        let problems = answer["problems"]?.array ?? []
        Self.report(problems, of: rules)
        guard problems.isEmpty else { throw ExitCode.dataError }
        Self.report(answer["warnings"]?.array ?? [], of: rules, as: .warning)
        let slugs = (answer["rules"]?.array ?? []).map { ListOption.text($0["slug"] ?? .null) }
        let unchanged = Self.unchanged(answer)
        let lines = rules.enumerated().map { index, rule in
            // A check gives no names: these are the ones that the titles make.
            let slug = unchanged[index] ?? (index < slugs.count ? slugs[index] : rule.slug)
            let end = unchanged[index] == nil ? "" : " unchanged"
            return "\(rule.file):\(rule.position.line) \(rule.form.rawValue) \(slug)\(end)"
        }
        try StandardOutput.print(lines: lines)
        guard !unchanged.isEmpty else { return }
        let count = "\(unchanged.count) of \(rules.count) \(rules.count == 1 ? "rule" : "rules")"
        let verb = unchanged.count == 1 ? "is" : "are"
        StandardError.report(
            "\(count) \(verb) there already, with the same title and content, and left unchanged",
            as: .notice
        )
    }

    /// The names of the rules that are there already, by their places in the files.
    private static func unchanged(_ answer: JSONValue) -> [Int: String] {
        var names: [Int: String] = [:]
        for row in answer["unchanged"]?.array ?? [] {
            guard let index = row["index"]?.integer else { continue }
            names[index] = ListOption.text(row["slug"] ?? .null)
        }
        return names
    }

    /// Prints what the daemon has found.
    private static func report(
        _ problems: [JSONValue],
        of rules: [RuleOfFile],
        as severity: RuleProblem.Severity = .error
    ) {
        for problem in problems {
            guard let index = problem["index"]?.integer, rules.indices.contains(index) else { continue }
            let code = problem["code"]?.string.flatMap(RefusalCode.init(rawValue:)) ?? .internalError
            let field = problem["field"]?.string
            // That is no member of the rule.
            let option = field == "as" ? "--" : ""
            let message = option + (problem["message"]?.string ?? "refused")
            StandardError.print("\(rules[index].problem(code, message, field: field, as: severity))")
        }
    }
}

/// `trilateral rule export`: rules for a file.
struct RuleExportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export",
        abstract: "Print rules as JSON that import reads, a line for each rule."
    )

    @Argument(
        help: ArgumentHelp("The rules' short names or numbers; without them all.", valueName: "rule"),
        completion: .rules
    )
    var rules: [String] = []

    @OptionGroup var people: AdministrationOption

    func run() async throws {
        for rule in rules { _ = try RulesCommand.path(rule) }
        let answer = try await people.ask(
            .post,
            [RulesCommand.route, "export"],
            body: ["rules": .array(rules.map { .string($0) })],
            needsDaemon: true
        )
        let found = answer["rules"]?.array ?? []
        let lines = found.enumerated().map { $0.element.text + ($0.offset + 1 < found.count ? "," : "") }
        try StandardOutput.print(lines: ["{\"rules\":["] + lines + ["]}"])
    }
}
