extension Substring {
    /// Its parts between an ASCII character, empty ones included.
    ///
    /// Paths, queries and topics are split between bytes: to Swift, a separator with an accent behind it is another
    /// character.
    /// - Source: RFC 3986 3.3; MQTT 5.0, 4.7.
    /// - Parameter separator: ASCII.
    package func parts(between separator: Unicode.Scalar, maxSplits: Int = .max) -> [Substring] {
        utf8.split(
            separator: UInt8(ascii: separator),
            maxSplits: maxSplits,
            omittingEmptySubsequences: false
        ).map { Substring($0) }
    }
}
