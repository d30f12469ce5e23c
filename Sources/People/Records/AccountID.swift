/// The identifier of a user or a group: 80 bits, written as 16 letters of `a-z2-7`.
/// - Source: RFC 4648, section 6, in lower case.
package struct AccountID: Sendable, Hashable {
    private let high: UInt64
    private let low: UInt16

    /// The built-in group `all`.
    package static let everybody = AccountID(high: 0, low: 0)
    /// The built-in user whose password is that of the web listener.
    package static let listener = AccountID(high: 0, low: .max)

    package init(high: UInt64, low: UInt16) { (self.high, self.low) = (high, low) }

    /// Parses the text form; `nil` for any other text.
    package init?(_ text: String) {
        guard text.utf8.count == 16 else { return nil }
        var (high, low): (UInt64, UInt16) = (0, 0)
        for byte in text.utf8 {
            let digit: UInt8
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"): digit = byte - UInt8(ascii: "a")
            case UInt8(ascii: "2")...UInt8(ascii: "7"): digit = byte - UInt8(ascii: "2") + 26
            default: return nil
            }
            high = high << 5 | UInt64(low >> 11)
            low = low << 5 | UInt16(digit)
        }
        (self.high, self.low) = (high, low)
    }
}

extension AccountID: CustomStringConvertible {
    private static let digits = Array("abcdefghijklmnopqrstuvwxyz234567".utf8)

    package var description: String {
        var (high, low) = (high, low)
        var letters: [UInt8] = []
        for _ in 0..<16 {
            letters.append(Self.digits[Int(low & 31)])
            low = low >> 5 | UInt16(truncatingIfNeeded: high & 31) << 11
            high >>= 5
        }
        return String(decoding: letters.reversed(), as: UTF8.self)
    }
}

extension AccountID: Comparable {
    package static func < (left: AccountID, right: AccountID) -> Bool {
        (left.high, left.low) < (right.high, right.low)
    }
}
