import ArgumentParser
import JSON
import People

/// `trilateral token`: what programs bring to speak as a user.
struct TokenCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "token",
        abstract: "Make, list and remove the tokens with which programs speak as a user.",
        subcommands: [TokenAddCommand.self, TokenListCommand.self, TokenRemoveCommand.self]
    )
}

struct TokenAddCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "add",
        abstract: "Make a token; prints it, and nobody can see it again."
    )

    @Argument(help: "The user's name.", completion: .users)
    var user: String

    @Argument(help: "A name for it, such as panel.")
    var name: String

    @Option(help: "The most that it allows; without it all that the user may.")
    var right: Access?

    @Option(help: ArgumentHelp("Its end; without it never.", valueName: "time"))
    var until: String?

    @OptionGroup var people: AdministrationOption

    func run() async throws {
        let answer = try await people.ask(
            .post,
            ["tokens"],
            body: [
                "user": .string(user), "name": .string(name),
                "access": right.map { .string($0.rawValue) }, "until": until.map { .string($0) },
            ],
            makes: true
        )
        do throws(OutputError) {
            try StandardOutput.print(ListOption.text(answer["token"] ?? .null))
        } catch {
            // Nobody has seen it, and nobody can see it again.
            if let id = answer["id"]?.string {
                try await people.ask(.delete, ["tokens", id])
            }
            throw error
        }
    }
}

struct TokenListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "Print the tokens, without themselves."
    )

    @Option(help: "Only those of a user.", completion: .users)
    var user: String?

    @OptionGroup var list: ListOption
    @OptionGroup var people: AdministrationOption

    func run() async throws {
        try await list.write(
            people.ask(.get, ["tokens"], query: ["user": user]),
            ["id", "user", "name", "access", "made", "until", "used"]
        )
    }
}

struct TokenRemoveCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "rm", abstract: "Remove a token.")

    @Argument(help: "The identifier of the token.")
    var id: String

    @OptionGroup var people: AdministrationOption

    func run() async throws {
        try await people.ask(.delete, ["tokens", id])
    }
}

/// `trilateral session`: who is signed in.
struct SessionCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "session",
        abstract: "List and end the sessions of those who are signed in.",
        subcommands: [SessionListCommand.self, SessionRemoveCommand.self]
    )
}

struct SessionListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "list", abstract: "Print the sessions.")

    @Option(help: "Only those of a user.", completion: .users)
    var user: String?

    @OptionGroup var list: ListOption
    @OptionGroup var people: AdministrationOption

    func run() async throws {
        try await list.write(
            people.ask(.get, ["sessions"], query: ["user": user]),
            ["id", "user", "name", "made", "until", "used"]
        )
    }
}

struct SessionRemoveCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "rm", abstract: "End a session.")

    @Argument(help: "The identifier of the session.")
    var id: String

    @OptionGroup var people: AdministrationOption

    func run() async throws {
        try await people.ask(.delete, ["sessions", id])
    }
}
