import Cryptography

/// Tokens for nobody: a program with the app's key gets one, to onboard things as themselves.
///
/// Nothing is kept of them: a token has its end, and a code that only this run can make. So none ends another, however
/// many are made, and a restart ends them all.
/// - Source: contrib/contract/bindings.md, "Tokens".
package struct AnonymousTokens: Sendable {
    /// Milliseconds.
    package static let lifetime: Int64 = 3_600_000
    /// What comes before the code: eight bytes of the end, the highest first, and eight random ones.
    private static let endBytes = 8
    private static let randomCount = 8
    private static let codeBytes = 16

    /// Of this run.
    private let key = randomBytes(MessageCode.bytes)

    package init() {}

    /// Makes one, which counts for an hour.
    ///
    /// - Parameter now: Milliseconds since 1970, UTC.
    package func make(at now: Int64) -> SecretToken {
        let end = now &+ Self.lifetime
        let shifts = (0..<Self.endBytes).reversed().map { 8 * $0 }
        let message = shifts.map { UInt8(truncatingIfNeeded: end >> $0) } + randomBytes(Self.randomCount)
        return SecretToken(.anonymous, bytes: message + code(of: message))
    }

    /// Whether a text is one that counts.
    package func contains(_ text: String, at now: Int64) -> Bool {
        guard let bytes = SecretToken(text, .anonymous)?.bytes else { return false }
        let message = Array(bytes.prefix(Self.endBytes + Self.randomCount))
        let given = Array(bytes.dropFirst(message.count))
        // Codes of the codes are compared, so that the time tells nothing about them.
        let isOurs = MessageCode(of: code(of: message), key: key)
            .matches(MessageCode(of: given, key: key).value)
        let end = message.prefix(Self.endBytes).reduce(0 as Int64) { $0 << 8 | Int64($1) }
        return isOurs && now < end
    }

    private func code(of message: [UInt8]) -> [UInt8] {
        Array(MessageCode(of: message, key: key).value.prefix(Self.codeBytes))
    }
}
