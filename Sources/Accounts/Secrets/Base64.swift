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
        let text = Data(bytes).base64EncodedString().prefix { $0 != "=" }
        guard alphabet == .url else { return String(text) }
        return String(text.map { $0 == "+" ? "-" : $0 == "/" ? "_" : $0 })
    }

    static func decode(_ text: some StringProtocol, _ alphabet: Alphabet) -> [UInt8]? {
        guard text.utf8.count <= 256 else { return nil }
        let standard =
            alphabet == .url ? String(text.map { $0 == "-" ? "+" : $0 == "_" ? "/" : $0 }) : String(text)
        let padding = String(repeating: "=", count: (4 - standard.utf8.count % 4) % 4)
        guard let data = Data(base64Encoded: standard + padding) else { return nil }
        let bytes = Array(data)
        return encode(bytes, alphabet) == text ? bytes : nil
    }
}
