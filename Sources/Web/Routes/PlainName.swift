extension StringProtocol {
    /// Whether it has only letters and digits of ASCII, `_` and `-`.
    var isPlainName: Bool { isPlain(with: "_-") }

    /// Whether it has only letters and digits of ASCII, and some marks.
    func isPlain(with marks: String) -> Bool {
        utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"):
                true
            default: marks.utf8.contains(byte)
            }
        }
    }
}
