import Flare
package import JSON
import Text
package import Things

/// Lets a thing perform an action: those of a profile set a value, all others are done by the Flare server.
package struct PerformAction: CommandOperation {
    let thing: Command.Target
    let name: String

    package var permission: ChangeRequest.Kind? { nil }
    package var logName: String { "action" }
    package var logTarget: String? { thing.name }
    package var logValues: JSONValue? { ["action": .string(name)] }
    package var summary: CommandSummary? {
        CommandSummary("action", [QuotedValue.clipped(name, to: 60)], of: thing.words)
    }

    package func perform(
        _ command: inout PendingCommand,
        in controller: inout DeviceController
    ) throws(Refusal) {
        let thing = try controller.target(thing, of: &command)
        let object = ObjectReference(.thing, thing.id)
        command.accepted = ["action": .string(name)]
        let shape = controller.state.shape(of: thing)
        let found = shape.kind?.action(named: name, of: thing)
        // Where a thing is belongs to what it is, unless its profile or its list of actions says otherwise.
        let moves = found.map { $0 == .success(nil) } ?? true && ThingShape.moves(thing, action: name)
        try controller.check(command.command, moves ? .move : .action(name), on: object, in: thing.zone)
        var work = Job.Work.action(name)
        if let action = try found?.get() {
            if let setting = shape.setting(of: action, on: thing) {
                command.accepted.merge(setting.accepted) { sent, _ in sent }
                work = .write(setting.patch, transition: nil)
            }
        } else {
            _ = try shape.checked(action: name).get()
        }
        try controller.needLink()
        controller.enqueue(Job(work: work, command: command, cause: command.command.cause), on: object)
    }
}

extension Command.Operation {
    package static func perform(_ action: String, by thing: Command.Target) -> Self {
        Self(PerformAction(thing: thing, name: action))
    }
}

extension CommandDescriptor {
    package static let nearbyAction = CommandDescriptor("nearby/action") { _, payload throws(Refusal) in
        try PerformAction(nil, payload)
    }
    package static let thingAction = CommandDescriptor("things/{thing}/action") {
        topic,
        payload throws(Refusal) in
        try PerformAction(topic.name, payload)
    }
}

extension PerformAction {
    /// A word, or the member `action`, with `if_id` for the nearby thing.
    fileprivate init(_ thing: String?, _ payload: CommandPayload) throws(Refusal) {
        var ifID: String?
        name = try payload.word(named: "action") { fields throws(Refusal) in
            if thing == nil { ifID = try fields.text("if_id") }
        }
        guard (1...200).contains(name.unicodeScalars.count) else {
            throw Refusal(
                .invalidValue,
                "action must be a name of 1 to 200 characters (is \(QuotedValue.of(name)))",
                field: "action"
            )
        }
        self.thing = thing.map { .thing($0) } ?? .nearby(ifID: ifID)
    }
}
