import CCrypto
import Cryptography
import Text

/// A password as it is stored: `$scrypt$ln=14,r=8,p=5$salt$hash`, salt and hash in base64 without padding.
///
/// - Source: RFC 7914; the form is that of passlib and the PHC string format.
package struct PasswordHash: Sendable, Hashable, CustomStringConvertible {
    /// Legal lengths of passwords, bytes of UTF-8.
    package static let lengths = 10...1024
    /// Legal lengths of the listener's own password.
    package static let listenerLengths = 1...1024
    /// Legal lengths of passwords of things.
    /// - Source: contrib/contract/bindings.md, "Forms of an onboarding".
    package static let thingLengths = 1...200
    /// Says what is legal, for messages.
    package static let rule = rule(of: lengths)

    private static let saltBytes = 16
    private static let hashBytes = 32
    /// What a stored hash may ask for: a damaged row must not exhaust the machine.
    private static let memoryLimit: UInt64 = 64 << 20

    /// The parameters of scrypt: how long a hash takes, and how much memory.
    package struct Cost: Sendable, Hashable {
        fileprivate let logarithm: UInt64
        fileprivate let blockSize: UInt64
        fileprivate let parallelism: UInt64

        /// For people: 16 MB of memory, about 0.3 s.
        package static let user = Cost(logarithm: 14, blockSize: 8, parallelism: 5)
        /// For things, of which a thousand may come at once: a fifth of the time of ``user``.
        package static let thing = Cost(logarithm: 14, blockSize: 8, parallelism: 1)
    }

    private let cost: Cost
    private let salt: [UInt8]
    private let hash: [UInt8]

    /// Hashes a password with a new salt; `nil` if its length is not legal or there is no memory.
    package init?(of password: [UInt8], lengths: ClosedRange<Int> = Self.lengths, cost: Cost = .user) {
        guard lengths.contains(password.count) else { return nil }
        let salt = randomBytes(Self.saltBytes)
        guard let hash = Self.derive(password, salt, cost, Self.hashBytes) else { return nil }
        self.init(cost, salt: salt, hash: hash)
    }

    /// A hash of no known password, to be compared with when there is none.
    package static func ofNobody(_ cost: Cost) -> PasswordHash {
        PasswordHash(cost, salt: randomBytes(saltBytes), hash: randomBytes(hashBytes))
    }

    /// Says which lengths are legal, for messages.
    static func rule(of lengths: ClosedRange<Int>) -> String {
        "a password must have \(lengths.lowerBound) to \(lengths.upperBound) bytes"
    }

    private init(_ cost: Cost, salt: [UInt8], hash: [UInt8]) {
        (self.cost, self.salt, self.hash) = (cost, salt, hash)
    }

    /// Parses the stored form; `nil` for any other text, and for parameters that would cost too much.
    package init?(_ text: String) {
        guard text.utf8.count <= 256 else { return nil }
        let parts = text.split(separator: "$", omittingEmptySubsequences: false)
        guard parts.count == 5, parts[0].isEmpty, parts[1] == "scrypt" else { return nil }
        let costs = parts[2].split(separator: ",", omittingEmptySubsequences: false)
        guard costs.count == 3, let logarithm = Self.number(costs[0], "ln=", 1...16),
            let blockSize = Self.number(costs[1], "r=", 1...32),
            let parallelism = Self.number(costs[2], "p=", 1...16),
            128 * blockSize << logarithm <= Self.memoryLimit / 2,
            let salt = Base64.decodeCanonical(parts[3].utf8, .standard), (8...64).contains(salt.count),
            let hash = Base64.decodeCanonical(parts[4].utf8, .standard), (16...64).contains(hash.count)
        else { return nil }
        let cost = Cost(logarithm: logarithm, blockSize: blockSize, parallelism: parallelism)
        self.init(cost, salt: salt, hash: hash)
    }

    /// Whether it is the hash of this password; compared in constant time.
    package func matches(_ password: [UInt8]) -> Bool {
        guard Self.listenerLengths.contains(password.count),
            let other = Self.derive(password, salt, cost, hash.count)
        else { return false }
        return CRYPTO_memcmp(other, hash, hash.count) == 0
    }

    /// The stored form.
    package var description: String {
        let (salt, hash) = (Self.base64(salt), Self.base64(hash))
        return "$scrypt$ln=\(cost.logarithm),r=\(cost.blockSize),p=\(cost.parallelism)$\(salt)$\(hash)"
    }

    private static func base64(_ bytes: [UInt8]) -> String {
        String(decoding: Base64.encode(bytes, isPadded: false), as: UTF8.self)
    }

    private static func number(_ text: Substring, _ prefix: String, _ range: ClosedRange<UInt64>) -> UInt64? {
        guard text.hasPrefix(prefix), let number = UInt64(text.dropFirst(prefix.count)),
            range.contains(number)
        else { return nil }
        return number
    }

    /// `nil` if libcrypto has no memory for it.
    private static func derive(
        _ password: [UInt8],
        _ salt: [UInt8],
        _ cost: Cost,
        _ count: Int
    ) -> [UInt8]? {
        var key = [UInt8](repeating: 0, count: count)
        let result = password.withUnsafeBytes { bytes in
            EVP_PBE_scrypt(
                bytes.baseAddress?.assumingMemoryBound(to: CChar.self),
                bytes.count,
                salt,
                salt.count,
                1 << cost.logarithm,
                cost.blockSize,
                cost.parallelism,
                memoryLimit,
                &key,
                count
            )
        }
        return result == 1 ? key : nil
    }
}
