import Bindings
package import Controller
import Flare
package import JSON
import People
import Text
import Things

/// Gives a thing with owners a command of several actions, each with a result.
///
/// What was sent over the broker is answered at the end, everything else as soon as it is stored.
/// - Source: contrib/contract/bindings.md, "Commands".
package struct RunActions: SliceCommand {
    /// Who gave it, if it was not sent over the broker: what its rights were asked for.
    package struct Origin: Sendable, Hashable {
        let binding: BindingID
        let thing: FlareID
        let issuer: Grantee?
        /// As the log calls the interface and the caller.
        let interface: String
        let speaker: String
    }

    /// The identifier that it gets.
    let id: String
    /// As received.
    let thing: String
    let request: CommandRequest
    /// `nil` for a message.
    let origin: Origin?

    init(_ id: String, for thing: String, _ request: CommandRequest, from origin: Origin? = nil) {
        (self.id, self.thing, self.request, self.origin) = (id, thing, request, origin)
    }

    package var permission: ChangeRequest.Kind? { nil }
    package var subject: Answer.Subject { .verb(Self.name) }
    package var keepsOwnRow: Bool { true }
    package var logName: String { Self.name }
    package var logTarget: String? { thing }
    package var logValues: JSONValue? { .array(request.actions.map(\.json)) }
    package var summary: CommandSummary? {
        let names = request.actions.prefix(8).map { QuotedValue.clipped($0.name, to: 40) }
        return CommandSummary(Self.name, names, of: .target(QuotedValue.clipped(thing, to: 60)))
    }

    private static let name = "command"
}

extension CommandDescriptor {
    /// Over HTTP a command is given by `/thing-if/`.
    package static let thingCommand = CommandDescriptor(
        "things/{thing}/command",
        isOnWeb: false,
        subject: .verb("command")
    ) { topic, payload throws(Refusal) in
        let members = try payload.membersOnly().rest
        let request = try CommandRequest(message: .object(members))
        return RunActions(BindingService.newName("c"), for: topic.name, request)
    }
}
