import ArgumentParser
import JSON
import People

/// `trilateral thing owner`: whose a thing is.
struct ThingOwnerCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "owner",
        abstract: "Add and remove owners of a thing.",
        subcommands: [ThingOwnerAddCommand.self, ThingOwnerRemoveCommand.self]
    )
}

/// A thing and one of its owners.
private struct OwnershipArguments: ParsableArguments {
    @OptionGroup var thing: BindingArgument

    @Argument(help: "A user such as bob, or a group such as group:staff.", completion: .users)
    var who: String

    @OptionGroup var people: AdministrationOption
}

struct ThingOwnerAddCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "add",
        abstract: "Make somebody an owner of a thing that was onboarded."
    )

    @OptionGroup private var owner: OwnershipArguments

    func run() async throws {
        let (id, who) = (owner.thing.id, owner.who)
        try await owner.people.ask(
            .post,
            owner.thing.path("owners"),
            body: ["owner": .string(OwnerArgument.name(who))],
            needsDaemon: true
        )
        StandardError.tellPerson(
            "\(who) owns \(id) now. `trilateral thing owner rm \(id) \(who)` takes it away."
        )
    }
}

struct ThingOwnerRemoveCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rm",
        abstract: "Take a thing away from one of its owners.",
        discussion: """
            The last one can go, too: nobody manages the thing then until somebody claims it with its password. It reports, \
            and who may write it in the place commands it, as before. Who knows the password can claim it again; only \
            `trilateral thing forget` and another password shut somebody out.
            """
    )

    @OptionGroup private var owner: OwnershipArguments

    func run() async throws {
        try await owner.people.ask(
            .delete,
            owner.thing.path("owners", OwnerArgument.name(owner.who)),
            needsDaemon: true
        )
        StandardError.tellPerson("\(owner.who) does not own \(owner.thing.id) any more.")
    }
}

/// `trilateral thing token`: another token for a thing.
struct ThingTokenCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "token",
        abstract:
            "Make another token of a thing, which ends the former ones; prints it, and nobody can see it again."
    )

    @OptionGroup var thing: BindingArgument

    @Flag(help: "Needed, since the thing must get the new token before it can report again.")
    var rotate = false

    @OptionGroup var people: AdministrationOption

    func validate() throws {
        if !rotate {
            throw ValidationError(
                "a thing's token is stored as a hash and cannot be shown: --rotate makes another one and ends the former ones"
            )
        }
    }

    func run() async throws {
        let answer = try await people.ask(.post, thing.path("token"), body: [:], needsDaemon: true)
        try StandardOutput.print(ListOption.text(answer["accessToken"] ?? .null))
        StandardError.tellPerson(
            "The former tokens of \(thing.id) have ended. Give it this one; nobody can see it again."
        )
    }
}
