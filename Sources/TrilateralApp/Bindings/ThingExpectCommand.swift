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

    @Option(help: ArgumentHelp("What kind of thing it is, such as meter.", valueName: "type"))
    var type: String?

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
        let answer = try await people.ask(
            .post,
            ["bindings", "expect"],
            body: ["vendorThingID": .string(vendor), "type": type.map { .string($0) }],
            needsDaemon: true
        )
        try StandardOutput.print(ListOption.text(answer["thingPassword"] ?? .null))
        StandardError.tellPerson(
            """
            This is the password of \(vendor). Put it into the thing and on its label; nobody can see it again. \
            `trilateral thing onboard --vendor-thing-id \(vendor) …` makes you its owner.
            """
        )
    }
}
