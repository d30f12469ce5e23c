import ArgumentParser
import JSON
import People

/// `trilateral group`: groups of users, and of things.
struct GroupCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "group",
        abstract: "Add, fill, list and remove groups of users and of things.",
        subcommands: [
            GroupAddCommand.self, GroupJoinCommand.self, GroupLeaveCommand.self,
            ListRowsCommand<GroupRows>.self,
            GroupRemoveCommand.self,
        ]
    )
}

private enum GroupRows: AccountsRows {
    static let noun = "group"
    static let columns = ["name", "kind", "members", "id"]
    static let listing = "Print the groups with their members."
}

struct GroupAddCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "add",
        abstract: "Add a group; prints the identifier."
    )

    @Argument(help: "A name of a-z, 0-9, '.', '_' and '-'.")
    var name: String

    @Option(help: "What its members are.")
    var of: Grouping.Kind = .users

    @OptionGroup var people: AdministrationOption

    func run() async throws {
        try await people.add("groups", ["name": name, "kind": of.rawValue]) { _, id in
            "Added group \(name) of \(of.rawValue) (id \(id)). `trilateral group join \(name) …` adds members."
        }
    }
}

/// Members that come into a group or leave it.
private struct GroupMembers: ParsableArguments {
    @Argument(help: "The group's name.")
    var group: String

    @Argument(help: "Names of users, or short names or identifiers of things.")
    var members: [String]

    @OptionGroup var people: AdministrationOption

    /// - Parameter path: Below the group's.
    func send(to path: String) async throws {
        try await people.ask(
            .post,
            ["groups", group, path],
            body: ["members": .array(members.map { .string($0) })]
        )
    }
}

struct GroupJoinCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "join",
        abstract: "Add members to a group."
    )

    @OptionGroup private var members: GroupMembers

    func run() async throws { try await members.send(to: "members") }
}

struct GroupLeaveCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "leave",
        abstract: "Take members out of a group."
    )

    @OptionGroup private var members: GroupMembers

    func run() async throws { try await members.send(to: "leave") }
}

struct GroupRemoveCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rm",
        abstract: "Remove a group with its grants; its members stay."
    )

    @Argument(help: "The group's name.")
    var group: String

    @OptionGroup var people: AdministrationOption

    func run() async throws {
        try await people.ask(.delete, ["groups", group])
    }
}
