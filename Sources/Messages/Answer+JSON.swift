package import Controller
package import JSON
import Text
import Things

extension Answer {
    /// The body of an answer, without tokens that are stored in names or data.
    /// - Source: contrib/contract/mqtt.md, "Rule 1: every command gets one answer".
    package var json: JSONValue {
        var members: JSONObject = ["status": refusal == nil ? "ok" : "error"]
        members["tx"] = tx
        members["target"] = target.map { ["kind": .string($0.kind), "slug": .string($0.slug)] }
        if !accepted.isEmpty { members["accepted"] = .object(accepted) }
        var rejected = rejected
        if let refusal, let field = refusal.field, rejected[field] == nil { rejected[field] = refusal.code }
        if !rejected.isEmpty {
            members["rejected"] = .object(JSONObject(rejected.mapValues { .string($0.rawValue) }))
        }
        if !warnings.isEmpty { members["warnings"] = .array(warnings.map(\.json)) }
        members["error"] = refusal?.json
        members["data"] = data
        return SecretMask.tokens.masked(.object(members))
    }
}

extension Answer.Warning {
    /// `{"message","field"?}`.
    fileprivate var json: JSONValue {
        var members: JSONObject = ["message": .string(message)]
        members["field"] = field.map { .string($0) }
        return .object(members)
    }
}

extension Refusal {
    /// `{"code","message","field"?}`.
    package var json: JSONValue {
        var members: JSONObject = ["code": .string(code.rawValue), "message": .string(message)]
        members["field"] = field.map { .string($0) }
        return .object(members)
    }
}
