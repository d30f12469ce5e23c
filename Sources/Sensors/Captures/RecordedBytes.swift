import Glibc
import OperatingSystem

/// The source of a recording: a file or memory.
package enum RecordingOrigin: Sendable, Hashable {
    case file(String)
    case bytes([UInt8], name: String)

    /// The name in messages.
    package var name: String {
        switch self {
        case .file(let path): path
        case .bytes(_, let name): name
        }
    }
}

/// Reads a recording from front to back, in pieces.
package struct RecordedBytes {
    let name: String
    /// The number of bytes read so far.
    private(set) var offset = 0
    /// The record, block or line that is being read.
    private(set) var part = (unit: "record", number: 0, offset: 0)
    private var buffer: ArraySlice<UInt8>
    private let file: InputFile?

    private static let pieceSize = 64 * 1024

    init(_ origin: RecordingOrigin) throws(SensorError) {
        name = origin.name
        switch origin {
        case .file(let path):
            file = try InputFile(path)
            buffer = []
        case .bytes(let bytes, _):
            file = nil
            buffer = bytes[...]
        }
    }

    /// Why they cannot be read.
    func unsupported(_ problem: String) -> SensorError { .unsupported(file: name, problem: problem) }

    /// Another record, block or line begins here.
    mutating func begin(_ unit: String) { part = (unit, part.number + 1, offset) }

    /// Why the current part is not valid.
    func damage(_ problem: String) -> SensorError {
        .damaged(file: name, unit: part.unit, number: part.number, offset: part.offset, problem: problem)
    }

    /// The next `count` bytes without consuming them; fewer only at the end.
    mutating func peek(_ count: Int) throws(SensorError) -> ArraySlice<UInt8> {
        while buffer.count < count, try fill() {}
        return buffer.prefix(count)
    }

    /// The next `count` bytes; fewer only at the end.
    mutating func read(_ count: Int) throws(SensorError) -> ArraySlice<UInt8> {
        let piece = try peek(count)
        buffer = buffer.dropFirst(piece.count)
        offset += piece.count
        return piece
    }

    /// The next line without its line feed, and whether it had one; `nil` at the end.
    ///
    /// A line longer than `limit` is cut to `limit + 1` bytes.
    mutating func line(limit: Int) throws(SensorError) -> (bytes: ArraySlice<UInt8>, isWhole: Bool)? {
        var searched = 0
        while true {
            let from = buffer.startIndex + searched
            if let end = buffer[from...].firstIndex(of: 0x0A), end - buffer.startIndex <= limit {
                let line = try read(end - buffer.startIndex)
                _ = try read(1)
                return (line, true)
            }
            if buffer.count > limit { return (try read(limit + 1), false) }
            searched = buffer.count
            guard try fill() else { break }
        }
        guard !buffer.isEmpty else { return nil }
        return (try read(buffer.count), false)
    }

    /// Reads another piece; `false` at the end.
    private mutating func fill() throws(SensorError) -> Bool {
        guard let file else { return false }
        let piece = try file.read(Self.pieceSize)
        guard !piece.isEmpty else { return false }
        // A new array, so that consumed bytes are freed.
        buffer = ArraySlice(Array(buffer) + piece)
        return true
    }
}

/// An open file, closed when its last owner is released.
private final class InputFile {
    private let path: String
    private let descriptor: Int32

    init(_ path: String) throws(SensorError) {
        self.path = path
        descriptor = open(path, O_RDONLY | O_CLOEXEC)
        if descriptor < 0 { throw Self.failure(path) }
    }

    deinit { close(descriptor) }

    func read(_ count: Int) throws(SensorError) -> [UInt8] {
        while true {
            var result = 0
            let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
                result = Glibc.read(descriptor, buffer.baseAddress, count)
                filled = max(result, 0)
            }
            if result >= 0 { return bytes }
            if errno != EINTR { throw Self.failure(path) }
        }
    }

    private static func failure(_ path: String) -> SensorError {
        let code = errno
        return .cannotRead(file: path, code: code, reason: systemMessage(code))
    }
}
