import ArgumentParser
import Bindings
import JSON
import People
import Text

/// `trilateral thing expect`: a password for a thing that is to come.
struct ThingExpectCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "expect",
        abstract:
            "Make the password of a thing that is not known yet; prints it, and nobody can see it again.",
        discussion: "The password goes into the thing, and on its label."
    )

    @Argument(help: ArgumentHelp("The thing's vendorThingID: \(VendorName.thingRule).", valueName: "vendor"))
    var vendor: String

    @Option(
        help: ArgumentHelp(
            "What kind of thing it is: a profile of that name says what can be set; any other name is a label.",
            valueName: "type"
        )
    )
    var type: String?

    @Option(file: "The password file of mosquitto, which gets a line for the thing; made if it is missing.")
    var brokerPasswords: String?

    @OptionGroup var people: AdministrationOption

    func run() async throws {
        guard VendorName.isLegalThing(vendor) else {
            throw VerbError(
                "a vendorThingID must be \(VendorName.thingRule) (is \(QuotedValue.of(vendor)))",
                .dataError
            )
        }
        if let type, !VendorName.isLegalType(type) {
            throw VerbError("--type must be \(VendorName.typeRule) (is \(QuotedValue.of(type)))", .dataError)
        }
        // Before a password is made that nobody could use.
        let file = try brokerPasswords.map { path throws(VerbError) in
            try BrokerPasswordFile(path, for: vendor)
        }
        let answer = try await people.ask(
            .post,
            ["bindings", "expect"],
            body: ["vendorThingID": .string(vendor), "type": type.map { .string($0) }],
            needsDaemon: true
        )
        let password = ListOption.text(answer["thingPassword"] ?? .null)
        // Printed whatever comes of the file: it cannot be asked for again.
        try StandardOutput.print(password)
        try file?.add(password: password)
        let next =
            brokerPasswords.map { "The broker knows it as a user once it has read \($0) again." }
            ?? "--broker-passwords adds it to the users of mosquitto."
        StandardError.tellPerson(
            """
            This is the password of \(vendor). Put it into the thing and on its label; nobody can see it again. \
            \(next) `trilateral thing onboard --vendor-thing-id \(vendor) …` makes somebody its owner.
            """
        )
    }
}
