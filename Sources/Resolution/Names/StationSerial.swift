/// The name of a station that never changes, in the form in which it is stored and compared.
///
/// Usually the MAC of a network interface, `aa:bb:cc:dd:ee:ff`; else a text of 1 to 64 bytes in lower case.
/// - Source: contrib/contract/directory.md, "Serials".
package struct StationSerial: Sendable, Hashable, Comparable, CustomStringConvertible {
    /// The stored form.
    package let text: String

    package static let longest = 64
    /// The first number that is no MAC.
    private static let macCount: UInt64 = 1 << 48

    /// - Parameter sent: As somebody wrote it: a MAC with any separators, a MAC in decimal, or another text.
    /// - Returns: `nil` if nothing is left of it, or too much, or if it has control characters.
    package init?(_ sent: String) {
        guard sent.utf8.count <= 4 * Self.longest else { return nil }
        let (inner, hasParentheses) = sent.withoutParentheses
        let bytes = Array(inner.utf8)
        guard bytes.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) else { return nil }
        // NEL and the other control characters beyond ASCII.
        guard inner.unicodeScalars.allSatisfy({ $0.properties.generalCategory != .control }) else {
            return nil
        }
        let stripped = bytes.filter { !":-. ".utf8.contains($0) }.map(Self.lowered)
        if stripped.count == bytes.count, hasParentheses || (13...15).contains(bytes.count),
            let number = Self.number(stripped), number < Self.macCount
        {
            let digits = String(number, radix: 16)
            text = Self.mac(Array((String(repeating: "0", count: 12 - digits.count) + digits).utf8))
        } else if stripped.count == 12, stripped.allSatisfy(Self.isHexadecimal) {
            text = Self.mac(stripped)
        } else {
            guard (1...Self.longest).contains(stripped.count) else { return nil }
            text = String(decoding: stripped, as: UTF8.self)
        }
    }

    package var description: String { text }

    package static func < (left: Self, right: Self) -> Bool { left.text < right.text }

    private static func lowered(_ byte: UInt8) -> UInt8 {
        (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte + 32 : byte
    }

    private static func isHexadecimal(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
            || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte)
    }

    /// The number that ASCII digits write; `nil` for anything else, and beyond 64 bits.
    private static func number(_ digits: [UInt8]) -> UInt64? {
        guard !digits.isEmpty, digits.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) })
        else { return nil }
        return UInt64(String(decoding: digits, as: UTF8.self))
    }

    /// Twelve digits in pairs.
    private static func mac(_ digits: [UInt8]) -> String {
        stride(from: 0, to: digits.count, by: 2)
            .map { String(decoding: digits[$0..<min($0 + 2, digits.count)], as: UTF8.self) }
            .joined(separator: ":")
    }
}

extension String {
    /// Without white space at the ends and one pair of parentheses, and whether there was one.
    var withoutParentheses: (text: String, hadThem: Bool) {
        let trimmed = trimmingWhitespace
        guard trimmed.utf8.count >= 2, trimmed.hasPrefix("("), trimmed.hasSuffix(")") else {
            return (String(trimmed), false)
        }
        return (String(trimmed.dropFirst().dropLast().trimmingWhitespace), true)
    }
}

extension StringProtocol {
    fileprivate var trimmingWhitespace: SubSequence {
        func isSpace(_ character: Character) -> Bool { character.isWhitespace }
        guard let first = firstIndex(where: { !isSpace($0) }), let last = lastIndex(where: { !isSpace($0) })
        else { return self[startIndex..<startIndex] }
        return self[first...last]
    }
}
