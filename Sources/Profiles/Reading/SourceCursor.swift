/// A place in the bytes of a file, which knows its line and column.
struct SourceCursor {
    var offset = 0
    private(set) var line = 1
    /// Where the line begins.
    private var lineStart = 0
    /// Bytes of this line that begin no Unicode scalar.
    private var continuations = 0

    /// - Parameter offset: Where the first line begins: behind a byte order mark.
    init(offset: Int = 0) { (self.offset, lineStart) = (offset, offset) }

    var position: SourcePosition {
        SourcePosition(line: line, column: offset - lineStart - continuations + 1)
    }

    /// Moves over a byte that is no end of a line.
    @inline(__always)
    mutating func advance(over byte: UInt8) {
        offset += 1
        if byte & 0xC0 == 0x80 { continuations += 1 }
    }

    /// Moves over the last byte of a line.
    mutating func endLine() {
        offset += 1
        line += 1
        (lineStart, continuations) = (offset, 0)
    }
}

extension SourcePosition {
    /// The first place of a file.
    static let start = SourcePosition(line: 1, column: 1)
}

/// Checks UTF-8.
enum UTF8Text {
    /// How many bytes are valid from the start.
    static func validPrefix(of bytes: [UInt8]) -> Int {
        if bytes.withUnsafeBufferPointer({ String(validating: $0, as: UTF8.self) }) != nil {
            return bytes.count
        }
        var decoder = UTF8()
        var iterator = bytes.makeIterator()
        var count = 0
        while case .scalarValue(let scalar) = decoder.decode(&iterator) {
            count += UTF8.width(scalar)
        }
        return count
    }
}
