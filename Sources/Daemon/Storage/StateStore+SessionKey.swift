import Cryptography
import GRDB

/// The key of the web listener's sessions.
extension StateStore {
    private static let sessionKeyName = "web.session_key"
    private static let sessionKeyBytes = 32

    /// 32 unpredictable bytes, constant for this installation.
    package func sessionKey() throws(StateStoreError) -> [UInt8] {
        try write { database in
            if let text = try Self.setting(Self.sessionKeyName, database), let known = Self.bytes(text) {
                return known
            }
            let key = randomBytes(Self.sessionKeyBytes)
            let text = key.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
            try Self.set(Self.sessionKeyName, text, database)
            return key
        }
    }

    /// `nil` if the digits are not those of a key.
    private static func bytes(_ text: String) -> [UInt8]? {
        let digits = text.compactMap(\.hexDigitValue)
        guard digits.count == 2 * sessionKeyBytes, digits.count == text.count else { return nil }
        return stride(from: 0, to: digits.count, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
    }
}
