import Accounts
import Controller
import Flare
import JSON
import Messages
import People
import Things

extension CommandLogEntry {
    /// A row of the log for an order and its answer.
    ///
    /// - Parameters:
    ///   - epoch: Of this run.
    ///   - table: For the names of users.
    init(_ record: CommandRecord, epoch: String, in table: AccessTable) {
        let answer = record.answer
        self.init(
            at: record.received.wallMilliseconds,
            face: answer.actor.faceName,
            speaker: record.speaker.map(table.logName) ?? "nobody",
            kind: record.order?.kindName ?? answer.subject.kindName(ofStranger: record.speaker == nil),
            state: answer.refusal == nil ? "obeyed" : "refused"
        )
        self.epoch = epoch
        source = record.source
        target = answer.target?.object.map { "\($0.id)" } ?? answer.target?.kind
        slug = answer.target?.slug ?? record.order?.targetName
        actions = record.order?.values?.text
        results = Self.results(answer)
        code = answer.refusal?.code.rawValue
        isOfStranger = answer.refusal != nil && record.speaker == nil
        tx = answer.tx.map { String(decoding: $0.bytes, as: UTF8.self) }
        took = Double(record.ended.milliseconds(since: record.received))
    }

    private static func results(_ answer: Answer) -> String? {
        var members: JSONObject = [:]
        if !answer.accepted.isEmpty { members["accepted"] = .object(answer.accepted) }
        if !answer.rejected.isEmpty {
            members["rejected"] = .object(JSONObject(answer.rejected.mapValues { .string($0.rawValue) }))
        }
        guard !members.isEmpty else { return nil }
        return String(decoding: JSONValue.object(members).bytes, as: UTF8.self)
    }
}

extension Command.Actor {
    /// As the log calls it.
    var faceName: String {
        switch self {
        case .broker: "mqtt"
        case .kiosk: "kiosk"
        case .lamp: "lamp"
        case .flareClient: "flare"
        case .controller: "daemon"
        }
    }
}

extension Answer.Subject {
    /// - Parameter isStranger: Whether nobody knows who sent it: a word that strangers chose is not kept.
    fileprivate func kindName(ofStranger isStranger: Bool) -> String {
        switch self {
        case .set: "set"
        case .get: "get"
        case .verb(let verb): isStranger ? "request" : verb
        }
    }
}

extension Command.Order {
    fileprivate var kindName: String {
        switch self {
        case .set: "set"
        case .action: "action"
        case .get: "get"
        case .setDevice: "device"
        case .chooseEnvironment: "environment"
        case .switchSensor: "sensor"
        case .setLifecycle: "lifecycle"
        case .show: "screen"
        case .add(let kind, _, _): CommandLogEntry.addition(of: kind)
        case .edit(let kind, _, _, _): CommandLogEntry.edit(kind)
        case .remove(let kind, _, _): CommandLogEntry.removal(of: kind)
        case .readPlace: "read"
        case .request(let verb): verb.name
        }
    }

    /// What it names, for what was not found.
    fileprivate var targetName: String? {
        switch self {
        case .set(let target, _), .action(let target, _), .get(let target):
            switch target {
            case .nearby: "nearby"
            case .thing(let name), .zone(let name): name
            }
        case .show(_, let display): display
        case .edit(_, let name, _, _), .remove(_, let name, _): name
        case .add, .readPlace, .setDevice, .chooseEnvironment, .switchSensor, .setLifecycle, .request: nil
        }
    }

    /// What it asks for; `nil` if its kind and its target say all.
    fileprivate var values: JSONValue? {
        switch self {
        case .set(_, let request): .object(request.attributes)
        case .action(_, let name): ["action": .string(name)]
        case .setDevice(let change):
            .object(
                JSONObject(present: [
                    "name": change.name.map { .string($0) }, "angle": change.angle.map { .number($0) },
                    "position": change.position?.json,
                ])
            )
        case .switchSensor(_, let on): ["state": .string(on ? "ON" : "OFF")]
        case .chooseEnvironment(.named(let name)): ["environment": .string(name)]
        case .chooseEnvironment(.next): ["environment": "next"]
        case .chooseEnvironment(.previous): ["environment": "previous"]
        case .add(let kind, let edit, let container):
            edit.logged(kind == .zone ? "environment" : "zone", container)
        case .edit(_, _, let edit, let zone): edit.logged("zone", zone)
        case .remove(_, _, let withContents): ["contents": .bool(withContents)]
        case .setLifecycle(.level(let level)): ["level": .string(level?.rawValue ?? "auto")]
        case .setLifecycle(.audio(let audio)): ["audio": .string(audio.rawValue)]
        case .setLifecycle(.context(let context)): ["context": .string(context.rawValue)]
        case .setLifecycle(.language(let tag)): ["language": .string(tag)]
        case .show(.pushScreen(let screen, let thing), _):
            .object(
                JSONObject(present: [
                    "call": "pushScreen", "screen": .string(screen), "thing": thing.map { .string($0) },
                ])
            )
        case .show(let call, _): ["call": .string(call.name.rawValue)]
        case .request(.logLevel(let level)): ["level": .string(level)]
        case .get, .readPlace, .request: nil
        }
    }
}

extension ObjectEdit {
    fileprivate func logged(_ container: String, _ name: String?) -> JSONValue {
        var members = members(over: [:])
        if !data.isEmpty { members["data"] = .object(data) }
        if let name { members[container] = .string(name) }
        return CommandLogEntry.values(members)
    }
}

/// The words for environments, zones, things and devices, whoever changes them.
extension CommandLogEntry {
    static func addition(of kind: FlareClass) -> String { "\(kind.rawValue) add" }
    static func edit(_ kind: FlareClass) -> String { "\(kind.rawValue) edit" }
    static func removal(of kind: FlareClass) -> String { "\(kind.rawValue) rm" }

    /// The members of an object that a row keeps: of data the names, because its values may be long, or secret.
    static func values(_ members: JSONObject) -> JSONValue {
        var kept = members.filter { !$0.key.hasPrefix("_") }
        kept["data"] = (members["data"]?.object).map { data in
            .array(data.keys.map { .string($0) })
        }
        return .object(kept)
    }
}
