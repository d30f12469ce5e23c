import JSON
import Things

/// Who a command says it is from: its reserved members `token` and `as`.
///
/// They are no part of the order, and nothing that is published or logged repeats them.
/// - Source: contrib/contract/people.md, "On MQTT".
package struct CommandCredentials: Sendable, Hashable {
    /// The token, as its owner brings it; empty for what is no text, so that it is nobody's.
    package private(set) var token: String?
    /// The name of the user whose token it must be.
    package private(set) var name: String?

    package init() {}

    /// Takes the reserved members out of an object.
    ///
    /// - Throws: `wrong_type`, which does not quote the value: it may be a secret.
    mutating func take(from members: inout JSONObject) throws(Refusal) {
        let (token, name) = (members.removeValue(forKey: "token"), members.removeValue(forKey: "as"))
        (self.token, self.name) = (token.map { $0.string ?? "" }, name.map { $0.string ?? "" })
        if let token, token.string == nil {
            throw Refusal(.wrongType, "token must be a text", field: "token")
        }
        if let name, name.string == nil {
            throw Refusal(.wrongType, "as must be a text, the name of a user", field: "as")
        }
    }
}
