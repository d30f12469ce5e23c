import ArgumentParser
import JSON
import People

/// `trilateral instance`: what programs keep between their runs.
struct InstanceCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "instance",
        abstract: "Show, copy and remove what programs keep: their owner, thing and installation.",
        discussion: "An instance is named by its tag; - is the one without a tag.",
        subcommands: [
            InstanceListCommand.self, InstanceShowCommand.self, InstanceCopyCommand.self,
            InstanceRemoveCommand.self,
        ]
    )

    fileprivate static let route = "instances"
    fileprivate static let columns = [
        "tag", "realm", "site", "owner", "thing", "installation", "format",
    ]
}

struct InstanceListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "list", abstract: "Print the instances.")

    @OptionGroup var list: ListOption
    @OptionGroup var people: AdministrationOption

    func run() async throws {
        try await list.write(people.rows(InstanceCommand.route), InstanceCommand.columns)
    }
}

struct InstanceShowCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Print an instance, a line for each value.",
        discussion: """
            Exits with 66 if there is none of the tag, and with 65 if it is of another app or site, or of a newer version.
            """
    )

    @Argument(
        help: ArgumentHelp("Its tag; without it the one without a tag.", valueName: "tag"),
        completion: .instances
    )
    var tag: String?

    @OptionGroup var list: ListOption
    @OptionGroup var people: AdministrationOption

    func run() async throws {
        let path = [InstanceCommand.route, try InstanceTag.word(tag)]
        try await list.write(
            record: people.ask(.get, path, needsDaemon: true),
            InstanceCommand.columns
        )
    }
}

struct InstanceCopyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "copy",
        abstract: "Copy an instance to another tag, for another thing."
    )

    @Argument(help: ArgumentHelp("The tag of the instance.", valueName: "tag"), completion: .instances)
    var tag: String

    @Option(
        help: ArgumentHelp("The thing of the copy, by vendorThingID or thingID.", valueName: "id"),
        completion: .bindings
    )
    var thing: String

    @Option(help: ArgumentHelp("The tag of the copy.", valueName: "tag"))
    var to: String

    @OptionGroup var people: AdministrationOption

    func run() async throws {
        let copy = try InstanceTag.check(to)
        try await people.ask(
            .post,
            [InstanceCommand.route, InstanceTag.word(tag), "copy"],
            body: ["thing": .string(thing), "to": .string(copy)],
            needsDaemon: true
        )
        StandardError.tellPerson("Copied to \(InstanceTag.title(copy)), which is for \(thing).")
    }
}

struct InstanceRemoveCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rm",
        abstract: "Remove an instance, or all of them; owners, things and installations stay."
    )

    @Argument(help: ArgumentHelp("Its tag.", valueName: "tag"), completion: .instances)
    var tag: String?

    @Flag(help: "Remove all of them.")
    var all = false

    @OptionGroup var people: AdministrationOption

    func validate() throws {
        if all == (tag != nil) {
            throw ValidationError("give the tag of an instance (- is the one without), or --all")
        }
    }

    func run() async throws {
        let path = try all ? [] : [InstanceTag.word(tag)]
        try await people.ask(.delete, [InstanceCommand.route] + path, needsDaemon: true)
        let title = try all ? "all instances" : InstanceTag.title(InstanceTag.check(tag))
        StandardError.tellPerson("Removed \(title).")
    }
}
