package import Flare
package import JSON
package import Things

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

    package func perform(
        _ command: inout PendingCommand,
        in controller: inout DeviceController
    ) throws(Refusal) {
        let thing = try controller.target(thing, of: &command)
        try controller.check(command.command, .read, on: ObjectReference(.thing, thing.id), in: thing.zone)
        controller.accept(command)
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

    package func perform(
        _ command: inout PendingCommand,
        in controller: inout DeviceController
    ) throws(Refusal) {
        try controller.read(environment, for: command, then: .show)
    }
}

extension Command.Operation {
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
