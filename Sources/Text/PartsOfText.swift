extension Substring {
    /// Its parts between an ASCII character, empty ones included.
    ///
    /// Paths, queries and topics are split between bytes: to Swift, a separator with an accent behind it is another
    /// character.
    /// - Source: RFC 3986 3.3; MQTT 5.0, 4.7.
    /// - Parameter separator: ASCII.
    package func parts(between separator: Unicode.Scalar, maxSplits: Int = .max) -> [Substring] {
        var parts: [Substring] = []
        var rest = self
        while parts.count < maxSplits, let place = rest.firstPlace(of: separator) {
            parts.append(rest[..<place])
            rest = rest[rest.utf8.index(after: place)...]
        }
        parts.append(rest)
        return parts
    }

    /// Where an ASCII character stands first, looked for between bytes.
    ///
    /// In one piece of memory, as nearly every text is: `utf8` finds it by an index after another.
    package func firstPlace(of character: Unicode.Scalar) -> Index? {
        let byte = UInt8(ascii: character)
        guard let offset = utf8.withContiguousStorageIfAvailable({ $0.firstIndex(of: byte) }) else {
            return utf8.firstIndex(of: byte)
        }
        return offset.map { utf8.index(startIndex, offsetBy: $0) }
    }
}
