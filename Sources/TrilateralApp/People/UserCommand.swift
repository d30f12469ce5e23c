import ArgumentParser
import JSON
import Logging
import People

/// `trilateral user`: who may speak.
struct UserCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "user",
        abstract: "Add, list, switch and remove users.",
        discussion: """
            The verbs about people work while the daemon of the state folder runs, over its socket, and while it does not. \
            Whoever may open the folder is an owner to them.
            """,
        subcommands: [
            UserAddCommand.self, ListRowsCommand<UserRows>.self, UserOnCommand.self, UserOffCommand.self,
            UserRemoveCommand.self, UserPasswordCommand.self,
        ]
    )
}

private enum UserRows: AccountsRows {
    static let noun = "user"
    static let columns = ["name", "display", "email", "state", "password", "groups", "made", "seen", "id"]
}

struct UserAddCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "add",
        abstract: "Add a user, who may do nothing yet; prints the identifier."
    )

    @Argument(help: "A name of a-z, 0-9, '.', '_' and '-'; it cannot be changed.")
    var name: String

    @Option(help: "The name that is shown.")
    var display: String?

    @Option(help: "The e-mail address, such as bob@example.org.")
    var email: String?

    @Option(help: ArgumentHelp("A group of users to be in.", valueName: "group"))
    var group: String?

    @OptionGroup var password: PasswordOption
    @OptionGroup var people: AdministrationOption

    func run() async throws {
        let password = try password.fromFile()
        try await people.add(
            "users",
            ["name": name, "display": display, "email": email, "group": group, "password": password]
        ) { _, id in
            "Added user \(name) (id \(id)). `trilateral grant add \(name) …` says what they may do."
        }
    }
}

struct UserOnCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "on",
        abstract: "Switch a user on, or approve one who signed up."
    )

    @Argument(help: "The user's name.", completion: .users)
    var name: String

    @OptionGroup var people: AdministrationOption

    func run() async throws {
        try await people.ask(.patch, ["users", name], body: ["state": "active"])
    }
}

struct UserOffCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "off",
        abstract: "Switch a user off, which ends all sessions."
    )

    @Argument(help: "The user's name.", completion: .users)
    var name: String

    @OptionGroup var people: AdministrationOption

    func run() async throws {
        try await people.ask(.patch, ["users", name], body: ["state": "off"])
    }
}

struct UserRemoveCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rm",
        abstract: "Remove a user with grants, tokens, sessions and contacts."
    )

    @Argument(help: "The user's name.", completion: .users)
    var name: String

    @OptionGroup var people: AdministrationOption

    func run() async throws {
        let answer = try await people.ask(.delete, ["users", name])
        let devices = (answer["devices"]?.array ?? []).compactMap(\.string)
        guard !devices.isEmpty else { return }
        StandardError.report(
            "these devices still name this user, and are nobody's now: \(devices.joined(separator: ", "))",
            as: .notice
        )
    }
}

struct UserPasswordCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "password",
        abstract: "Set a user's password, which ends all sessions.",
        discussion: "Without --password-file it is asked for on the terminal."
    )

    @Argument(help: "The user's name.", completion: .users)
    var name: String

    @OptionGroup var password: PasswordOption
    @OptionGroup var people: AdministrationOption

    func run() async throws {
        let password = try await password.required()
        try await people.ask(
            .put,
            ["users", name, "password"],
            body: ["password": .string(password)]
        )
    }
}
