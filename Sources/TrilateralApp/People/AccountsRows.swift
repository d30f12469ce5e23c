import ArgumentParser
import JSON
import People

/// What verbs list and remove: grants, tokens and so on.
protocol AccountsRows {
    /// One of them, as verbs and messages call it.
    static var noun: String { get }
    /// The members of a row that are columns of the table, in order.
    static var columns: [String] { get }
    /// What `list` does.
    static var listing: String { get }
    /// What `rm` does.
    static var removal: String { get }
}

extension AccountsRows {
    /// The route below `/api/`.
    static var path: String { noun + "s" }
    static var listing: String { "Print the \(path)." }
    static var removal: String { "Remove a \(noun)." }
}

/// `list` of all rows.
struct ListRowsCommand<Rows: AccountsRows>: AsyncParsableCommand {
    static var configuration: CommandConfiguration { .init(commandName: "list", abstract: Rows.listing) }

    @OptionGroup var list: ListOption
    @OptionGroup var people: AdministrationOption

    func run() async throws { try await list.write(people.ask(.get, [Rows.path]), Rows.columns) }
}

/// `list` of all rows, or of those of one user.
struct ListRowsOfUserCommand<Rows: AccountsRows>: AsyncParsableCommand {
    static var configuration: CommandConfiguration { .init(commandName: "list", abstract: Rows.listing) }

    @Option(help: "Only those of a user.", completion: .users)
    var user: String?

    @OptionGroup var list: ListOption
    @OptionGroup var people: AdministrationOption

    func run() async throws {
        try await list.write(people.ask(.get, [Rows.path], query: ["user": user]), Rows.columns)
    }
}

/// `rm` of a row by its identifier.
struct RemoveRowCommand<Rows: AccountsRows>: AsyncParsableCommand {
    static var configuration: CommandConfiguration { .init(commandName: "rm", abstract: Rows.removal) }

    @Argument(help: "The identifier of the \(Rows.noun).")
    var id: String

    @OptionGroup var people: AdministrationOption

    func run() async throws { try await people.ask(.delete, [Rows.path, id]) }
}
