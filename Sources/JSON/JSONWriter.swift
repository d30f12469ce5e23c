extension JSONValue {
    /// Compact JSON with sorted keys, UTF-8.
    package var bytes: [UInt8] {
        var writer = JSONWriter()
        writer.write(self)
        // Copied, because a message may be kept for long and the buffer has spare capacity.
        return writer.output.withUnsafeBufferPointer { Array($0) }
    }

    /// Compact JSON with sorted keys.
    package var text: String {
        String(decoding: bytes, as: UTF8.self)
    }
}

extension JSONValue: CustomStringConvertible {
    package var description: String { text }
}

/// Writes JSON values into a byte buffer.
private struct JSONWriter {
    var output: [UInt8] = []

    init() { output.reserveCapacity(512) }

    private static let hex = Array("0123456789abcdef".utf8)

    mutating func write(_ value: JSONValue) {
        switch value {
        case .null: output.append(contentsOf: "null".utf8)
        case .bool(let flag): output.append(contentsOf: (flag ? "true" : "false").utf8)
        case .number(let number): write(number)
        case .numeral(let digits): output.append(contentsOf: digits.utf8)
        case .string(let string): write(string)
        case .array(let elements): write(elements)
        case .object(let members): write(members)
        }
    }

    /// Numbers as in JavaScript: whole ones without fraction; NaN and infinity are null.
    private mutating func write(_ number: Double) {
        guard number.isFinite else {
            output.append(contentsOf: "null".utf8)
            return
        }
        if number.magnitude <= 9_007_199_254_740_992, let whole = Int(exactly: number) {
            output.append(contentsOf: String(whole).utf8)
        } else {
            output.append(contentsOf: number.description.utf8)
        }
    }

    private mutating func write(_ string: String) {
        output.append(UInt8(ascii: "\""))
        var string = string
        string.withUTF8 { bytes in
            // Fast path: most texts need no escaping.
            var start = bytes.startIndex
            for index in bytes.indices where Self.isEscaped(bytes[index]) {
                output.append(contentsOf: bytes[start..<index])
                escape(bytes[index])
                start = index + 1
            }
            output.append(contentsOf: bytes[start...])
        }
        output.append(UInt8(ascii: "\""))
    }

    private static func isEscaped(_ byte: UInt8) -> Bool {
        byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\")
    }

    private mutating func escape(_ byte: UInt8) {
        output.append(UInt8(ascii: "\\"))
        switch byte {
        case 0x0A: output.append(UInt8(ascii: "n"))
        case 0x0D: output.append(UInt8(ascii: "r"))
        case 0x09: output.append(UInt8(ascii: "t"))
        case 0x00..<0x20:
            output.append(contentsOf: "u00".utf8)
            output.append(Self.hex[Int(byte >> 4)])
            output.append(Self.hex[Int(byte & 15)])
        default: output.append(byte)
        }
    }

    private mutating func write(_ elements: [JSONValue]) {
        output.append(UInt8(ascii: "["))
        for (index, element) in elements.enumerated() {
            if index > 0 { output.append(UInt8(ascii: ",")) }
            write(element)
        }
        output.append(UInt8(ascii: "]"))
    }

    private mutating func write(_ members: JSONObject) {
        output.append(UInt8(ascii: "{"))
        var first = true
        for (key, value) in members {
            if !first { output.append(UInt8(ascii: ",")) }
            first = false
            write(key)
            output.append(UInt8(ascii: ":"))
            write(value)
        }
        output.append(UInt8(ascii: "}"))
    }
}
