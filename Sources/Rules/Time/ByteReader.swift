/// Reads big-endian numbers from bytes that may end too early.
struct ByteReader {
    private(set) var rest: ArraySlice<UInt8>

    init(_ bytes: some Sequence<UInt8>) { rest = Array(bytes)[...] }

    /// The next bytes; `nil` if there are not as many.
    mutating func bytes(_ count: Int) -> ArraySlice<UInt8>? {
        guard count >= 0, count <= rest.count else { return nil }
        defer { rest = rest.dropFirst(count) }
        return rest.prefix(count)
    }

    /// The next number without sign, of one to four bytes.
    mutating func unsigned(_ count: Int) -> Int? {
        bytes(count).map { $0.reduce(0) { $0 << 8 | Int($1) } }
    }

    /// The next number of four bytes with a sign.
    mutating func signed32() -> Int? {
        unsigned(4).map { Int(Int32(truncatingIfNeeded: $0)) }
    }

    /// The next number of eight bytes with a sign.
    mutating func signed64() -> Int64? {
        bytes(8).map { $0.reduce(0) { $0 << 8 | Int64($1) } }
    }
}
