package import JSON
import Text

/// What a rule came in as, for the column `original`.
package enum RuleOriginal {
    /// Parts of the names of members that have secrets; compared without case, `_` and `-`.
    private static let secrets = [
        "password", "passwd", "passphrase", "token", "secret", "authorization", "credential", "apikey",
        "appkey",
        "privatekey", "cookie", "registrationid",
    ]

    /// The JSON without members that have secrets, and with `***` for secrets in texts.
    ///
    /// Push tokens are secrets too: who has one can send.
    package static func stripped(_ json: JSONValue) -> JSONValue {
        SecretMask.forms.masked(withoutSecrets(json))
    }

    private static func withoutSecrets(_ json: JSONValue) -> JSONValue {
        switch json {
        case .null, .bool, .number, .numeral, .string: return json
        case .array(let elements): return .array(elements.map(withoutSecrets))
        case .object(let members):
            // Of an app that pushes, Ayla's first parameter is the token.
            let isPush = members["name"]?.string?.hasPrefix("push_") ?? false
            let kept = members.filter { key, _ in !isSecret(key) && !(isPush && key == "param1") }
            return .object(kept.mapValues(withoutSecrets))
        }
    }

    private static func isSecret(_ name: String) -> Bool {
        let plain = name.lowercased().filter { $0 != "_" && $0 != "-" }
        return secrets.contains { plain.contains($0) }
    }
}
