import ArgumentParser
import JSON
import People

/// `trilateral thing`: things with owners.
struct ThingsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "thing",
        abstract: "Onboard things, command them, and keep their owners and tokens.",
        discussion: """
            The verbs about things with owners need a daemon that runs, and ask it over its socket. Whoever may open the \
            state folder is an owner to them.
            """,
        subcommands: [
            ThingExpectCommand.self, ThingOnboardCommand.self, ThingListCommand.self, ThingShowCommand.self,
            ThingCommandCommand.self, ThingOwnerCommand.self, ThingTokenCommand.self, ThingForgetCommand.self,
        ]
    )

    /// The columns of a list.
    fileprivate static let columns: KeyValuePairs = [
        "VENDOR": "vendor", "THINGID": "thingID", "TYPE": "type", "OWNED": "owned", "ROUTE": "route",
        "THING": "thing", "OWNERS": "owners",
    ]
}

struct ThingListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "Print the things that were onboarded, and those that were seen and have no owner yet."
    )

    @Flag(help: "Only those that were seen, and have no owner yet.")
    var pending = false

    @Flag(help: "Only those that somebody has claimed, also if nobody owns them now.")
    var onboarded = false

    @OptionGroup var list: ListOption
    @OptionGroup var people: AdministrationOption

    func validate() throws {
        if pending, onboarded {
            throw ValidationError("--pending and --onboarded exclude each other; give one of them")
        }
    }

    func run() async throws {
        let filter = pending ? "pending" : onboarded ? "onboarded" : nil
        // Of pending ones it counts when they were seen, and what sees them.
        let columns = Array(ThingsCommand.columns) + (pending ? [(key: "SEEN", value: "seen")] : [])
        try await list.write(
            people.rows("bindings", query: ["filter": filter]),
            columns.map(\.value),
            header: columns.map(\.key)
        )
    }
}

struct ThingShowCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Print what is known of a thing, a line for each value."
    )

    @OptionGroup var thing: BindingArgument
    @OptionGroup var list: ListOption
    @OptionGroup var people: AdministrationOption

    func run() async throws {
        try await list.write(
            record: people.ask(.get, thing.path(), needsDaemon: true),
            ThingsCommand.columns.map(\.value)
        )
    }
}

struct ThingForgetCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "forget",
        abstract: "Forget a thing with its owners, tokens and history.",
        discussion: """
            A thing of the place that was made when it was onboarded goes, too; one that was there before stays. \
            Afterwards it can be onboarded again, with another password.
            """
    )

    @OptionGroup var thing: BindingArgument
    @OptionGroup var people: AdministrationOption

    func run() async throws {
        try await people.ask(.delete, thing.path(), needsDaemon: true)
        StandardError.tellPerson("Forgot \(thing.id) with its owners, tokens and history.")
    }
}
