import Positioning
import Text

/// Why a text is no identity key, with what is legal.
///
/// It never shows the text, which may be nearly the key.
package enum IdentityKeyError: Error, Sendable, Hashable, CustomStringConvertible {
    case digits(Int)
    case bytes(Int)
    case zeros
    case unreadable

    /// The forms that are legal, for messages.
    package static let rule = "32 hexadecimal digits, with or without colons, or base64 of 16 bytes"

    package var description: String {
        switch self {
        case .digits(let count):
            "an identity key has 32 hexadecimal digits (has \(count)), or is base64 of 16 bytes"
        case .bytes(let count):
            "an identity key is base64 of 16 bytes (has \(count)), or 32 hexadecimal digits"
        case .zeros: "an identity key of zeros belongs to no device; read the key once more"
        case .unreadable: "an identity key must be \(Self.rule)"
        }
    }
}

extension IdentityKey {
    /// Longest text that is looked at, bytes.
    private static let longest = 128

    /// Reads the forms in which systems show keys.
    ///
    /// Hexadecimal digits may have colons, hyphens or spaces between pairs, `0x` in front, and either case; base64 is
    /// what macOS shows, with the least significant byte first. In which order hexadecimal digits were shown cannot
    /// be seen: ``AddressResolver`` tries both.
    /// - Source: the keychain of macOS ("Remote IRK"); Home Assistant's Private BLE Device, which takes the same forms.
    package init(text: String) throws(IdentityKeyError) {
        guard text.utf8.count <= Self.longest else { throw .unreadable }
        var letters = Self.trimmed(text[...])
        if letters.lowercased().hasPrefix("irk:") { letters = Self.trimmed(letters.dropFirst(4)) }
        let isPrefixed = letters.lowercased().hasPrefix("0x")
        let digits = (isPrefixed ? letters.dropFirst(2) : letters).utf8.filter { !": -".utf8.contains($0) }
        guard !digits.isEmpty else { throw .unreadable }
        let values = digits.compactMap(Self.value)
        if values.count == digits.count {
            guard values.count == 32 else { throw .digits(values.count) }
            var block = CipherBlock.zero
            for index in 0..<16 { block[index] = values[2 * index] << 4 | values[2 * index + 1] }
            self = try Self.checked(block)
            return
        }
        let alphabet: Base64.Alphabet = letters.utf8.contains { "-_".utf8.contains($0) } ? .url : .standard
        guard !isPrefixed, let bytes = Base64.decode(letters.utf8, alphabet) else { throw .unreadable }
        guard bytes.count == 16 else { throw .bytes(bytes.count) }
        var block = CipherBlock.zero
        for (index, byte) in bytes.enumerated() { block[15 - index] = byte }
        self = try Self.checked(block)
    }

    private static func checked(_ block: CipherBlock) throws(IdentityKeyError) -> IdentityKey {
        guard let key = IdentityKey(block) else { throw .zeros }
        return key
    }

    private static func trimmed(_ text: Substring) -> Substring {
        var text = text
        while text.first?.isWhitespace == true { text.removeFirst() }
        while text.last?.isWhitespace == true { text.removeLast() }
        return text
    }

    private static func value(_ digit: UInt8) -> UInt8? {
        switch digit {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): digit - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}
