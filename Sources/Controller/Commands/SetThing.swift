import Flare
package import JSON
import Text
package import Things

/// Sets attributes of a thing, or of all lights of a zone.
package struct SetThing: CommandOperation {
    package let thing: Command.Target
    package let request: ThingRequest

    package var permission: ChangeRequest.Kind? { nil }
    package var logName: String { "set" }
    package var logTarget: String? { thing.name }
    package var logValues: JSONValue? { .object(request.attributes) }
    package var summary: CommandSummary? {
        let names = request.attributes.keys.prefix(8).map { QuotedValue.clipped($0, to: 40) }
        return CommandSummary("set", names, of: thing.words)
    }

    package func perform(
        _ command: inout PendingCommand,
        in controller: inout DeviceController
    ) throws(Refusal) {
        if case .zone(let zone) = thing { return try controller.setLights(of: zone, request, &command) }
        let thing = try controller.target(thing, of: &command)
        let object = ObjectReference(.thing, thing.id)
        let names = request.attributes.keys.sorted()
        try controller.check(command.command, .set(names), on: object, in: thing.zone)
        // Pending jobs count: "ON" is redundant only if none of them switches the light off.
        let expected = controller.state.settable(controller.expected(thing), request.attributes)
        let setting = try request.settled(on: expected, controller.state.shape(of: expected))
            .mapError { controller.state.explained($0, of: thing) }.get()
        try controller.needLink()
        command.accepted = setting.accepted
        if !setting.rejected.isEmpty { command.rejected = setting.rejected.mapValues(\.code) }
        guard !setting.patch.isEmpty else { return controller.accept(command) }
        let work = Job.Work.write(setting.patch, transition: setting.transition)
        controller.enqueue(Job(work: work, command: command, cause: command.command.cause), on: object)
    }
}

extension Command.Operation {
    package static func set(_ thing: Command.Target, _ request: ThingRequest) -> Self {
        Self(SetThing(thing: thing, request: request))
    }
}

extension CommandDescriptor {
    package static let nearbySet = CommandDescriptor("nearby/set") { _, payload throws(Refusal) in
        try SetThing(.nearby(ifID: nil), payload)
    }
    package static let thingSet = CommandDescriptor("things/{thing}/set") { topic, payload throws(Refusal) in
        try SetThing(.thing(topic.name), payload)
    }
    /// All lights of a zone.
    package static let zoneSet = CommandDescriptor("zones/{zone}/set") { topic, payload throws(Refusal) in
        try SetThing(.zone(topic.name), payload)
    }
    package static let nearbySetAttribute = CommandDescriptor(
        "nearby/set/{attribute}",
        isOnWeb: false,
        hasMembers: false
    ) { topic, payload throws(Refusal) in
        try SetThing(.nearby(ifID: nil), attribute: topic.name, payload)
    }
    package static let thingSetAttribute = CommandDescriptor(
        "things/{thing}/set/{attribute}",
        isOnWeb: false,
        hasMembers: false
    ) { topic, payload throws(Refusal) in
        try SetThing(.thing(topic.name), attribute: topic.secondName, payload)
    }
}

extension SetThing {
    /// An object of attributes, with `if_id` for the nearby thing, `partial` and `transition`.
    fileprivate init(_ thing: Command.Target, _ payload: CommandPayload) throws(Refusal) {
        guard case .object(let members) = payload else {
            let example =
                "; an object such as {\"state\":\"ON\"} is read here, a plain value on set/<attribute>"
            if case .plain(let text) = payload, (try? JSONValue(parsing: text)) == nil {
                throw Refusal(.badJSON, "the payload is not JSON: \(QuotedValue.of(text))\(example)")
            }
            throw Refusal(.wrongType, "the payload is \(payload.quotation)\(example)")
        }
        var fields = CommandFields(members)
        var thing = thing
        if case .nearby = thing { thing = .nearby(ifID: try fields.text("if_id")) }
        let isPartial = try fields.flag("partial") ?? false
        let transition = try fields.number(
            "transition",
            in: 0...ThingRequest.longestTransition,
            unit: " seconds"
        )
        self.thing = thing
        request = ThingRequest(attributes: fields.rest, transition: transition, isPartial: isPartial)
    }

    /// The value of one attribute.
    fileprivate init(
        _ thing: Command.Target,
        attribute: String,
        _ payload: CommandPayload
    ) throws(Refusal) {
        guard let value = payload.value else {
            throw Refusal(
                .invalidValue,
                "the payload is empty; a value for \(QuotedValue.of(attribute)) is read here",
                field: attribute
            )
        }
        self.thing = thing
        request = ThingRequest(attributes: [attribute: value], plainText: payload.plainText)
    }
}

extension Command.Target {
    /// As received, for the command log.
    var name: String {
        switch self {
        case .nearby: "nearby"
        case .thing(let name), .zone(let name): name
        }
    }

    /// In words of bounded length, for explanations.
    var words: CommandSummary.Object {
        switch self {
        case .nearby: .target("the nearby thing")
        case .thing(let name): .target(QuotedValue.clipped(name, to: 60))
        case .zone(let name): .target("zone " + QuotedValue.clipped(name, to: 60))
        }
    }
}
