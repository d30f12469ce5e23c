import CCrypto

/// A password as mosquitto stores it: `$7$<rounds>$<salt>$<hash>`, salt and hash in base64.
///
/// It is PBKDF2 with HMAC and SHA-512. So few rounds protect no guessable password; those of things are random.
/// - Source: RFC 8018 5.2; mosquitto_passwd(1).
package struct BrokerPassword: Sendable, Hashable, CustomStringConvertible {
    private static let saltBytes = 12
    private static let hashBytes = 64
    private static let rounds = 101

    private let salt: [UInt8]
    private let hash: [UInt8]

    /// Hashes a password.
    ///
    /// - Parameter salt: A new random one unless a test says otherwise.
    package init(of password: String, salt: [UInt8] = randomBytes(saltBytes)) {
        let password = Array(password.utf8)
        var hash = [UInt8](repeating: 0, count: Self.hashBytes)
        let result = password.withUnsafeBytes { bytes in
            PKCS5_PBKDF2_HMAC(
                bytes.bindMemory(to: CChar.self).baseAddress,
                Int32(clamping: bytes.count),
                salt,
                Int32(clamping: salt.count),
                Int32(Self.rounds),
                EVP_sha512(),
                Int32(Self.hashBytes),
                &hash
            )
        }
        // Every input is valid, so only a broken library gets here.
        precondition(result == 1, "libcrypto cannot compute PBKDF2 with SHA-512")
        (self.salt, self.hash) = (salt, hash)
    }

    /// The form behind the colon of a line of the broker's password file.
    package var description: String {
        "$7$\(Self.rounds)$\(Self.base64(salt))$\(Self.base64(hash))"
    }

    /// The line of the broker's password file; `nil` for a name that no line can hold.
    package static func line(user: String, password: String) -> String? {
        let isLegal =
            1...1000 ~= user.utf8.count
            && user.utf8.allSatisfy { $0 > 0x20 && $0 != 0x7F && $0 != UInt8(ascii: ":") }
            && user.utf8.first != UInt8(ascii: "#")
        guard isLegal, !password.utf8.contains(0) else { return nil }
        return "\(user):\(BrokerPassword(of: password))\n"
    }

    /// Base64 with padding, by libcrypto.
    private static func base64(_ bytes: [UInt8]) -> String {
        // The result ends with a NUL.
        var text = [UInt8](repeating: 0, count: (bytes.count + 2) / 3 * 4 + 1)
        let count = EVP_EncodeBlock(&text, bytes, Int32(clamping: bytes.count))
        return String(decoding: text.prefix(Int(count)), as: UTF8.self)
    }
}
