import ArgumentParser
import Bindings
import JSON
import People
import Settings
import Text
import Things

/// `trilateral thing onboard`: makes a thing known, and somebody its owner.
struct ThingOnboardCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "onboard",
        abstract: "Onboard a thing; prints its thingID, and in a second line its token if it gets one.",
        discussion: """
            The first onboarding sets the password, each later one must give it. Type, properties and interval are fixed \
            by the first who gives them, and all three by the first owner; a thing without an interval then has no \
            history. A token is printed by the first onboarding of a thing, and by each one without --owner; nobody \
            can see it again. `trilateral thing token --rotate` makes another one.
            """
    )

    @OptionGroup var options: OnboardingOptions
    @OptionGroup var people: AdministrationOption

    func run() async throws {
        let answer = try await people.ask(
            .post,
            ["bindings", "onboard"],
            body: options.request(),
            needsDaemon: true
        )
        let id = ListOption.text(answer["thingID"] ?? .null)
        let token = answer["accessToken"]?.string
        try StandardOutput.print(lines: [id, token].compactMap(\.self))
        let ignored = (answer["ignored"]?.array ?? []).map(ListOption.text)
        if !ignored.isEmpty {
            let names = ignored.map { OnboardingOptions.fixedNames[$0] ?? $0 }
            StandardError.report(
                "warning: not changed, because it is fixed or reserved: \(names.joined(separator: ", "))"
            )
        }
        let name = options.vendorThingID ?? id
        switch answer["thing"] {
        case .string(let thing)?: StandardError.report("note: it is the thing \(thing) of the place")
        case .null?: StandardError.report("note: it is not in the place yet; --thing or --zone puts it there")
        default: break
        }
        let next =
            token == nil
            ? "It got a token before; `trilateral thing token \(name) --rotate` makes another one."
            : "Give the token to the thing; nobody can see it again."
        StandardError.tellPerson(
            "Onboarded \(name) (thingID \(id)). \(next) `trilateral thing show \(name)` shows its owners."
        )
    }
}

/// What is said of a thing that is onboarded.
struct OnboardingOptions: ParsableArguments {
    @Option(
        name: .customLong("vendor-thing-id"),
        help: ArgumentHelp("The thing's vendorThingID: \(VendorName.thingRule).", valueName: "vendor")
    )
    var vendorThingID: String?

    @Option(
        name: .customLong("thing-id"),
        help: ArgumentHelp("The thingID of a thing that is known already, instead.", valueName: "id"),
        completion: .bindings
    )
    var thingID: String?

    @Option(file: "A file with the thing's password and nothing else.")
    var passwordFile: String

    @Option(
        help: ArgumentHelp(
            "Whose it is: a user such as bob, or a group such as group:staff. Without it nobody becomes an owner.",
            valueName: "who"
        ),
        completion: .users
    )
    var owner: String?

    @Option(
        help: ArgumentHelp(
            "What kind of thing it is: a profile of that name says what can be set; any other name is a label.",
            valueName: "type"
        )
    )
    var type: String?

    @Option(help: ArgumentHelp("Properties of the thing, a JSON object.", valueName: "json"))
    var properties: String?

    @Option(help: ArgumentHelp("How long the groups of its history are.", valueName: "interval"))
    var interval: GroupInterval?

    @Option(
        help: ArgumentHelp(
            "The thing of the place that it is, by short name or identifier; without it the one with its name, or a new one.",
            valueName: "thing"
        ),
        completion: .things
    )
    var thing: String?

    @Option(
        help: ArgumentHelp(
            "The zone of a new thing of the place; without it the current one.",
            valueName: "zone"
        ),
        completion: .zones
    )
    var zone: String?

    @Option(
        help: ArgumentHelp("The instance that keeps owner and thing.", valueName: "tag"),
        completion: .instances
    )
    var tag: String?

    func validate() throws {
        if (vendorThingID == nil) == (thingID == nil) {
            throw ValidationError("give --vendor-thing-id or --thing-id")
        }
    }

    /// The body of the request, checked as far as that needs no daemon.
    ///
    /// - Throws: ``VerbError``.
    func request() throws(VerbError) -> [String: JSONValue?] {
        let given: [String: JSONValue?] = [
            "vendorThingID": vendorThingID.map { .string($0) },
            "thingID": thingID.map { .string($0) },
            "owner": try owner.map { who throws(VerbError) in .string(try OwnerArgument.name(who)) },
            "thingType": type.map { .string($0) },
            "thingProperties": try properties.map(Self.parsed),
            "dataGroupingInterval": interval.map { .string($0.rawValue) },
            "thingPassword": .string(try password()),
        ]
        let members = given.compactMapValues(\.self)
        let form: OnboardingForm =
            switch (thingID == nil, owner == nil) {
            case (true, false): .vendorByOwner
            case (true, true): .vendorByThing
            case (false, false): .thingByOwner
            case (false, true): .thingByThing
            }
        do throws(Refusal) {
            _ = try OnboardingRequest(form, .object(JSONObject(members)))
        } catch {
            throw VerbError(error, options: optionNames)
        }
        let place: [String: JSONValue?] = [
            "thing": thing.map { .string($0) }, "zone": zone.map { .string($0) },
            "tag": try tag.map { tag throws(VerbError) in .string(try InstanceTag.check(tag)) },
        ]
        return given.merging(place) { $1 }
    }

    /// What a person has given for each field that may be fixed already.
    fileprivate static let fixedNames = [
        FixedField.type.rawValue: "--type", FixedField.properties.rawValue: "--properties",
        FixedField.interval.rawValue: "--interval",
    ]

    /// What a person has given for each member.
    private var optionNames: [String: String] {
        [
            "vendorThingID": "--vendor-thing-id", "thingID": "--thing-id", "owner": "--owner",
            "thingType": "--type", "thingProperties": "--properties",
            "thingPassword": "the password in \(passwordFile)",
        ]
    }

    private func password() throws(VerbError) -> String {
        guard let password = try Secret.stationPassword(in: passwordFile) else {
            throw VerbError("\(passwordFile) is empty", .dataError)
        }
        return password.reveal()
    }

    private static func parsed(_ text: String) throws(VerbError) -> JSONValue {
        do throws(JSONError) {
            return try JSONValue(parsing: text)
        } catch {
            throw VerbError("--properties is not JSON: \(error)", .dataError)
        }
    }
}
