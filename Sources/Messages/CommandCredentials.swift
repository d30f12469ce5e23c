import Flare
package import Things

/// Who a command says it is from: its reserved members `token` and `as`.
///
/// They are no part of the order, and nothing that is published or logged repeats them.
/// - Source: the people page, "Who is speaking".
package struct CommandCredentials: Sendable, Hashable {
    /// The token, as its owner brings it; empty for what is no text, so that it is nobody's.
    package private(set) var token: String?
    /// The name of the user whose token it must be.
    package private(set) var name: String?

    package init() {}

    /// The members that are reserved for them.
    static let members = ["token", "as"]

    /// Takes the reserved members out of an object.
    ///
    /// - Throws: `wrong_type`, which does not quote the value: it may be a secret.
    mutating func take(from members: inout [String: JSONValue]) throws(Refusal) {
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

extension Refusal {
    /// The same refusal without tokens that its sentence quotes, as of a payload that could not be read.
    package var withoutTokens: Refusal {
        guard message.contains(Self.tokenPrefix) || field?.contains(Self.tokenPrefix) ?? false else {
            return self
        }
        return Refusal(code, Self.withoutTokens(message), field: field.map(Self.withoutTokens))
    }

    /// What tokens begin with, so that they are found where they should not be.
    private static let tokenPrefix = "tlu_"

    private static func withoutTokens(_ text: String) -> String {
        let parts = text.split(separator: tokenPrefix, omittingEmptySubsequences: false)
        return
            (parts.prefix(1)
            + parts.dropFirst().map {
                "***" + $0.drop { $0.isASCII && ($0.isLetter || $0.isNumber || "-_".contains($0)) }
            })
            .joined()
    }
}
