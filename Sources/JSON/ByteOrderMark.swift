/// The mark with which some editors begin a text: U+FEFF, in UTF-8 EF BB BF.
///
/// Readers of text skip it: it says nothing, and would become part of the first word.
/// - Source: RFC 3629, section 6; RFC 8259, section 8.1.
package enum ByteOrderMark {
    private static let utf8: [UInt8] = [0xEF, 0xBB, 0xBF]

    package static func begins(_ bytes: some Collection<UInt8>) -> Bool {
        // Every message is checked and nearly none has one, so the first byte decides.
        bytes.first == utf8[0] && bytes.starts(with: utf8)
    }

    /// The bytes without a mark at their beginning.
    package static func skipped<Bytes: Collection<UInt8>>(in bytes: Bytes) -> Bytes.SubSequence {
        bytes.dropFirst(begins(bytes) ? utf8.count : 0)
    }

    /// The same for arrays, which all messages are, without generic code.
    package static func skipped(in bytes: [UInt8]) -> ArraySlice<UInt8> {
        begins(bytes) ? bytes[utf8.count...] : bytes[...]
    }

    /// Whether the bytes begin with the mark of UTF-16 or UTF-32.
    package static func isOfAnotherEncoding(_ bytes: some Collection<UInt8>) -> Bool {
        bytes.starts(with: [0xFF, 0xFE]) || bytes.starts(with: [0xFE, 0xFF])
            || bytes.starts(with: [0, 0, 0xFE, 0xFF])
    }
}
