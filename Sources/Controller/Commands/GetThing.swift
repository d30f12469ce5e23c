package import Flare
package import JSON
import Things

/// Reads a thing.
package struct GetThing: CommandOperation {
    let thing: Command.Target

    package var permission: ChangeRequest.Kind? { nil }
    package var subject: Answer.Subject { .get }
    package var onlyReads: Bool { true }
    package var logName: String { "get" }
    package var logTarget: String? { thing.name }
    package var logValues: JSONValue? { nil }
    package var summary: CommandSummary? { CommandSummary("get", of: thing.words) }

    package func perform(_ command: PendingCommand, in controller: inout DeviceController) {
        switch controller.thing(thing, command.command) {
        case .success(let thing):
            var command = command
            let object = ObjectReference(.thing, thing.id)
            command.target = controller.answerTarget(object)
            if let refusal = controller.refusal(of: command.command, .read, on: object, in: thing.zone) {
                return controller.refuse(command, refusal)
            }
            controller.accept(command)
        case .failure(let refusal): controller.refuse(command, refusal)
        }
    }
}

/// Reads the zones and things of an environment, for who shows them: the answer has all of them.
package struct ReadPlace: CommandOperation {
    package let environment: FlareID

    /// The interface that shows it leaves out what the reader may not see.
    package var permission: ChangeRequest.Kind? { nil }
    package var subject: Answer.Subject { .get }
    package var onlyReads: Bool { true }
    package var logName: String { "read" }
    package var logValues: JSONValue? { nil }
    package var summary: CommandSummary? { nil }

    package func perform(_ command: PendingCommand, in controller: inout DeviceController) {
        controller.read(environment, for: command, then: .show)
    }
}

extension Command.Order {
    package static func get(_ thing: Command.Target) -> Self { Self(GetThing(thing: thing)) }
    package static func readPlace(_ environment: FlareID) -> Self {
        Self(ReadPlace(environment: environment))
    }
}

extension CommandDescriptor {
    /// Reading is a GET over HTTP.
    package static let thingGet = CommandDescriptor("things/{thing}/get", isOnWeb: false, subject: .get) {
        topic,
        payload throws(Refusal) in
        try payload.membersOnly().finish()
        return GetThing(thing: .thing(topic.name))
    }
}
