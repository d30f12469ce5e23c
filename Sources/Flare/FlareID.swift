/// The identifier of a Flare object: 12 bytes, written as 24 lower-case hexadecimal digits.
package struct FlareID: Sendable, Hashable {
    /// The first eight bytes, big-endian.
    package let high: UInt64
    /// The last four bytes, big-endian.
    package let low: UInt32

    package init(high: UInt64, low: UInt32) {
        self.high = high
        self.low = low
    }

    /// Parses 24 hexadecimal digits of either case; `nil` for any other text.
    package init?(_ text: String) {
        let utf8 = text.utf8
        guard utf8.count == 24 else { return nil }
        var high: UInt64 = 0
        var low: UInt32 = 0
        for (index, byte) in utf8.enumerated() {
            let digit: UInt8
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): digit = byte - UInt8(ascii: "0")
            case UInt8(ascii: "a")...UInt8(ascii: "f"): digit = byte - UInt8(ascii: "a") + 10
            case UInt8(ascii: "A")...UInt8(ascii: "F"): digit = byte - UInt8(ascii: "A") + 10
            default: return nil
            }
            if index < 16 { high = high << 4 | UInt64(digit) } else { low = low << 4 | UInt32(digit) }
        }
        self.init(high: high, low: low)
    }
}

extension FlareID: Comparable {
    package static func < (left: FlareID, right: FlareID) -> Bool {
        (left.high, left.low) < (right.high, right.low)
    }
}

extension FlareID: CustomStringConvertible {
    private static let digits = Array("0123456789abcdef".utf8)

    package var description: String {
        String(unsafeUninitializedCapacity: 24) { buffer in
            for index in 0..<16 { buffer[index] = Self.digits[Int(high >> (60 - 4 * UInt64(index)) & 15)] }
            for index in 0..<8 { buffer[16 + index] = Self.digits[Int(low >> (28 - 4 * UInt32(index)) & 15)] }
            return 24
        }
    }
}

/// The four classes of Flare objects; the raw value is their key in messages.
package enum FlareClass: String, Sendable, Hashable, CaseIterable {
    case environment, zone, thing, device
}

/// A reference to an object; identifiers are unique only within a class.
package struct ObjectReference: Sendable, Hashable {
    package let kind: FlareClass
    package let id: FlareID

    package init(_ kind: FlareClass, _ id: FlareID) {
        self.kind = kind
        self.id = id
    }
}

extension ObjectReference: Comparable {
    /// Orders by identifier, then class.
    package static func < (left: ObjectReference, right: ObjectReference) -> Bool {
        (left.id, left.kind.rawValue) < (right.id, right.kind.rawValue)
    }
}
