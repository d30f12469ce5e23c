import ArgumentParser
import Bindings
import Daemon
import JSON
import People
import Text
import Things

/// `trilateral thing command`: gives a thing a command, and waits until it has ended.
struct ThingCommandCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "command",
        abstract: "Give a thing a command of one or more actions, and print what became of each.",
        discussion: """
            The actions are done in the order in which they are given; one that fails does not stop the next. It waits until \
            the command has ended, at most bindings.command_seconds. Exits with 1 if an action has failed.
            """
    )

    /// How often it asks whether the command has ended.
    private static let interval = Duration.milliseconds(100)

    @OptionGroup var thing: BindingArgument

    @Argument(
        help: ArgumentHelp(
            "What to set, such as brightness=0.4; a name alone is an action such as nextColor.",
            valueName: "name=value"
        )
    )
    var actions: [String]

    @Option(
        help: ArgumentHelp("The instance whose owner gives the command.", valueName: "tag"),
        completion: .instances
    )
    var tag: String?

    @OptionGroup var list: ListOption
    @OptionGroup var people: AdministrationOption

    func run() async throws {
        let given = try await people.ask(
            .post,
            thing.path("commands"),
            body: request(),
            needsDaemon: true
        )
        let path = try thing.path("commands", ListOption.text(given["commandID"] ?? .null))
        var command = JSONValue.null
        var state: CommandState?
        repeat {
            if state != nil { try await Task.sleep(for: Self.interval) }
            command = try await people.ask(.get, path, needsDaemon: true)
            state = (command["commandState"]?.string).flatMap { CommandState(rawValue: $0) }
        } while state?.isOpen == true
        try StandardOutput.print(lines: list.json ? [command.text] : Self.lines(of: command))
        if state != .done { throw ExitCode(1) }
    }

    /// The body of the request, checked as far as that needs no daemon.
    ///
    /// - Throws: ``VerbError``.
    func request() throws(VerbError) -> [String: JSONValue?] {
        let actions = JSONValue.array(try actions.map(Self.action))
        do throws(Refusal) {
            _ = try CommandRequest(message: ["actions": actions], others: [])
        } catch {
            throw VerbError(error.message, .dataError)
        }
        return [
            "actions": actions,
            "tag": try tag.map { tag throws(VerbError) in .string(try InstanceTag.check(tag)) },
        ]
    }

    /// A value is JSON where it can be, else a text.
    private static func action(_ word: String) throws(VerbError) -> JSONValue {
        let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(
            String.init
        )
        guard let name = parts.first, !name.isEmpty else {
            throw VerbError("\(QuotedValue.of(word)): a name must stand before =", .dataError)
        }
        guard parts.count == 2 else { return .object([name: true]) }
        return .object([name: (try? JSONValue(parsing: parts[1])) ?? .string(parts[1])])
    }

    /// A line for each action: `ok NAME`, or `failed NAME: REASON`.
    static func lines(of command: JSONValue) -> [String] {
        (command["actionResults"]?.array ?? []).compactMap { result in
            guard let (name, outcome) = result.object?.first else { return nil }
            let shown = TerminalText.visible(name)
            guard outcome["succeeded"] != true else { return "ok \(shown)" }
            return
                "failed \(shown): \(TerminalText.visible(outcome["errorMessage"]?.string ?? "no reason was given"))"
        }
    }
}
