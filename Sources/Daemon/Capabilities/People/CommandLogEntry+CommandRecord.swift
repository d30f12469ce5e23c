import Accounts
import Controller
import Flare
import JSON
import People
import Things

extension CommandLogEntry {
    /// A row of the log for a command and its answer.
    ///
    /// - Parameters:
    ///   - epoch: Of this run.
    ///   - table: For the names of users.
    init(_ record: CommandRecord, epoch: String, in table: AccessTable) {
        let (answer, operation) = (record.answer, record.operation?.base)
        self.init(
            at: record.received.wallMilliseconds,
            interface: answer.actor.interfaceName,
            caller: record.caller.map(table.logName) ?? "nobody",
            kind: operation?.logName ?? answer.subject.kindName(ofStranger: record.caller == nil),
            state: answer.refusal == nil ? "accepted" : "refused"
        )
        self.epoch = epoch
        source = record.source
        target = answer.target?.object.map { "\($0.id)" } ?? answer.target?.kind
        slug = answer.target?.slug ?? operation?.logTarget
        actions = operation?.logValues?.text
        results = Self.results(answer)
        code = answer.refusal?.code.rawValue
        isOfStranger = answer.refusal != nil && record.caller == nil
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
    var interfaceName: String {
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
