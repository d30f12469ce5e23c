import ArgumentParser
import Glibc
import JSON
import People
import Text

/// `trilateral rule show`: what a rule says, and how it is.
struct RuleShowCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Print what a rule says, how it is and the next five times.",
        discussion: """
            On a terminal the first line is the rule as a sentence, and a line for each value follows. To a file or a \
            pipe it prints JSON, as with --json.
            """
    )

    @OptionGroup var rule: RuleArgument

    @Flag(help: "Print it as it came in, as JSON without secrets.")
    var original = false

    @OptionGroup var list: ListOption
    @OptionGroup var people: AdministrationOption

    func run() async throws {
        let query = ["original": original ? "1" : nil]
        let answer = try await people.ask(.get, rule.path(), query: query, needsDaemon: true)
        guard !original, !list.json, isatty(Terminal.output.descriptor) == 1 else {
            return try StandardOutput.print(answer.text)
        }
        try StandardOutput.print(lines: Self.lines(of: answer))
    }

    /// The sentence, and below it a line for each value that there is.
    private static func lines(of rule: JSONValue) -> [String] {
        var rows = ["title", "slug", "id", "description"].map { [$0, text(rule[$0])] }
        rows.append(["state", state(of: rule)])
        rows.append(["until", text(rule["until"])])
        let times = (rule["next"]?.array ?? []).map { ListOption.text($0) }
        rows += times.enumerated().map { [$0 == 0 ? "next" : "", $1] }
        if let last = rule["last"], !last.isNull {
            rows.append(["last", ["ts", "outcome", "why"].map { text(last[$0]) }.joined(separator: " ")])
        }
        rows += ["maker", "form", "added", "changed"].map { [$0, text(rule[$0])] }
        let table = TextTable(rows: rows.filter { $0.last?.isBlank == false })
        return [text(rule["sentence"])].filter { !$0.isEmpty } + table.lines
    }

    private static func text(_ value: JSONValue?) -> String { ListOption.text(value ?? .null) }

    /// `ready`, `off`, or `suspended` with the reason.
    private static func state(of rule: JSONValue) -> String {
        let state = text(rule["state"])
        guard state == "suspended" else { return state }
        let missing = (rule["missing"]?.array ?? []).compactMap(\.string)
        let what = missing.isEmpty ? "" : " (\(missing.joined(separator: ", ")))"
        return "\(state): \(text(rule["suspended"]))\(what)"
    }
}
