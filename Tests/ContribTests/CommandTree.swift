import Foundation
import JSON
import TestSupport
import Testing

/// What the program's command line accepts, as the program itself describes it.
struct CommandTree {
    let name: String
    let abstract: String
    let discussion: String
    let arguments: [Argument]
    let subcommands: [CommandTree]
    /// The verb that is meant when none is named.
    let usual: String?

    /// An option, a flag, or an argument that is known by its place.
    struct Argument {
        let kind: String
        let names: [String]
        let valueName: String
        let abstract: String
        let choices: [String]
        let defaultValue: String?
        let isOptional: Bool
        let isRepeating: Bool
    }

    /// Asks the program that was built beside these tests.
    static func ofTheProgram() async throws -> CommandTree {
        let program = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
            .appending(path: "trilateral").path(percentEncoded: false)
        return try await withTemporaryFolder { folder in
            let child = try ChildProcess(
                program,
                ["--experimental-dump-help"],
                output: folder.path("help.json")
            )
            #expect(await child.end(within: .seconds(30)) == 0)
            await child.destroy()
            let help = try JSONValue(parsing: folder.read("help.json"))
            return try #require(help["command"].map(CommandTree.init))
        }
    }

    private init(_ json: JSONValue) {
        name = json["commandName"]?.string ?? ""
        abstract = json["abstract"]?.string ?? ""
        discussion = json["discussion"]?.string ?? ""
        arguments = (json["arguments"]?.array ?? []).filter { $0["shouldDisplay"]?.bool != false }
            .map(Argument.init)
            .filter { !["help", "version"].contains($0.valueName) }
        subcommands = (json["subcommands"]?.array ?? []).map(CommandTree.init)
        usual = json["defaultSubcommand"]?.string
    }

    /// The verbs that `--help` shows.
    var verbs: [CommandTree] { subcommands.filter { !["manual", "help"].contains($0.name) } }

    /// What is wrong with the words of a command, if something is.
    ///
    /// - Parameter isWhole: Whether no required argument may be missing.
    func problem(of words: [String], isWhole: Bool = true) -> String? {
        if let word = words.first, let verb = subcommands.first(where: { $0.name == word }) {
            return verb.problem(of: Array(words.dropFirst()), isWhole: isWhole)
        }
        if let verb = subcommands.first(where: { $0.name == usual }) {
            return verb.problem(of: words, isWhole: isWhole)
        }
        if !subcommands.isEmpty, arguments.isEmpty { return words.first.map { "\(name) has no verb \($0)" } }
        var places = 0
        var rest = words[...]
        while let word = rest.popFirst() {
            guard word.hasPrefix("-"), word != "-" else {
                places += 1
                continue
            }
            let parts = word.split(separator: "=", maxSplits: 1).map(String.init)
            guard let option = arguments.first(where: { $0.names.contains(parts[0]) }) else {
                return "\(name) has no option \(word)"
            }
            guard option.kind == "option", parts.count == 1 else { continue }
            if rest.popFirst() == nil { return "\(name) \(word) needs a value" }
        }
        let wanted = arguments.filter { $0.kind == "positional" }
        if isWhole, places < wanted.count(where: { !$0.isOptional }) {
            return "\(name) needs \(wanted.map(\.valueName))"
        }
        if places > wanted.count, !wanted.contains(where: \.isRepeating) {
            return "\(name) takes only \(wanted.map(\.valueName))"
        }
        return nil
    }
}

extension CommandTree.Argument {
    fileprivate init(_ json: JSONValue) {
        kind = json["kind"]?.string ?? ""
        names = (json["names"]?.array ?? []).compactMap { name in
            name["name"]?.string.map { (name["kind"]?.string == "long" ? "--" : "-") + $0 }
        }
        valueName = json["valueName"]?.string ?? ""
        abstract = json["abstract"]?.string ?? ""
        choices = json["allValues"]?.array?.compactMap(\.string) ?? []
        defaultValue = json["defaultValue"]?.string
        isOptional = json["isOptional"]?.bool ?? false
        isRepeating = json["isRepeating"]?.bool ?? false
    }
}
