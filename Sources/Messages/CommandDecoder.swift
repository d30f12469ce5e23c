package import Controller
package import JSON
import Text
package import Things

/// A decoded command, or why it is refused.
package struct DecodedCommand: Sendable, Hashable {
    package let subject: Answer.Subject
    /// The sender's `tx`, if it could be read.
    package let tx: JSONValue?
    /// Who it says it is from, as far as that could be read.
    package let credentials: CommandCredentials
    package let result: Result<Command.Order, Refusal>
}

extension DecodedCommand {
    /// A command that was no message.
    package init(_ order: Command.Order) {
        self.init(subject: .get, tx: nil, credentials: CommandCredentials(), result: .success(order))
    }
}

/// Reads commands: JSON, and the plain forms of the contract.
///
/// Whether a thing exists and what it accepts is decided by the controller.
/// - Source: contrib/contract/mqtt.md, "Commands"; "Rule 1: every command gets one answer";
///   "Rule 2: tx and if_id"; "Rule 3: a replayed command is refused".
package struct CommandDecoder: Sendable {
    package struct Limits: Sendable, Hashable {
        package var payloadBytes = 65_536
        package var txBytes = 1024

        package init() {}
    }

    private let limits: Limits

    package init(limits: Limits = Limits()) {
        self.limits = limits
    }

    /// - Parameter isRetained: Whether the broker delivered the message with the retain flag.
    package func decode(
        _ topic: CommandTopic,
        payload: [UInt8],
        isRetained: Bool = false
    ) -> DecodedCommand {
        decode(payload, topic.subject, hasMembers: topic.hasMembers, isRetained) {
            payload throws(Refusal) in
            guard !SecretMask.tokens.finds(in: topic.tail) else { throw Self.misplacedToken }
            return try order(topic, payload)
        }
    }

    /// A change to what an object is, which has no topic.
    package func decode(_ change: ObjectChange, payload: [UInt8]) -> DecodedCommand {
        decode(payload, .set, hasMembers: true) { payload throws(Refusal) in
            try Command.Order(change, payload)
        }
    }

    private func decode(
        _ payload: [UInt8],
        _ subject: Answer.Subject,
        hasMembers: Bool,
        _ isRetained: Bool = false,
        _ read: (CommandPayload) throws(Refusal) -> Command.Order
    ) -> DecodedCommand {
        let size = payload.count
        guard size <= limits.payloadBytes else {
            let refusal =
                isRetained
                ? Self.retained
                : Refusal(
                    .tooLarge,
                    "the payload has \(size) bytes; at most \(limits.payloadBytes) are read"
                )
            return DecodedCommand(
                subject: subject,
                tx: nil,
                credentials: CommandCredentials(),
                result: .failure(refusal)
            )
        }
        var tx: JSONValue?
        var credentials = CommandCredentials()
        let result: Result<Command.Order, Refusal>
        do throws(Refusal) {
            var payload = try CommandPayload(payload)
            let isMisplaced = payload.hasToken(apartFrom: hasMembers ? "token" : nil)
            if hasMembers, case .object(var members) = payload {
                let mark = members.removeValue(forKey: "tx")
                let reading = Result { () throws(Refusal) in try credentials.take(from: &members) }
                payload = .object(members)
                tx = try self.mark(mark)
                try reading.get()
            }
            guard !isRetained else { throw Self.retained }
            guard !isMisplaced else { throw Self.misplacedToken }
            result = .success(try read(payload))
        } catch {
            result = .failure(isRetained ? Self.retained : error.masked)
        }
        return DecodedCommand(
            subject: subject,
            tx: tx.map { SecretMask.tokens.masked($0) },
            credentials: credentials,
            result: result
        )
    }

    private static let retained = Refusal(
        .retainedCommand,
        "a command that the broker had kept is refused; publish commands without the retain flag, and clear this one "
            + "with an empty retained message"
    )

    /// Carried out, it would be stored or published, where others read it.
    private static let misplacedToken = Refusal(
        .invalidValue,
        "there is a token where none belongs, so nothing was done; a token belongs into the member \"token\" only. "
            + "Replace this token: others may have read it"
    )

    private func order(_ topic: CommandTopic, _ payload: CommandPayload) throws(Refusal) -> Command.Order {
        switch topic {
        case .nearbySet: return try set(.nearby(ifID: nil), payload)
        case .thingSet(let thing): return try set(.thing(thing), payload)
        case .zoneSet(let zone): return try set(.zone(zone), payload)
        case .nearbySetAttribute(let name): return try setAttribute(name, of: .nearby(ifID: nil), payload)
        case .thingSetAttribute(let thing, let name):
            return try setAttribute(name, of: .thing(thing), payload)
        case .nearbyAction: return try action(nil, payload)
        case .thingAction(let thing): return try action(thing, payload)
        case .thingGet(let thing):
            try payload.membersOnly().finish()
            return .get(.thing(thing))
        case .deviceSet: return .setDevice(try Command.DeviceChange(payload))
        case .environmentSet: return .chooseEnvironment(try Command.EnvironmentChoice(payload))
        case .sensorSet(let sensor): return try sensorSwitch(sensor, payload)
        case .lifecycleSet(let name):
            return .setLifecycle(try Command.LifecycleChange(named: name, payload))
        case .screenSet(let display):
            return .show(try ScreenCall(payload), display: display)
        case .request(let verb): return try Command.Order(request: verb, payload)
        }
    }

    private func mark(_ value: JSONValue?) throws(Refusal) -> JSONValue? {
        switch value {
        case nil: return nil
        case let value? where value.string != nil || value.number != nil:
            let size = value.bytes.count
            guard size <= limits.txBytes else {
                throw Refusal(
                    .invalidValue,
                    "tx has \(size) bytes as JSON; at most \(limits.txBytes) are returned",
                    field: "tx"
                )
            }
            return value
        case let value?:
            throw Refusal(
                .wrongType,
                "tx must be a text or a number (is \(QuotedValue.of(value)))",
                field: "tx"
            )
        }
    }

    private func set(_ target: Command.Target, _ payload: CommandPayload) throws(Refusal) -> Command.Order {
        guard case .object(let members) = payload else {
            let example =
                "; an object such as {\"state\":\"ON\"} is read here, a plain value on set/<attribute>"
            if case .plain(let text) = payload, (try? JSONValue(parsing: text)) == nil {
                throw Refusal(.badJSON, "the payload is not JSON: \(QuotedValue.of(text))\(example)")
            }
            throw Refusal(.wrongType, "the payload is \(payload.quotation)\(example)")
        }
        var fields = CommandFields(members)
        var target = target
        if case .nearby = target { target = .nearby(ifID: try fields.text("if_id")) }
        let isPartial = try fields.flag("partial") ?? false
        let transition = try fields.number(
            "transition",
            in: 0...ThingRequest.longestTransition,
            unit: " seconds"
        )
        return .set(
            target,
            ThingRequest(attributes: fields.rest, transition: transition, isPartial: isPartial)
        )
    }

    private func setAttribute(
        _ name: String,
        of target: Command.Target,
        _ payload: CommandPayload
    ) throws(Refusal) -> Command.Order {
        guard let value = payload.value else {
            throw Refusal(
                .invalidValue,
                "the payload is empty; a value for \(QuotedValue.of(name)) is read here",
                field: name
            )
        }
        return .set(target, ThingRequest(attributes: [name: value], plainText: payload.plainText))
    }

    private func action(_ thing: String?, _ payload: CommandPayload) throws(Refusal) -> Command.Order {
        var ifID: String?
        let name = try payload.word(named: "action") { fields throws(Refusal) in
            if thing == nil { ifID = try fields.text("if_id") }
        }
        guard (1...200).contains(name.unicodeScalars.count) else {
            throw Refusal(
                .invalidValue,
                "action must be a name of 1 to 200 characters (is \(QuotedValue.of(name)))",
                field: "action"
            )
        }
        return .action(thing.map { .thing($0) } ?? .nearby(ifID: ifID), name: name)
    }

    private func sensorSwitch(_ sensor: String, _ payload: CommandPayload) throws(Refusal) -> Command.Order {
        guard let kind = SensorKind(rawValue: sensor) else {
            throw Refusal(.unknownKey, SensorKind.absence(of: sensor))
        }
        var members = payload
        if case .object(var object) = payload, let flag = object["state"]?.bool {
            object["state"] = flag ? "ON" : "OFF"
            members = .object(object)
        }
        let word = try members.word(named: "state")
        switch word.uppercased() {
        case "ON", "TRUE": return .switchSensor(kind, on: true)
        case "OFF", "FALSE": return .switchSensor(kind, on: false)
        default:
            throw Refusal(
                .invalidValue,
                "state must be ON or OFF (is \(QuotedValue.of(word)))",
                field: "state"
            )
        }
    }
}

extension CommandPayload {
    /// Whether it has a token in a value or a name.
    ///
    /// - Parameter member: The member of an object where a token belongs.
    fileprivate func hasToken(apartFrom member: String?) -> Bool {
        switch self {
        case .empty: false
        case .plain(let text), .quoted(let text): SecretMask.tokens.finds(in: text)
        case .list(let elements): SecretMask.tokens.finds(in: .array(elements))
        case .object(let members):
            members.contains { name, value in
                name != member && (SecretMask.tokens.finds(in: name) || SecretMask.tokens.finds(in: value))
            }
        }
    }
}

extension Refusal {
    /// The same refusal without tokens that its sentence quotes, as of a payload that could not be read.
    package var masked: Refusal {
        Refusal(
            code,
            SecretMask.tokens.masked(message),
            field: field.map { SecretMask.tokens.masked($0) }
        )
    }
}

extension CommandTopic {
    /// Whether an object has members to read; on `set/<attribute>` it is a value.
    fileprivate var hasMembers: Bool {
        switch self {
        case .nearbySetAttribute, .thingSetAttribute: false
        case .nearbySet, .nearbyAction, .thingSet, .thingAction, .thingGet, .zoneSet, .deviceSet,
            .environmentSet, .sensorSet, .lifecycleSet, .screenSet, .request:
            true
        }
    }
}

extension SensorKind {
    /// The refusal of an unknown sensor name.
    package static func absence(of name: String) -> String {
        let names = allCases.map(\.rawValue)
        let hint = NearestName.hint(for: name, among: names)
        return "no sensor is called \(QuotedValue.of(name))\(hint.isEmpty ? ";" : hint) there are "
            + names.joined(separator: ", ")
    }
}
