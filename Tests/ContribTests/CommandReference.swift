/// The manual's page of all verbs, made from what the program says of itself.
struct CommandReference {
    let tree: CommandTree

    static let path = "contrib/manual/command-line.md"

    var text: String {
        var lines = [
            "# Command line", "",
            "<!-- Written by a test from the program's own --help: TRILATERAL_RECORD=1 swift test --filter ManualTests -->",
            "",
            "`--help` shows the same for each verb, and `man trilateral` shows all of it. \(tree.discussion)",
            "",
        ]
        lines += tree.verbs.flatMap { Self.section($0, path: "trilateral") }
        return lines.joined(separator: "\n")
    }

    private static func section(_ verb: CommandTree, path: String) -> [String] {
        let name = "\(path) \(verb.name)"
        let below = verb.subcommands.flatMap { section($0, path: name) }
        // A verb may do something itself and have verbs as well.
        guard verb.subcommands.isEmpty || !verb.arguments.isEmpty else { return below }
        var lines = ["## \(name)", "", verb.abstract, "", "```", wrapped(usage(verb, name)), "```", ""]
        if !verb.discussion.isEmpty { lines += [verb.discussion, ""] }
        guard !verb.arguments.isEmpty else { return lines + below }
        lines += ["| argument or option | meaning |", "| --- | --- |"]
        lines += verb.arguments.map { "| `\(term($0))` | \(meaning($0)) |" }
        return lines + [""] + below
    }

    private static func usage(_ verb: CommandTree, _ name: String) -> [String] {
        [name]
            + verb.arguments.map { argument in
                let word = argument.kind == "positional" ? value(argument) : term(argument, short: true)
                return argument.isOptional ? "[\(word)]" : word
            }
    }

    private static func value(_ argument: CommandTree.Argument) -> String {
        "<\(argument.valueName)>" + (argument.isRepeating ? " ..." : "")
    }

    private static func term(_ argument: CommandTree.Argument, short: Bool = false) -> String {
        guard !argument.names.isEmpty else { return value(argument) }
        let names = short ? argument.names[0] : argument.names.joined(separator: ", ")
        return names + (argument.kind == "option" ? " \(value(argument))" : "")
    }

    private static func meaning(_ argument: CommandTree.Argument) -> String {
        let choices = argument.choices.isEmpty ? [] : ["one of " + argument.choices.joined(separator: ", ")]
        let notes = choices + (argument.defaultValue.map { ["default \($0)"] } ?? [])
        let text =
            notes.isEmpty ? argument.abstract : "\(argument.abstract) (\(notes.joined(separator: "; ")))"
        return text.replacing("<", with: "&lt;").replacing("|", with: "\\|")
    }

    /// Words on lines of at most 100 columns.
    private static func wrapped(_ words: [String]) -> String {
        words.reduce(into: [""]) { lines, word in
            let last = lines[lines.count - 1]
            if last.isEmpty {
                lines[lines.count - 1] = word
            } else if last.count + word.count < 100 {
                lines[lines.count - 1] += " \(word)"
            } else {
                lines.append("    \(word)")
            }
        }.joined(separator: "\n")
    }
}
