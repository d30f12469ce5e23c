import Foundation

/// Base64 without padding; only the canonical text of some bytes is accepted.
/// - Source: RFC 4648, sections 4 and 5.
enum Base64 {
    enum Alphabet {
        case standard
        /// With `-` and `_`.
        case url
    }

    static func encode(_ bytes: [UInt8], _ alphabet: Alphabet) -> String {
        String(decoding: digits(of: bytes, alphabet), as: UTF8.self)
    }

    static func decode(_ text: some StringProtocol, _ alphabet: Alphabet) -> [UInt8]? {
        guard text.utf8.count <= 256 else { return nil }
        // Bytes, because each command with a token comes here.
        let brought = Array(text.utf8)
        var standard = alphabet == .url ? brought.map(standardDigit) : brought
        standard += repeatElement(padding, count: (4 - standard.count % 4) % 4)
        guard let bytes = Data(base64Encoded: Data(standard)).map(Array.init) else { return nil }
        return digits(of: bytes, alphabet) == brought ? bytes : nil
    }

    private static let padding = UInt8(ascii: "=")

    private static func standardDigit(_ digit: UInt8) -> UInt8 {
        switch digit {
        case UInt8(ascii: "-"): UInt8(ascii: "+")
        case UInt8(ascii: "_"): UInt8(ascii: "/")
        default: digit
        }
    }

    private static func urlDigit(_ digit: UInt8) -> UInt8 {
        switch digit {
        case UInt8(ascii: "+"): UInt8(ascii: "-")
        case UInt8(ascii: "/"): UInt8(ascii: "_")
        default: digit
        }
    }

    private static func digits(of bytes: [UInt8], _ alphabet: Alphabet) -> [UInt8] {
        let digits = Array(Data(bytes).base64EncodedData().prefix { $0 != padding })
        return alphabet == .url ? digits.map(urlDigit) : digits
    }
}
