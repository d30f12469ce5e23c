import JSON

extension TolerantReader {
    @inline(__always)
    var next: UInt8? {
        cursor.offset < end ? bytes[cursor.offset] : nil
    }

    /// Reads the character if it is the next one.
    mutating func skip(_ character: UInt8) -> Bool {
        guard next == character else { return false }
        cursor.offset += 1
        return true
    }

    /// Reads white space and comments.
    ///
    /// A line ends with LF, CR, or both.
    mutating func skipSpace() throws(BadJSON) {
        while let byte = next {
            switch byte {
            case 0x20, 0x09: cursor.offset += 1
            case 0x0A, 0x0D: skipLineEnd(byte)
            case UInt8(ascii: "/"):
                guard cursor.offset + 1 < end, bytes[cursor.offset + 1] == UInt8(ascii: "/") else {
                    throw bad("unexpected /; a comment begins with // and ends with its line")
                }
                hasComments = true
                while let byte = next, byte != 0x0A, byte != 0x0D { cursor.advance(over: byte) }
            default: return
            }
        }
    }

    private mutating func skipLineEnd(_ byte: UInt8) {
        let isPair = byte == 0x0D && cursor.offset + 1 < end && bytes[cursor.offset + 1] == 0x0A
        if isPair { cursor.offset += 1 }
        cursor.endLine()
    }

    mutating func word(
        _ text: StaticString,
        _ content: PlacedValue.Content
    ) throws(BadJSON) -> PlacedValue.Content {
        let count = text.utf8CodeUnitCount
        let isWord =
            cursor.offset + count <= end
            && (0..<count).allSatisfy { bytes[cursor.offset + $0] == text.utf8Start[$0] }
        guard isWord else { throw unexpected("a value must stand here") }
        cursor.offset += count
        return content
    }

    mutating func number() throws(BadJSON) -> Numeral {
        let start = cursor
        let isNegative = skip(UInt8(ascii: "-"))
        let first = next
        let whole = try digits()
        if first == UInt8(ascii: "0"), whole > 1 {
            cursor = start
            throw bad("a number cannot begin with 0 and another digit")
        }
        var isWhole = true
        if skip(UInt8(ascii: ".")) {
            isWhole = false
            _ = try digits()
        }
        if next == UInt8(ascii: "e") || next == UInt8(ascii: "E") {
            isWhole = false
            cursor.offset += 1
            if next == UInt8(ascii: "+") || next == UInt8(ascii: "-") { cursor.offset += 1 }
            _ = try digits()
        }
        let text = string(start.offset..<cursor.offset)
        // Digits up to 2^53 are exact; the general way is slow.
        if isWhole, whole <= 15, let number = Int(text) {
            return Numeral(isNegative && number == 0 ? -0.0 : Double(number), text: text)
        }
        guard let number = Double(text), number.isFinite else {
            cursor = start
            throw bad("the number is too large")
        }
        return Numeral(number, text: text)
    }

    private mutating func digits() throws(BadJSON) -> Int {
        let start = cursor.offset
        while let byte = next, byte.isASCIIDigit { cursor.offset += 1 }
        guard cursor.offset > start else { throw unexpected("a digit must stand here") }
        return cursor.offset - start
    }

    private func string(_ range: Range<Int>) -> String {
        bytes.withUnsafeBufferPointer {
            String(decoding: UnsafeBufferPointer(rebasing: $0[range]), as: UTF8.self)
        }
    }

    // MARK: Texts

    mutating func text() throws(BadJSON) -> String {
        let opening = cursor
        cursor.offset += 1
        // Most texts have no escape, and are taken as they stand.
        var (buffer, start): ([UInt8], Int) = ([], cursor.offset)
        while let byte = next, byte >= 0x20 {
            switch byte {
            case UInt8(ascii: "\""):
                let rest = start..<cursor.offset
                cursor.offset += 1
                return buffer.isEmpty ? string(rest) : String(decoding: buffer + bytes[rest], as: UTF8.self)
            case UInt8(ascii: "\\"):
                buffer += bytes[start..<cursor.offset]
                try escape(into: &buffer)
                start = cursor.offset
            default: cursor.advance(over: byte)
            }
        }
        throw unfinishedText(opening)
    }

    private mutating func unfinishedText(_ opening: SourceCursor) -> BadJSON {
        if next == nil, end < bytes.count { return unexpected() }
        if next == 0x09 { return bad("a tab must be written as \\t in a text") }
        if let byte = next, byte != 0x0A, byte != 0x0D {
            return bad("a control character must be written as \\u00\(Self.hex(byte)) in a text")
        }
        cursor = opening
        return bad("the text that begins here has no closing \" in its line")
    }

    private mutating func escape(into buffer: inout [UInt8]) throws(BadJSON) {
        var position = cursor.offset + 1
        let isUnicode = position < end && bytes[position] == UInt8(ascii: "u")
        let isLegal = bytes.withUnsafeBufferPointer {
            JSONEscape.decode(UnsafeBufferPointer(rebasing: $0[..<end]), at: &position, into: &buffer)
        }
        guard isLegal else {
            throw bad(
                isUnicode
                    ? #"behind \u must stand four hexadecimal digits"#
                    : #"behind \ in a text must stand one of " \ / b f n r t u"#
            )
        }
        cursor.offset = position
    }

    // MARK: Errors

    func bad(_ message: String) -> BadJSON {
        BadJSON(position: cursor.position, message: message)
    }

    /// - Parameter expected: What is legal here; otherwise it is told what is still open.
    func unexpected(_ expected: String? = nil) -> BadJSON {
        guard let byte = next else {
            if end < bytes.count {
                return bad("the byte 0x\(Self.hex(bytes[end])) is not UTF-8, in which a file must be")
            }
            guard let innermost = open.last else { return bad("the file has no value") }
            return bad(
                "the file ends; the \(innermost.name) that begins in line \(innermost.line) is still open"
            )
        }
        let found = "unexpected \(character(byte))"
        if let expected { return bad("\(found); \(expected)") }
        guard let innermost = open.last else { return bad(found) }
        let isForgotten = !innermost.isObject && (byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "{"))
        return bad(
            isForgotten
                ? "\(found); a comma is missing in the list that begins in line \(innermost.line)"
                : "\(found); the \(innermost.name) that begins in line \(innermost.line) is still open"
        )
    }

    private static func hex(_ byte: UInt8) -> String {
        let digits = String(byte, radix: 16, uppercase: true)
        return byte < 0x10 ? "0\(digits)" : digits
    }

    /// The scalar that begins here, if it can be printed.
    private func character(_ byte: UInt8) -> String {
        if byte == UInt8(ascii: "'") { return "' (texts stand in \")" }
        var decoder = UTF8()
        var iterator = bytes[cursor.offset..<end].makeIterator()
        guard case .scalarValue(let scalar) = decoder.decode(&iterator) else { return "byte" }
        let isPrinted: Bool =
            switch scalar.properties.generalCategory {
            case .control, .format, .surrogate, .privateUse, .unassigned, .lineSeparator,
                .paragraphSeparator, .spaceSeparator:
                false
            default: true
            }
        return isPrinted ? String(Character(scalar)) : "U+\(String(scalar.value, radix: 16, uppercase: true))"
    }
}
