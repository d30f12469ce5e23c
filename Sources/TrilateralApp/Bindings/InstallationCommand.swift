import ArgumentParser
import Bindings
import JSON
import People
import Settings
import Text
import Things

/// `trilateral installation`: applications that are notified when a command has ended.
struct InstallationCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "installation",
        abstract:
            "Add, list and remove the push tokens of users, who are notified when their commands have ended.",
        subcommands: [
            InstallationAddCommand.self, InstallationListCommand.self, InstallationRemoveCommand.self,
        ]
    )

    fileprivate static let route = "installations"
}

struct InstallationAddCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "add",
        abstract: "Tie a push token to a user; prints the identifier.",
        discussion: """
            The same token with the same --development again moves the installation: it keeps its identifier, and its \
            former user is not notified any more. With and without --development there are two installations.
            """
    )

    @Option(
        help: ArgumentHelp(
            "The push token, which other users of this machine can see here.",
            valueName: "token"
        )
    )
    var token: String?

    @Option(file: "A file with the push token and nothing else, instead.")
    var tokenFile: String?

    @Option(
        help: ArgumentHelp("The user who is notified; without it the owner.", valueName: "user"),
        completion: .users
    )
    var owner: String?

    @Option(help: ArgumentHelp("What the token is for.", valueName: "type"))
    var deviceType: Installation.DeviceType = .mqtt

    @Flag(help: "Notify it on the outbox for development.")
    var development = false

    @Option(
        help: ArgumentHelp("The instance that keeps the installation.", valueName: "tag"),
        completion: .instances
    )
    var tag: String?

    @OptionGroup var people: AdministrationOption

    func validate() throws {
        if (token == nil) == (tokenFile == nil) { throw ValidationError("give --token or --token-file") }
    }

    /// The token, from where it was given.
    private func pushToken() throws(VerbError) -> String {
        guard let tokenFile else { return token ?? "" }
        guard let secret = try Secret.stationPassword(in: tokenFile) else {
            throw VerbError("\(tokenFile) is empty", .dataError)
        }
        return secret.reveal()
    }

    func run() async throws {
        let registration: [String: JSONValue] = [
            "installationRegistrationID": .string(try pushToken()),
            "deviceType": .string(deviceType.rawValue), "development": .bool(development),
        ]
        do throws(Refusal) {
            _ = try Installation.Request(.object(JSONObject(registration)))
        } catch {
            throw VerbError(
                error,
                options: ["installationRegistrationID": tokenFile.map { "the token in \($0)" } ?? "--token"]
            )
        }
        let rest: [String: JSONValue?] = [
            "owner": try owner.map { .string(try OwnerArgument.name($0)) },
            "tag": try tag.map { .string(try InstanceTag.check($0)) },
        ]
        let answer = try await people.ask(
            .post,
            [InstallationCommand.route],
            body: rest.merging(registration.mapValues { $0 }) { $1 },
            needsDaemon: true
        )
        let id = ListOption.text(answer["installationID"] ?? .null)
        try StandardOutput.print(id)
        StandardError.tellPerson(
            "Added installation \(id). `trilateral installation rm \(id)` ends what it is sent."
        )
    }
}

struct InstallationListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "Print the installations."
    )

    @Option(help: ArgumentHelp("Only those of a user.", valueName: "user"), completion: .users)
    var owner: String?

    @OptionGroup var list: ListOption
    @OptionGroup var people: AdministrationOption

    private static let columns: KeyValuePairs = [
        "ID": "installationID", "OWNER": "owner", "DEVICETYPE": "deviceType", "DEVELOPMENT": "development",
    ]

    func run() async throws {
        let owner = try owner.map { try OwnerArgument.name($0) }
        try await list.write(
            people.rows(InstallationCommand.route, query: ["owner": owner]),
            Self.columns.map(\.value),
            header: Self.columns.map(\.key)
        )
    }
}

struct InstallationRemoveCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rm",
        abstract: "Remove an installation."
    )

    @Argument(
        help: ArgumentHelp("Its identifier; without it the installation of the instance.", valueName: "id")
    )
    var id: String?

    @Option(
        help: ArgumentHelp(
            "The instance whose installation it is, if no identifier is given.",
            valueName: "tag"
        ),
        completion: .instances
    )
    var tag: String?

    @OptionGroup var people: AdministrationOption

    func validate() throws {
        if id != nil, tag != nil {
            throw ValidationError("an identifier and --tag exclude each other; give one")
        }
    }

    func run() async throws {
        if let id, id.isEmpty || id == InstanceTag.empty {
            throw VerbError(
                "there is no installation \(QuotedValue.of(id)): `trilateral installation list` shows them",
                .noInput
            )
        }
        let tag = try tag.map { try InstanceTag.check($0) } ?? ""
        try await people.ask(
            .delete,
            [InstallationCommand.route, id ?? InstanceTag.empty],
            query: ["tag": tag.isEmpty ? nil : tag],
            needsDaemon: true
        )
        StandardError.tellPerson(
            "Removed the installation\(id.map { " \($0)" } ?? " of \(InstanceTag.title(tag))")."
        )
    }
}
