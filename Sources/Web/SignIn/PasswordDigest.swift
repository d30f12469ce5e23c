import CCrypto

/// What is kept of a password in memory: enough to recognise it, too little to find it without trying.
///
/// However it is printed, interpolated or reflected, it shows `***`.
/// - Source: scrypt, RFC 7914.
package struct PasswordDigest: Sendable, Hashable {
    /// The longest password, bytes.
    package static let longest = 1024

    private static let length = 32
    /// Cost: 16 MiB of memory, some 50 ms.
    private static let (rounds, block, lanes): (UInt64, UInt64, UInt64) = (1 << 14, 8, 1)
    /// The same everywhere, so that the same password has the same digest after a restart; sessions depend on it.
    ///
    /// The digest never leaves the process; what is derived from it has the installation's own key as well.
    private static let salt = Array("trilateral web password".utf8)

    let bytes: [UInt8]

    /// Takes some 50 ms of processor time.
    /// - Returns: `nil` for an empty or a very long password.
    package init?(_ password: String) {
        let password = Array(password.utf8)
        guard (1...Self.longest).contains(password.count) else { return nil }
        var digest = [UInt8](repeating: 0, count: Self.length)
        let isDone = password.withUnsafeBufferPointer { password in
            password.withMemoryRebound(to: CChar.self) { password in
                EVP_PBE_scrypt(
                    password.baseAddress,
                    password.count,
                    Self.salt,
                    Self.salt.count,
                    Self.rounds,
                    Self.block,
                    Self.lanes,
                    // More than these parameters need.
                    64 << 20,
                    &digest,
                    Self.length
                )
            }
        }
        guard isDone == 1 else { return nil }
        bytes = digest
    }

    /// Whether a password is this one; takes as long as ``init(_:)`` whatever the answer.
    func matches(_ password: String) -> Bool {
        guard let other = PasswordDigest(password) else { return false }
        return CRYPTO_memcmp(bytes, other.bytes, bytes.count) == 0
    }
}

extension PasswordDigest: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    package var description: String { "***" }
    package var debugDescription: String { "***" }
    package var customMirror: Mirror { Mirror(self, children: [], displayStyle: .struct) }
}
