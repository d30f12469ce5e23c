import CCrypto
import Cryptography
import Text

/// 32 unpredictable bytes that somebody sends to be recognized: a token, a session's cookie, or a link.
///
/// Only ``hash`` is stored. It prints as `***`; ``text`` is for its owner.
package struct SecretToken: Sendable, Hashable, CustomStringConvertible {
    /// What it is for.
    package enum Kind: String, Sendable, Hashable, CaseIterable {
        case session, token, link
        /// The token of a thing.
        case thing
        /// A token for nobody, of a program with the app's key.
        case anonymous
    }

    private static let count = 32

    package let kind: Kind
    let bytes: [UInt8]

    /// A new one.
    package init(_ kind: Kind) { (self.kind, bytes) = (kind, randomBytes(Self.count)) }

    /// One of 32 bytes that were made for it; they must not be predictable.
    init(_ kind: Kind, bytes: [UInt8]) {
        precondition(bytes.count == Self.count, "a secret has \(Self.count) bytes")
        (self.kind, self.bytes) = (kind, bytes)
    }

    /// Parses what was brought: base64url of 32 bytes, after the kind's prefix; `nil` for any other text.
    package init?(_ text: some StringProtocol, _ kind: Kind) {
        let prefix = kind.prefix
        guard text.utf8.count <= 64, text.hasPrefix(prefix),
            let bytes = Base64.decodeCanonical(text.dropFirst(prefix.count).utf8, .url),
            bytes.count == Self.count
        else { return nil }
        (self.kind, self.bytes) = (kind, bytes)
    }

    /// What its owner brings.
    package var text: String {
        kind.prefix + String(decoding: Base64.encode(bytes, .url, isPadded: false), as: UTF8.self)
    }

    package var description: String { "***" }

    /// SHA-256 of the bytes.
    package var hash: [UInt8] {
        var digest = [UInt8](repeating: 0, count: 32)
        var length: UInt32 = 0
        let result = EVP_Digest(bytes, bytes.count, &digest, &length, EVP_sha256(), nil)
        // Every input is valid, so only a broken library gets here.
        precondition(result == 1 && length == 32, "libcrypto cannot compute SHA-256")
        return digest
    }
}

extension SecretToken.Kind {
    /// The first characters of such a secret, so that it is found where it should not be.
    fileprivate var prefix: String {
        switch self {
        case .token: SecretMask.Prefix.token.rawValue
        case .link: SecretMask.Prefix.link.rawValue
        case .thing: SecretMask.Prefix.thing.rawValue
        case .anonymous: SecretMask.Prefix.anonymous.rawValue
        case .session: ""
        }
    }
}
