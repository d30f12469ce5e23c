/// Numbers and texts, written one after the other for the database.
struct ByteWriter {
    private(set) var bytes: [UInt8] = []

    /// Seven bits a byte, the lowest first.
    mutating func write(_ number: UInt64) {
        var rest = number
        while rest > 0x7F {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(truncatingIfNeeded: rest))
    }

    /// Short if it is near 0, also below it.
    mutating func write(_ number: Int64) { write(UInt64(bitPattern: number << 1 ^ number >> 63)) }

    mutating func write(count: Int) { write(UInt64(clamping: count)) }

    mutating func write(_ number: Double) {
        withUnsafeBytes(of: number.bitPattern.littleEndian) { bytes.append(contentsOf: $0) }
    }

    mutating func write(_ byte: UInt8) { bytes.append(byte) }

    mutating func write(_ list: [UInt8]) { write(list[...]) }

    mutating func write(_ list: ArraySlice<UInt8>) {
        write(count: list.count)
        bytes += list
    }

    mutating func write(_ text: String) {
        write(count: text.utf8.count)
        bytes += text.utf8
    }
}

/// Reads what ``ByteWriter`` has written; `nil` at the end, and for bytes that it would not have written.
struct ByteReader {
    private let bytes: ArraySlice<UInt8>
    private var place: Int

    init(_ bytes: ArraySlice<UInt8>) { (self.bytes, place) = (bytes, bytes.startIndex) }

    init(_ bytes: [UInt8]) { self.init(bytes[...]) }

    var isAtEnd: Bool { place >= bytes.endIndex }

    mutating func byte() -> UInt8? {
        guard !isAtEnd else { return nil }
        defer { place += 1 }
        return bytes[place]
    }

    mutating func unsigned() -> UInt64? {
        var number: UInt64 = 0
        var shift: UInt64 = 0
        while shift < 64, let byte = byte() {
            number |= UInt64(byte & 0x7F) << shift
            if byte < 0x80 { return number }
            shift += 7
        }
        return nil
    }

    mutating func signed() -> Int64? {
        unsigned().map { Int64(bitPattern: $0 >> 1) ^ -Int64(bitPattern: $0 & 1) }
    }

    mutating func count() -> Int? { unsigned().flatMap { Int(exactly: $0) } }

    mutating func double() -> Double? {
        guard let bytes = take(8) else { return nil }
        let bits = bytes.withUnsafeBytes { $0.loadUnaligned(as: UInt64.self) }
        return Double(bitPattern: UInt64(littleEndian: bits))
    }

    mutating func list() -> ArraySlice<UInt8>? { count().flatMap { take($0) } }

    mutating func text() -> String? { list().map { String(decoding: $0, as: UTF8.self) } }

    /// Passes over numbers that were written with a varying number of bytes.
    ///
    /// - Returns: `false` if there are not so many.
    mutating func skipNumbers(_ count: Int) -> Bool {
        var left = count
        while left > 0, let byte = byte() {
            if byte < 0x80 { left -= 1 }
        }
        return left <= 0
    }

    /// Passes over bytes.
    mutating func skip(_ count: Int) -> Bool {
        guard count <= bytes.endIndex - place else { return false }
        place += count
        return true
    }

    mutating func take(_ count: Int) -> ArraySlice<UInt8>? {
        guard count >= 0, count <= bytes.endIndex - place else { return nil }
        defer { place += count }
        return bytes[place..<place + count]
    }
}
