import Cryptography
import GRDB
import Resolution

/// The key of the web listener's sessions.
extension StateStore {
    private static let sessionKeyName = "web.session_key"
    private static let sessionKeyBytes = 32

    /// 32 unpredictable bytes, constant for this installation.
    package func sessionKey() throws(StateStoreError) -> [UInt8] {
        try write { database in
            if let text = try Self.setting(Self.sessionKeyName, database),
                let known = [UInt8](hexadecimal: text), known.count == Self.sessionKeyBytes
            {
                return known
            }
            let key = randomBytes(Self.sessionKeyBytes)
            let text = key.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
            try Self.set(Self.sessionKeyName, text, database)
            return key
        }
    }
}
