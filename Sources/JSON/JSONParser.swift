/// Why a text is not valid JSON, and where.
package struct JSONError: Error, Hashable, CustomStringConvertible {
    /// Bytes from the start of the text.
    package let offset: Int
    package let problem: String

    package var description: String { "\(problem) at byte \(offset)" }
}

extension JSONValue {
    /// Parses one JSON value that fills the whole input; surrounding white space is allowed.
    ///
    /// Of repeated members the last is used, as in JavaScript. A byte order mark at the beginning is skipped.
    /// - Parameters:
    ///   - maximumDepth: The largest nesting depth of arrays and objects.
    ///   - keepsHugeNumbers: Whether a number beyond the range of Double, such as `1e999`, is kept as its digits; it is
    ///     an error otherwise.
    ///   - refusesRepeats: Whether an object with two members of one name is an error.
    ///   - isKept: Whether the value stays in memory for long. Its objects and arrays then have no room to grow.
    /// - Source: RFC 8259.
    package init(
        parsing bytes: some Collection<UInt8>,
        maximumDepth: Int = 64,
        keepsHugeNumbers: Bool = false,
        refusesRepeats: Bool = false,
        isKept: Bool = false
    ) throws(JSONError) {
        let parsed: Result<JSONValue, JSONError>? = bytes.withContiguousStorageIfAvailable {
            Self.parse(
                $0,
                maximumDepth,
                keepsHugeNumbers ? .kept : .refused,
                refusesRepeats: refusesRepeats,
                isKept: isKept
            )
        }
        guard let parsed else {
            try self.init(
                parsing: Array(bytes),
                maximumDepth: maximumDepth,
                keepsHugeNumbers: keepsHugeNumbers,
                refusesRepeats: refusesRepeats,
                isKept: isKept
            )
            return
        }
        self = try parsed.get()
    }

    /// Parses one JSON value from a text; see ``init(parsing:maximumDepth:keepsHugeNumbers:)``.
    package init(parsing text: String) throws(JSONError) {
        try self.init(parsing: Array(text.utf8))
    }

    /// Parses what a device reports, in which one unusable value shall not cost the others.
    ///
    /// `NaN`, infinities and numbers beyond the range of Double are read as null, and bytes that are not UTF-8 as
    /// U+FFFD. Everything else must be JSON.
    package init(parsingReport bytes: some Collection<UInt8>, maximumDepth: Int = 64) throws(JSONError) {
        var text = String(decoding: bytes, as: UTF8.self)
        self = try text.withUTF8 { Self.parse($0, maximumDepth, .null) }.get()
    }

    private static func parse(
        _ buffer: UnsafeBufferPointer<UInt8>,
        _ maximumDepth: Int,
        _ unusableNumbers: JSONParser.UnusableNumbers,
        refusesRepeats: Bool = false,
        isKept: Bool = false
    ) -> Result<JSONValue, JSONError> {
        var parser = JSONParser(
            bytes: buffer,
            maximumDepth: maximumDepth,
            unusableNumbers: unusableNumbers,
            refusesRepeats: refusesRepeats,
            isKept: isKept
        )
        do throws(JSONError) {
            return .success(try parser.document())
        } catch {
            return .failure(error)
        }
    }
}

/// A recursive descent parser; every read is bounds-checked.
private struct JSONParser {
    /// What becomes of a number that a Double cannot hold.
    enum UnusableNumbers {
        case refused
        /// Kept as its digits.
        case kept
        /// Null, and so are the words for "not a number" and "infinite" that programs write.
        case null
    }

    let bytes: UnsafeBufferPointer<UInt8>
    let maximumDepth: Int
    let unusableNumbers: UnusableNumbers
    let refusesRepeats: Bool
    let isKept: Bool
    var position = 0
    var depth = 0

    private func fail(_ problem: String) -> JSONError {
        JSONError(offset: position, problem: problem)
    }

    private var next: UInt8? {
        position < bytes.count ? bytes[position] : nil
    }

    mutating func document() throws(JSONError) -> JSONValue {
        if ByteOrderMark.begins(bytes) { position = 3 }
        skipSpace()
        let value = try value()
        skipSpace()
        guard position == bytes.count else { throw fail("unexpected text after the value") }
        return value
    }

    private mutating func skipSpace() {
        while let byte = next, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 { position += 1 }
    }

    private mutating func value() throws(JSONError) -> JSONValue {
        if unusableNumbers == .null, skipWordForNoNumber() { return .null }
        switch next {
        case UInt8(ascii: "{"): return try object()
        case UInt8(ascii: "["): return try array()
        case UInt8(ascii: "\""): return .string(try string())
        case UInt8(ascii: "t"): return try word("true", .bool(true))
        case UInt8(ascii: "f"): return try word("false", .bool(false))
        case UInt8(ascii: "n"): return try word("null", .null)
        case let byte? where byte == UInt8(ascii: "-") || isDigit(byte): return try number()
        case nil: throw fail("the text ends before a value")
        default: throw fail("expected a value")
        }
    }

    private mutating func word(_ text: StaticString, _ value: JSONValue) throws(JSONError) -> JSONValue {
        let count = text.utf8CodeUnitCount
        let matches =
            position + count <= bytes.count
            && (0..<count).allSatisfy {
                bytes[position + $0] == text.utf8Start[$0]
            }
        guard matches else { throw fail("expected a value") }
        position += count
        return value
    }

    /// Skips `NaN` of JavaScript and Python, `-nan` and `inf` of C and the like, if one is here.
    private mutating func skipWordForNoNumber() -> Bool {
        var end = position
        if end < bytes.count, bytes[end] == UInt8(ascii: "-") || bytes[end] == UInt8(ascii: "+") { end += 1 }
        let start = end
        while end < bytes.count, end - start < 9, isLetter(bytes[end]) { end += 1 }
        let word = String(decoding: bytes[start..<end], as: UTF8.self).lowercased()
        guard ["nan", "inf", "infinity"].contains(word) else { return false }
        position = end
        return true
    }

    private func isLetter(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
    }

    private mutating func enter() throws(JSONError) {
        depth += 1
        guard depth <= maximumDepth else { throw fail("nested deeper than \(maximumDepth)") }
        position += 1
        skipSpace()
    }

    private mutating func object() throws(JSONError) -> JSONValue {
        try enter()
        var members = JSONObject()
        var isSorted = true
        var count = 0
        if next == UInt8(ascii: "}") {
            position += 1
        } else {
            repeat {
                skipSpace()
                guard next == UInt8(ascii: "\"") else { throw fail("expected a member name in quotes") }
                let key = try string()
                skipSpace()
                guard next == UInt8(ascii: ":") else { throw fail("expected a colon") }
                position += 1
                skipSpace()
                members.add(key, try value(), isSorted: &isSorted)
                count += 1
                skipSpace()
            } while try more(until: UInt8(ascii: "}"), named: "}")
            if !isSorted { members.sort() }
            guard !refusesRepeats || members.count == count else {
                throw fail("an object with two members of one name")
            }
            if isKept { members.removeRoom() }
        }
        depth -= 1
        return .object(members)
    }

    private mutating func array() throws(JSONError) -> JSONValue {
        try enter()
        var elements: [JSONValue] = []
        if next == UInt8(ascii: "]") {
            position += 1
        } else {
            repeat {
                skipSpace()
                elements.append(try value())
                skipSpace()
            } while try more(until: UInt8(ascii: "]"), named: "]")
            if isKept, elements.capacity > elements.count { elements = elements.map(\.self) }
        }
        depth -= 1
        return .array(elements)
    }

    /// Consumes a comma (more elements) or the closing character (no more).
    private mutating func more(until close: UInt8, named name: String) throws(JSONError) -> Bool {
        switch next {
        case UInt8(ascii: ","):
            position += 1
            return true
        case close:
            position += 1
            return false
        default:
            throw fail("expected a comma or \(name)")
        }
    }

    private mutating func number() throws(JSONError) -> JSONValue {
        let start = position
        var isWhole = true
        if next == UInt8(ascii: "-") { position += 1 }
        let firstDigit = next
        guard digits() > 0 else { throw fail("expected a digit") }
        if firstDigit == UInt8(ascii: "0"), position - start > (bytes[start] == firstDigit ? 1 : 2) {
            throw fail("a number cannot start with a zero")
        }
        if next == UInt8(ascii: ".") {
            isWhole = false
            position += 1
            guard digits() > 0 else { throw fail("expected a digit") }
        }
        if next == UInt8(ascii: "e") || next == UInt8(ascii: "E") {
            isWhole = false
            position += 1
            if next == UInt8(ascii: "+") || next == UInt8(ascii: "-") { position += 1 }
            guard digits() > 0 else { throw fail("expected a digit") }
        }
        if isWhole, position - start <= 15 { return .number(whole(bytes[start..<position])) }
        let text = String(decoding: bytes[start..<position], as: UTF8.self)
        guard let number = Double(text), number.isFinite else {
            switch unusableNumbers {
            case .refused: throw fail("the number is too large")
            case .kept: return .numeral(text)
            case .null: return .null
            }
        }
        // The number after 2^53 is rounded to 2^53: only the digits distinguish them.
        if isWhole, number.magnitude >= 9_007_199_254_740_992, Int(text)?.magnitude != 1 << 53 {
            return .numeral(text)
        }
        return .number(number)
    }

    /// A number of so few digits that a Double holds it exactly.
    private func whole(_ text: Slice<UnsafeBufferPointer<UInt8>>) -> Double {
        let isNegative = text.first == UInt8(ascii: "-")
        let number = text.dropFirst(isNegative ? 1 : 0).reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
        return isNegative ? -Double(number) : Double(number)
    }

    private mutating func digits() -> Int {
        let start = position
        while let byte = next, isDigit(byte) { position += 1 }
        return position - start
    }

    private func isDigit(_ byte: UInt8) -> Bool {
        byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9")
    }

    private mutating func string() throws(JSONError) -> String {
        position += 1
        let start = position
        while let byte = next, byte != UInt8(ascii: "\""), byte != UInt8(ascii: "\\"), byte >= 0x20 {
            position += 1
        }
        guard next != UInt8(ascii: "\"") else {
            let text = try validated(bytes[start..<position])
            position += 1
            return text
        }
        var buffer = Array(bytes[start..<position])
        while let byte = next {
            switch byte {
            case UInt8(ascii: "\""):
                let text = try validated(buffer)
                position += 1
                return text
            case UInt8(ascii: "\\"):
                position += 1
                try escape(into: &buffer)
            case 0..<0x20:
                throw fail("a control character must be escaped")
            default:
                buffer.append(byte)
                position += 1
            }
        }
        throw fail("a text without a closing quote")
    }

    private func validated(_ utf8: some Collection<UInt8>) throws(JSONError) -> String {
        // Validating is generic code of the library, and nearly every text is ASCII.
        if utf8.allSatisfy({ $0 < 0x80 }) { return String(decoding: utf8, as: UTF8.self) }
        guard let text = String(validating: utf8, as: UTF8.self) else {
            throw fail("a text that is not UTF-8")
        }
        return text
    }

    private mutating func escape(into buffer: inout [UInt8]) throws(JSONError) {
        let isUnicode = next == UInt8(ascii: "u")
        guard JSONEscape.decode(bytes, at: &position, into: &buffer) else {
            throw fail(isUnicode ? "expected four hexadecimal digits" : "an unknown escape")
        }
    }
}
