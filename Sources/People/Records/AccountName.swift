/// The rule of the names of users and groups: they become levels of topics and lines of the broker's list.
package enum AccountName {
    /// Says what is legal, for messages.
    package static let rule = "1 to 64 of a-z, 0-9, '.', '_' and '-', beginning with a letter or a digit"

    /// Names that mean something else where a user's name may stand: in `people.mqtt_user` and in the log.
    package static let reserved: Set<String> = ["none", "nobody"]

    package static func isLegal(_ name: String) -> Bool {
        let bytes = name.utf8
        guard (1...64).contains(bytes.count), let first = bytes.first, isLetterOrDigit(first) else {
            return false
        }
        return bytes.allSatisfy { isLetterOrDigit($0) || ".-_".utf8.contains($0) }
    }

    private static func isLetterOrDigit(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"): true
        default: false
        }
    }
}
