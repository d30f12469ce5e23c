import Cryptography
import Foundation

/// Makes and checks the tokens of signed-in browsers.
///
/// A token carries its time and a signature, so nothing is stored: it outlives restarts and reloads. The signing key is
/// derived from the installation's key and the password, so another password ends all sessions.
package struct SessionTokens: Sendable {
    /// How long a token is accepted, seconds.
    package static let lifetime = 30 * 86_400
    /// After this time a token is replaced, so that a display that is in use stays signed in; seconds.
    package static let renewal = 86_400

    /// A token that is accepted.
    package struct Session: Sendable, Hashable {
        /// Unpredictable, 32 bytes.
        package let id: [UInt8]
        /// When the token was made, seconds since 1970-01-01 UTC.
        package let issued: Int

        package func isDueForRenewal(at now: Int) -> Bool { now - issued >= renewal }
    }

    private static let version: UInt8 = 1
    private static let idBytes = 32
    private static let signedBytes = 1 + 8 + idBytes
    private static let tokenBytes = signedBytes + MessageCode.bytes

    private let key: [UInt8]

    /// - Parameter key: The installation's, 32 bytes.
    package init(key: [UInt8], password: PasswordDigest) {
        self.key = MessageCode(of: Array("web session".utf8) + password.bytes, key: key).value
    }

    /// A new token.
    /// - Parameter now: Seconds since 1970-01-01 UTC.
    package func token(at now: Int) -> String {
        let time = withUnsafeBytes(of: UInt64(clamping: now).bigEndian) { Array($0) }
        let signed = [Self.version] + time + randomBytes(Self.idBytes)
        return Base64URL.text(signed + MessageCode(of: signed, key: key).value)
    }

    /// The session of a token; `nil` if it is not one of ours, or too old.
    ///
    /// A token from the future is accepted: the clock of this machine may not be set yet.
    package func session(_ token: some StringProtocol, at now: Int) -> Session? {
        guard let bytes = Base64URL.bytes(token, count: Self.tokenBytes) else { return nil }
        let signed = Array(bytes.prefix(Self.signedBytes))
        guard MessageCode(of: signed, key: key).matches(bytes.dropFirst(Self.signedBytes)),
            signed.first == Self.version
        else { return nil }
        let time = signed.dropFirst().prefix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        let issued = Int(clamping: time)
        guard now - issued < Self.lifetime else { return nil }
        return Session(id: Array(signed.suffix(Self.idBytes)), issued: issued)
    }
}

/// The form of base64 that needs no escapes in headers; without padding.
/// - Source: RFC 4648 5.
enum Base64URL {
    static func text(_ bytes: [UInt8]) -> String {
        let standard = Data(bytes).base64EncodedData().compactMap { digit -> UInt8? in
            switch digit {
            case UInt8(ascii: "+"): UInt8(ascii: "-")
            case UInt8(ascii: "/"): UInt8(ascii: "_")
            case UInt8(ascii: "="): nil
            default: digit
            }
        }
        return String(decoding: standard, as: UTF8.self)
    }

    /// `nil` if the text does not stand for that many bytes.
    static func bytes(_ text: some StringProtocol, count: Int) -> [UInt8]? {
        guard text.utf8.count == (count * 4 + 2) / 3 else { return nil }
        var standard = text.utf8.map { digit in
            switch digit {
            case UInt8(ascii: "-"): UInt8(ascii: "+")
            case UInt8(ascii: "_"): UInt8(ascii: "/")
            default: digit
            }
        }
        while standard.count % 4 != 0 { standard.append(UInt8(ascii: "=")) }
        guard let data = Data(base64Encoded: Data(standard)), data.count == count else { return nil }
        return Array(data)
    }
}
