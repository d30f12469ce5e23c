import ArgumentParser
import JSON
import People

/// `trilateral token`: what programs bring to speak as a user.
struct TokenCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "token",
        abstract: "Make, list and remove the tokens with which programs speak as a user.",
        subcommands: [
            TokenAddCommand.self, ListRowsOfUserCommand<TokenRows>.self, RemoveRowCommand<TokenRows>.self,
        ]
    )
}

private enum TokenRows: AccountsRows {
    static let noun = "token"
    static let columns = ["id", "user", "name", "access", "made", "until", "used"]
    static let listing = "Print the tokens, without themselves."
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
        try await people.add(
            "tokens",
            ["user": user, "name": name, "access": right?.rawValue, "until": until],
            printing: "token"
        ) { answer, id in
            let end = answer["until"]?.string.map { "until \($0)" } ?? "until it is removed"
            return "Added token \(name) of \(user) (id \(id)), which counts \(end). Nobody can see it again."
        }
    }
}

/// `trilateral session`: who is signed in.
struct SessionCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "session",
        abstract: "List and end the sessions of those who are signed in.",
        subcommands: [ListRowsOfUserCommand<SessionRows>.self, RemoveRowCommand<SessionRows>.self]
    )
}

private enum SessionRows: AccountsRows {
    static let noun = "session"
    static let columns = ["id", "user", "name", "made", "until", "used"]
    static let removal = "End a session."
}
