package import Accounts
package import Controller
import Flare
import JSON
package import People
import Things

extension CommandRecord {
    /// The row of the log for a command and its answer.
    ///
    /// - Parameters:
    ///   - epoch: Of this run.
    ///   - table: For the names of users.
    package func logEntry(epoch: String, in table: AccessTable) -> CommandLogEntry {
        let operation = operation?.base
        var entry = CommandLogEntry(
            at: received.wallMilliseconds,
            interface: answer.actor.interfaceName,
            caller: caller.map(table.logName) ?? "nobody",
            kind: operation?.logName ?? answer.subject.kindName(ofStranger: caller == nil),
            state: answer.refusal == nil ? "accepted" : "refused"
        )
        entry.epoch = epoch
        entry.source = source
        entry.target = answer.target?.object.map { "\($0.id)" } ?? answer.target?.kind
        entry.slug = answer.target?.slug ?? operation?.logTarget
        entry.node = answer.node
        var buffer = JSONBuffer()
        entry.actions = operation?.logValues.map { values in buffer.text { $0.write(values) } }
        if !answer.accepted.isEmpty || !answer.rejected.isEmpty {
            entry.results = buffer.text { $0.writeObject { answer.addResults(to: &$0) } }
        }
        entry.code = answer.refusal?.code.rawValue
        entry.isOfStranger = answer.refusal != nil && caller == nil
        entry.tx = answer.tx.map { tx in buffer.text { $0.write(tx) } }
        entry.took = Double(ended.milliseconds(since: received))
        return entry
    }
}

extension Answer {
    fileprivate func addResults(to members: inout JSONBuffer) {
        if !accepted.isEmpty { members.add("accepted", accepted) }
        if !rejected.isEmpty {
            members.add("rejected", JSONObject(rejected.mapValues { .string($0.rawValue) }))
        }
    }
}

extension JSONBuffer {
    /// What a body writes, and nothing from before.
    fileprivate mutating func text(_ write: (inout JSONBuffer) -> Void) -> String {
        removeAll()
        write(&self)
        return withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
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
