import Accounts
import ArgumentParser
import JSON
import People

/// `trilateral contact`: where a user's messages go.
struct ContactCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "contact",
        abstract: "Keep the contacts of users.",
        subcommands: [ContactAddCommand.self, ContactListCommand.self, ContactRemoveCommand.self]
    )
}

struct ContactAddCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "add",
        abstract: "Add a contact of a user; prints the identifier."
    )

    @Argument(help: "The user's name.", completion: .users)
    var user: String

    @Argument(help: "The contact's name.")
    var name: String

    @Option(help: "The e-mail address, such as bob@example.org.")
    var email: String?

    @Option(help: "The phone number: digits, spaces and + - / ( ).")
    var phone: String?

    @Option(
        name: .customLong("channel"),
        help: "A way in which they are reached. Can be given several times."
    )
    var channels: [Contact.Channel] = []

    @OptionGroup var people: AdministrationOption

    func run() async throws {
        try await people.add(
            "contacts",
            ["user": user, "name": name, "email": email, "phone": phone],
            lists: ["channels": channels.map(\.rawValue)]
        ) { _, id in "Added contact \(name) of \(user) (id \(id))." }
    }
}

struct ContactListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "Print the contacts of a user."
    )

    @Argument(help: "The user's name.", completion: .users)
    var user: String

    @OptionGroup var list: ListOption
    @OptionGroup var people: AdministrationOption

    func run() async throws {
        try await list.write(
            people.ask(.get, ["contacts"], query: ["user": user]),
            ["id", "name", "email", "phone", "channels"]
        )
    }
}

struct ContactRemoveCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rm",
        abstract: "Remove a contact of a user."
    )

    @Argument(help: "The user's name.", completion: .users)
    var user: String

    @Argument(help: "The identifier of the contact.")
    var id: String

    @OptionGroup var people: AdministrationOption

    func run() async throws {
        try await people.ask(.delete, ["contacts", id], query: ["user": user])
    }
}
