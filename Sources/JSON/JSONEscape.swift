/// Escapes in the texts of JSON.
///
/// - Source: RFC 8259, section 7.
package enum JSONEscape {
    /// Adds what an escape stands for to a text; a lone surrogate becomes the replacement character.
    ///
    /// - Parameter position: Behind the backslash; afterwards behind the escape, or where it is wrong.
    /// - Returns: Whether the escape is known and complete.
    package static func decode(
        _ bytes: UnsafeBufferPointer<UInt8>,
        at position: inout Int,
        into text: inout [UInt8]
    ) -> Bool {
        guard position < bytes.count else { return false }
        switch bytes[position] {
        case UInt8(ascii: "u"):
            position += 1
            return decodeUnicode(bytes, at: &position, into: &text)
        case UInt8(ascii: "\""): text.append(0x22)
        case UInt8(ascii: "\\"): text.append(0x5C)
        case UInt8(ascii: "/"): text.append(0x2F)
        case UInt8(ascii: "b"): text.append(0x08)
        case UInt8(ascii: "f"): text.append(0x0C)
        case UInt8(ascii: "n"): text.append(0x0A)
        case UInt8(ascii: "r"): text.append(0x0D)
        case UInt8(ascii: "t"): text.append(0x09)
        default: return false
        }
        position += 1
        return true
    }

    /// The digits of `\uXXXX`, and a second escape if both are a surrogate pair.
    private static func decodeUnicode(
        _ bytes: UnsafeBufferPointer<UInt8>,
        at position: inout Int,
        into text: inout [UInt8]
    ) -> Bool {
        guard let first = hexUnit(bytes, at: &position) else { return false }
        var scalar = Unicode.Scalar(first)
        if first & 0xFC00 == 0xD800, bytes[position...].starts(with: #"\u"#.utf8) {
            var end = position + 2
            if let second = hexUnit(bytes, at: &end), second & 0xFC00 == 0xDC00 {
                scalar = Unicode.Scalar(0x10000 + (first & 0x3FF) << 10 + (second & 0x3FF))
                position = end
            }
        }
        text += UTF8.encode(scalar ?? "\u{FFFD}") ?? UTF8.encodedReplacementCharacter
        return true
    }

    private static func hexUnit(_ bytes: UnsafeBufferPointer<UInt8>, at position: inout Int) -> UInt32? {
        var unit: UInt32 = 0
        for _ in 0..<4 {
            guard position < bytes.count, bytes[position] < 0x80,
                let digit = Character(Unicode.Scalar(bytes[position])).hexDigitValue
            else { return nil }
            unit = unit << 4 | UInt32(digit)
            position += 1
        }
        return unit
    }
}
