/// Bytes as text.
///
/// - Source: RFC 4648, sections 4 and 5.
package enum Base64 {
    package enum Alphabet: Sendable {
        case standard
        /// With `-` and `_`, for headers and addresses.
        case url

        fileprivate var digits: [UInt8] { self == .url ? Base64.urlDigits : Base64.standardDigits }
        fileprivate var values: [UInt8] { self == .url ? Base64.urlValues : Base64.standardValues }
    }

    private static let pad = UInt8(ascii: "=")
    private static let none = UInt8.max
    private static let standardDigits = digits("+/")
    private static let urlDigits = digits("-_")
    private static let standardValues = values(of: standardDigits)
    private static let urlValues = values(of: urlDigits)

    private static func digits(_ last: String) -> [UInt8] {
        Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789\(last)".utf8)
    }

    private static func values(of digits: [UInt8]) -> [UInt8] {
        digits.enumerated().reduce(into: Array(repeating: none, count: 256)) {
            $0[Int($1.element)] = UInt8($1.offset)
        }
    }

    package static func encode(
        _ bytes: [UInt8],
        _ alphabet: Alphabet = .standard,
        isPadded: Bool = true
    ) -> [UInt8] {
        let digits = alphabet.digits
        var text: [UInt8] = []
        text.reserveCapacity((bytes.count / 3 + 1) * 4)
        var index = 0
        while index < bytes.count {
            let count = min(3, bytes.count - index)
            var group = UInt32(bytes[index]) << 16
            if count > 1 { group |= UInt32(bytes[index + 1]) << 8 }
            if count > 2 { group |= UInt32(bytes[index + 2]) }
            text.append(digits[Int(group >> 18)])
            text.append(digits[Int(group >> 12 & 63)])
            if count > 1 { text.append(digits[Int(group >> 6 & 63)]) }
            if count > 2 { text.append(digits[Int(group & 63)]) }
            if count < 3, isPadded { text += repeatElement(pad, count: 3 - count) }
            index += 3
        }
        return text
    }

    /// Decodes a text; `nil` for an invalid character or length.
    ///
    /// The padding may be missing.
    package static func decode(_ text: some Collection<UInt8>, _ alphabet: Alphabet = .standard) -> [UInt8]? {
        var text = Array(text)
        if text.count % 4 == 0, text.last == pad {
            text.removeLast()
            if text.last == pad { text.removeLast() }
        }
        guard text.count % 4 != 1 else { return nil }
        let values = alphabet.values
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.count / 4 * 3 + 2)
        var (group, bits) = (UInt32(0), UInt32(0))
        for character in text {
            let value = values[Int(character)]
            guard value != none else { return nil }
            group = group << 6 | UInt32(value)
            bits += 6
            if bits >= 8 {
                bits -= 8
                bytes.append(UInt8(truncatingIfNeeded: group >> bits))
            }
        }
        return bytes
    }

    /// Decodes the one text that stands for some bytes, without padding; `nil` for any other.
    package static func decodeCanonical(_ text: some Collection<UInt8>, _ alphabet: Alphabet) -> [UInt8]? {
        guard let bytes = decode(text, alphabet),
            encode(bytes, alphabet, isPadded: false).elementsEqual(text)
        else { return nil }
        return bytes
    }
}
