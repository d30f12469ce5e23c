import CCrypto

/// A code that only the holder of a key can make for a message: HMAC with SHA-256.
/// - Source: RFC 2104; RFC 4231 has examples.
package struct MessageCode: Sendable {
    package static let bytes = 32

    package let value: [UInt8]

    package init(of message: [UInt8], key: [UInt8]) {
        var code = [UInt8](repeating: 0, count: Self.bytes)
        var length: UInt32 = 0
        let result = HMAC(
            EVP_sha256(),
            key,
            Int32(clamping: key.count),
            message,
            message.count,
            &code,
            &length
        )
        // Every input is valid, so only a broken library gets here.
        precondition(result != nil && length == Self.bytes, "libcrypto cannot compute HMAC with SHA-256")
        value = code
    }

    /// Compares in constant time.
    package func matches(_ other: some Collection<UInt8>) -> Bool {
        let other = Array(other)
        return other.count == value.count && CRYPTO_memcmp(value, other, value.count) == 0
    }
}

/// Unpredictable bytes from the system.
package func randomBytes(_ count: Int) -> [UInt8] {
    var generator = SystemRandomNumberGenerator()
    return (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
}
