import ArgumentParser
import JSON
import People

/// `trilateral share`: things that are offered to others.
struct ShareCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "share",
        abstract: "Share things with users, who accept it or not.",
        subcommands: [
            ShareAddCommand.self, ShareAcceptCommand.self, ListRowsCommand<ShareRows>.self,
            RemoveRowCommand<ShareRows>.self,
        ]
    )
}

private enum ShareRows: AccountsRows {
    static let noun = "share"
    static let columns = ["id", "user", "thing", "access", "starts", "ends", "giver", "accepted"]
    static let removal = "End a share."
}

/// What a share can allow.
enum SharedRight: String, CaseIterable, ExpressibleByArgument {
    case read, write
}

struct ShareAddCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "add",
        abstract:
            "Offer a thing to a user; prints the identifier. A second share of the two replaces the first."
    )

    @Argument(help: "The user's name.", completion: .users)
    var user: String

    @Argument(help: "The thing's short name or identifier.", completion: .things)
    var thing: String

    @Argument(help: "What is allowed.")
    var right = SharedRight.read

    @OptionGroup var period: PeriodOption
    @OptionGroup var people: AdministrationOption

    func run() async throws {
        let share = ["user": user, "thing": thing, "access": right.rawValue]
        try await people.add("shares", period.limiting(share)) { _, id in
            "Offered \(user) \(right.rawValue) of \(thing) (share \(id)), which counts once they have accepted it."
        }
    }
}

struct ShareAcceptCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "accept",
        abstract: "Accept a share on behalf of its user."
    )

    @Argument(help: "The identifier of the share.")
    var id: String

    @OptionGroup var people: AdministrationOption

    func run() async throws {
        try await people.ask(.post, ["shares", id, "accept"])
    }
}
