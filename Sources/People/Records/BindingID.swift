/// The identifier of a thing's binding, `thingID` in messages: 128 bits, written as `th.` and 32 hexadecimal digits.
package struct BindingID: Sendable, Hashable {
    private let high: UInt64
    private let low: UInt64

    private static let prefix = "th."

    package init(high: UInt64, low: UInt64) { (self.high, self.low) = (high, low) }

    /// Parses the text form, with digits of either case; `nil` for any other text.
    package init?(_ text: String) {
        let bytes = text.utf8
        guard bytes.count == 35, bytes.starts(with: Self.prefix.utf8) else { return nil }
        var (high, low): (UInt64, UInt64) = (0, 0)
        for byte in bytes.dropFirst(3) {
            let digit: UInt8
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): digit = byte - UInt8(ascii: "0")
            case UInt8(ascii: "a")...UInt8(ascii: "f"): digit = byte - UInt8(ascii: "a") + 10
            case UInt8(ascii: "A")...UInt8(ascii: "F"): digit = byte - UInt8(ascii: "A") + 10
            default: return nil
            }
            high = high << 4 | low >> 60
            low = low << 4 | UInt64(digit)
        }
        (self.high, self.low) = (high, low)
    }
}

extension BindingID: CustomStringConvertible {
    package var description: String {
        var bytes = Array(Self.prefix.utf8)
        bytes.reserveCapacity(35)
        for half in [high, low] {
            for shift in stride(from: 60, through: 0, by: -4) {
                let digit = UInt8(truncatingIfNeeded: (half >> UInt64(shift)) & 15)
                bytes.append(digit &+ (digit < 10 ? UInt8(ascii: "0") : UInt8(ascii: "a") &- 10))
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}

extension BindingID: Comparable {
    package static func < (left: BindingID, right: BindingID) -> Bool {
        (left.high, left.low) < (right.high, right.low)
    }
}
