package import JSON

/// The identifier of a Flare object: 12 bytes, written as 24 lower-case hexadecimal digits.
package struct FlareID: Sendable {
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
        var text = text
        let number = text.withUTF8 { digits -> (high: UInt64, low: UInt32)? in
            guard digits.count == Self.length else { return nil }
            var (high, low) = (UInt64(0), UInt32(0))
            for index in 0..<Self.length {
                guard let digit = Self.value(ofDigit: digits[index]) else { return nil }
                if index < 16 { high = high << 4 | UInt64(digit) } else { low = low << 4 | UInt32(digit) }
            }
            return (high, low)
        }
        guard let number else { return nil }
        self.init(high: number.high, low: number.low)
    }

    private static func value(ofDigit byte: UInt8) -> UInt8? {
        let (digit, letter) = (byte &- UInt8(ascii: "0"), (byte | 0x20) &- UInt8(ascii: "a"))
        return digit < 10 ? digit : letter < 6 ? letter + 10 : nil
    }
}

extension FlareID: Hashable {
    package func hash(into hasher: inout Hasher) {
        hasher.combine(high)
        hasher.combine(low)
    }

    /// Two numbers of this process, so that nobody can choose identifiers whose hashes are equal.
    private static let secrets = {
        func secret(_ number: Int) -> UInt64 {
            var hasher = Hasher()
            hasher.combine(number)
            return UInt64(truncatingIfNeeded: hasher.finalize())
        }
        return (high: secret(1), low: secret(2))
    }()

    /// What sets and dictionaries of identifiers use: one multiplication, a tenth of what the standard hash costs.
    /// - Source: wyhash, `_wymix`.
    package func _rawHashValue(seed: Int) -> Int {
        let secrets = Self.secrets
        let product = (high ^ secrets.high).multipliedFullWidth(
            by: UInt64(low) ^ secrets.low ^ UInt64(truncatingIfNeeded: seed)
        )
        return Int(truncatingIfNeeded: product.high ^ product.low)
    }
}

extension FlareID: Comparable {
    package static func < (left: FlareID, right: FlareID) -> Bool {
        (left.high, left.low) < (right.high, right.low)
    }
}

extension FlareID: CustomStringConvertible {
    /// Characters of its text.
    package static let length = 24

    /// Writes its digits.
    package func write(to text: UnsafeMutableRawBufferPointer) {
        var (high, low) = (high, low)
        for index in (0..<16).reversed() {
            text[index] = Self.digit(UInt8(truncatingIfNeeded: high & 15))
            high >>= 4
        }
        for index in (16..<24).reversed() {
            text[index] = Self.digit(UInt8(truncatingIfNeeded: low & 15))
            low >>= 4
        }
    }

    private static func digit(_ value: UInt8) -> UInt8 {
        value &+ (value < 10 ? UInt8(ascii: "0") : UInt8(ascii: "a") &- 10)
    }

    package var description: String {
        String(unsafeUninitializedCapacity: Self.length) { text in
            write(to: UnsafeMutableRawBufferPointer(text))
            return Self.length
        }
    }
}

extension JSONMembers where Self: ~Copyable {
    package mutating func add(_ name: StaticString, _ id: FlareID) {
        add(name, ascii: FlareID.length) { id.write(to: $0) }
    }
}

/// The four classes of Flare objects; the raw value is their key in messages.
package enum FlareClass: String, Sendable, Hashable, CaseIterable {
    case environment, zone, thing, device
}

// Not by the raw value, as it would be by default: a text to hash.
extension FlareClass {
    private var number: UInt8 {
        switch self {
        case .environment: 0
        case .zone: 1
        case .thing: 2
        case .device: 3
        }
    }

    package func hash(into hasher: inout Hasher) { hasher.combine(number) }
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

extension ObjectReference {
    /// Equal identifiers of two classes are rare.
    package func _rawHashValue(seed: Int) -> Int { id._rawHashValue(seed: seed) }
}

extension ObjectReference: Comparable {
    /// Orders by identifier, then class.
    package static func < (left: ObjectReference, right: ObjectReference) -> Bool {
        (left.id, left.kind.rawValue) < (right.id, right.kind.rawValue)
    }
}
