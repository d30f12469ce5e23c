import Positioning
import Text

extension IdentityKey {
    /// How a text continues a message that refuses it: `is "anna"`, or `has 31 hexadecimal digits` if it may be a key.
    ///
    /// A key with a slip in it is nearly the key, and people paste keys into the wrong field: neither is shown.
    static func described(_ text: String) -> String {
        let shown = "is \(QuotedValue.of(text))"
        let kind = text.utf8.prefix { !":=".utf8.contains($0) }
        // The digits of a beacon are public.
        if String(kind)?.lowercased() == "ibeacon" { return shown }
        let hasKind = kind.count < text.utf8.count && !kind.allSatisfy(isHexadecimal)
        let characters = text.utf8.dropFirst(hasKind ? kind.count : 0).filter { byte in
            (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
        }
        let digits = characters.count(where: isHexadecimal)
        let others = characters.count - digits
        guard characters.count >= fewestCharacters, others <= mostOthers else { return shown }
        let rest = others == 0 ? "" : " and \(others) other letter\(others == 1 ? "" : "s")"
        return "has \(digits) hexadecimal digits\(rest)"
    }

    // A key has 32 digits. A mistyped one may lack some of them, and have a few other letters.
    private static let (fewestCharacters, mostOthers) = (24, 3)

    private static func isHexadecimal(_ byte: UInt8) -> Bool { Character(Unicode.Scalar(byte)).isHexDigit }
}
