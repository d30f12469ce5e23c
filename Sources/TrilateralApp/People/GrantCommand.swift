import ArgumentParser
import Daemon
import JSON
import People

/// `trilateral grant`: what users may do.
struct GrantCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "grant",
        abstract: "Give, list, take and check rights.",
        discussion: """
            A scope is all, devices, device:NODE, environment:E, zone:Z, thing:T or group:G (of things), by short name or identifier. \
            A right is read (see), write (also drive) or own (also change and give on). Times are dates, or like \
            2030-01-01T08:00:00Z.
            """,
        subcommands: [
            GrantAddCommand.self, GrantListCommand.self, RemoveRowCommand<GrantRows>.self,
            GrantCheckCommand.self,
        ]
    )
}

private enum GrantRows: AccountsRows {
    static let noun = "grant"
    static let columns = [
        "id", "who", "scope", "access", "starts", "ends", "giver", "share", "accepted",
    ]
    static let removal = "Take a right away."
}

/// From when until when something counts.
struct PeriodOption: ParsableArguments {
    @Option(help: ArgumentHelp("It counts from then.", valueName: "time"))
    var from: String?

    @Option(help: ArgumentHelp("It does not count from then on.", valueName: "time"))
    var until: String?

    func limiting(_ request: [String: String?]) -> [String: String?] {
        request.merging(["starts": from, "ends": until]) { $1 }
    }
}

struct GrantAddCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "add",
        abstract: "Give a right; prints the identifier of the grant."
    )

    @Argument(help: "A user such as bob, or a group such as group:staff.", completion: .users)
    var who: String

    @Argument(help: "What it is about, such as all, zone:kitchen or thing:table-lamp.", completion: .scopes)
    var scope: String

    @Argument(help: "What is allowed.")
    var right: Access

    @OptionGroup var period: PeriodOption
    @OptionGroup var people: AdministrationOption

    func run() async throws {
        let grant = ["who": who, "scope": scope, "access": right.rawValue]
        try await people.add("grants", period.limiting(grant)) { _, id in
            "Gave \(who) \(right.rawValue) of \(scope) (grant \(id)). `trilateral grant rm \(id)` takes it away."
        }
    }
}

struct GrantListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "list", abstract: "Print the grants.")

    @Option(help: ArgumentHelp("Only those of a user, or of a group such as group:staff.", valueName: "who"))
    var of: String?

    @OptionGroup var list: ListOption
    @OptionGroup var people: AdministrationOption

    func run() async throws {
        try await list.write(
            people.ask(.get, [GrantRows.path], query: ["of": of]),
            GrantRows.columns
        )
    }
}

struct GrantCheckCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Ask whether a user may do something, and by which grant or why not.",
        discussion: "Exit code 0 if so, 1 if not."
    )

    @Argument(help: "The user's name.", completion: .users)
    var user: String

    @Argument(help: "What it is about, such as all, zone:kitchen or thing:table-lamp.", completion: .scopes)
    var scope: String

    @Argument(help: "What is asked for.")
    var right: Access

    @Option(help: ArgumentHelp("The moment that is asked about, instead of now.", valueName: "time"))
    var at: String?

    @OptionGroup var people: AdministrationOption

    func run() async throws {
        var isGranted = false
        let answer = try await people.ask(
            .get,
            ["grants", "check"],
            query: ["user": user, "scope": scope, "access": right.rawValue, "at": at]
        )
        isGranted = answer["granted"]?.bool ?? false
        try StandardOutput.print(TerminalText.visible(answer["text"]?.string ?? ""))
        if !isGranted { throw ExitCode(1) }
    }
}
