package import Controller
import JSON
import Text
import Things

extension Answer {
    /// The body of an answer, without tokens that are stored in names or data.
    /// - Source: contrib/contract/mqtt.md, "Rule 1: every command gets one answer".
    package var bytes: [UInt8] {
        var buffer = JSONBuffer()
        buffer.writeObject { write(to: &$0) }
        guard buffer.withUnsafeBytes({ SecretMask.tokens.finds(in: $0) }) else { return buffer.bytes }
        return SecretMask.tokens.masked(.object(JSONObject { write(to: &$0) })).bytes
    }

    private func write(to members: inout some JSONMembers & ~Copyable) {
        if !accepted.isEmpty { members.add("accepted", accepted) }
        members.add("data", data)
        if let refusal { members.add("error") { refusal.write(to: &$0) } }
        var rejected = rejected
        if let refusal, let field = refusal.field, rejected[field] == nil { rejected[field] = refusal.code }
        if !rejected.isEmpty {
            members.add("rejected", JSONObject(rejected.mapValues { .string($0.rawValue) }))
        }
        members.add("status", refusal == nil ? "ok" : "error")
        if let target {
            members.add("target") {
                $0.add("kind", target.kind)
                $0.add("slug", target.slug)
            }
        }
        members.add("tx", tx)
        if !warnings.isEmpty { members.add("warnings", .array(warnings.map(\.json))) }
    }
}

extension Answer.Warning {
    /// `{"message","field"?}`.
    fileprivate var json: JSONValue {
        .object(
            JSONObject {
                $0.add("field", field)
                $0.add("message", message)
            }
        )
    }
}

extension Refusal {
    /// `{"code","message","field"?}`.
    fileprivate func write(to members: inout some JSONMembers & ~Copyable) {
        members.add("code", code.rawValue)
        members.add("field", field)
        members.add("message", message)
    }
}
