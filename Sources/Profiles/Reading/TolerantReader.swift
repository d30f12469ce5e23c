import JSON
import Text

/// Reads JSON as AMAP's tools did: with `//` comments, a comma too many, a comma too few, and objects that go on
/// behind their `}`.
///
/// Every read is checked against the end.
struct TolerantReader {
    /// A list or object that is still open.
    struct Opening {
        let isObject: Bool
        let line: Int

        var name: String { isObject ? "object" : "list" }
    }

    /// Thrown at what no indulgence allows; the rest is not read.
    struct BadJSON: Error {
        let position: SourcePosition
        let message: String
    }

    let bytes: [UInt8]
    let file: String
    let maximumDepth: Int
    var cursor = SourceCursor()
    /// Where the file ends, or where it is no longer UTF-8.
    let end: Int
    var open: [Opening] = []
    private(set) var problems: [ProfileProblem] = []
    var hasComments = false

    init(_ bytes: [UInt8], file: String, maximumDepth: Int = ProfileSource.maximumDepth) {
        (self.bytes, self.file, self.maximumDepth) = (bytes, file, maximumDepth)
        end = UTF8Text.validPrefix(of: bytes)
        if ByteOrderMark.begins(bytes) { cursor = SourceCursor(offset: 3) }
    }

    /// The value of the whole file; `nil` if it cannot be read.
    mutating func document() -> PlacedValue? {
        do throws(BadJSON) {
            try skipSpace()
            let value = try value(mayGoOn: true)
            try skipSpace()
            if skip(UInt8(ascii: ",")) { try skipSpace() }
            guard next == nil, end == bytes.count else { throw unexpected("the file must end here") }
            return value
        } catch {
            let problem = ProfileProblem(
                file: file,
                position: error.position,
                code: .badJSON,
                message: error.message
            )
            problems.append(problem)
            return nil
        }
    }

    /// - Parameter mayGoOn: In a list or at the top an object may be closed too early.
    private mutating func value(mayGoOn: Bool) throws(BadJSON) -> PlacedValue {
        let start = cursor.position
        switch next {
        case UInt8(ascii: "{"): return PlacedValue(.object(try object(mayGoOn: mayGoOn)), at: start)
        case UInt8(ascii: "["): return PlacedValue(.list(try list()), at: start)
        case UInt8(ascii: "\""): return PlacedValue(.string(try text()), at: start)
        case UInt8(ascii: "t"): return PlacedValue(try word("true", .bool(true)), at: start)
        case UInt8(ascii: "f"): return PlacedValue(try word("false", .bool(false)), at: start)
        case UInt8(ascii: "n"): return PlacedValue(try word("null", .null), at: start)
        case let byte? where byte == UInt8(ascii: "-") || byte.isASCIIDigit:
            return PlacedValue(.number(try number()), at: start)
        default: throw unexpected("a value must stand here")
        }
    }

    private mutating func list() throws(BadJSON) -> [PlacedValue] {
        try enter(isObject: false)
        var elements: [PlacedValue] = []
        while true {
            try skipSpace()
            if skip(UInt8(ascii: "]")) { break }
            elements.append(try value(mayGoOn: true))
            try skipSpace()
            if skip(UInt8(ascii: ",")) { continue }
            if skip(UInt8(ascii: "]")) { break }
            throw unexpected()
        }
        open.removeLast()
        return elements
    }

    private mutating func object(mayGoOn: Bool) throws(BadJSON) -> [PlacedValue.Member] {
        try enter(isObject: true)
        var members: [PlacedValue.Member] = []
        try skipSpace()
        /// The next key, if the file's commas and brackets would not have had one here.
        var key: Key?
        while true {
            if key == nil {
                let closing = cursor.position
                if skip(UInt8(ascii: "}")) {
                    guard mayGoOn, let more = try keyBehindClosing(at: closing) else { break }
                    key = more
                } else {
                    key = try self.key()
                }
            }
            guard let current = key else { break }
            key = nil
            members.append(try member(current))
            let behind = cursor.position
            try skipSpace()
            if skip(UInt8(ascii: ",")) {
                try skipSpace()
            } else if next == UInt8(ascii: "\""), let more = try keyAhead() {
                warn(
                    .missingComma,
                    at: behind,
                    "a comma is missing before \(QuotedValue.of(more.text)); read as if it were there"
                )
                key = more
            } else if next != UInt8(ascii: "}") {
                throw unexpected()
            }
        }
        open.removeLast()
        return members
    }

    private mutating func member(_ key: Key) throws(BadJSON) -> PlacedValue.Member {
        try skipSpace()
        guard skip(UInt8(ascii: ":")) else {
            // The text may be a secret in the wrong place: it is not repeated.
            throw unexpected("a colon must stand behind a key")
        }
        try skipSpace()
        let value = try value(mayGoOn: false)
        return PlacedValue.Member(key: key.text, keyPosition: key.position, value: value)
    }

    private mutating func enter(isObject: Bool) throws(BadJSON) {
        guard open.count < maximumDepth else {
            throw bad("lists and objects are nested deeper than \(maximumDepth), which is the limit")
        }
        open.append(Opening(isObject: isObject, line: cursor.line))
        cursor.offset += 1
    }

    // MARK: Keys

    struct Key {
        let text: String
        let position: SourcePosition
    }

    private mutating func key() throws(BadJSON) -> Key {
        let start = cursor.position
        guard next == UInt8(ascii: "\"") else { throw unexpected() }
        return Key(text: try text(), position: start)
    }

    /// A text with a colon behind it; otherwise nothing is read.
    private mutating func keyAhead() throws(BadJSON) -> Key? {
        let back = cursor
        guard next == UInt8(ascii: "\"") else { return nil }
        let key = try key()
        try skipSpace()
        guard next == UInt8(ascii: ":") else {
            cursor = back
            return nil
        }
        return key
    }

    /// The key with which an object goes on behind its `}`, and perhaps a comma; otherwise nothing is read.
    private mutating func keyBehindClosing(at closing: SourcePosition) throws(BadJSON) -> Key? {
        let back = cursor
        try skipSpace()
        if skip(UInt8(ascii: ",")) { try skipSpace() }
        guard let key = try keyAhead() else {
            cursor = back
            return nil
        }
        warn(
            .closedEarly,
            at: closing,
            "this } closes its object too early: \(QuotedValue.of(key.text)) follows; read as if it went on"
        )
        return key
    }

    // MARK: Problems

    private mutating func warn(
        _ code: ProfileProblem.Code,
        at position: SourcePosition,
        _ message: @autoclosure () -> String
    ) {
        // A file with so many problems is refused anyway.
        guard problems.count <= ProfileFindings.maximumProblems else { return }
        problems.append(
            ProfileProblem(
                file: file,
                position: position,
                severity: .warning,
                code: code,
                message: message()
            )
        )
    }
}
