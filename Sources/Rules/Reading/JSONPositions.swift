import JSON

/// Where the values of a JSON file are.
///
/// The file was parsed before, so that it is JSON; what is not, ends the walk early and harms nobody.
struct JSONPositions: Sendable {
    private indirect enum Content: Sendable {
        case leaf
        case list([JSONPositions])
        case object([(key: String, value: JSONPositions)])
    }

    /// Of the value's first character; of a member's value, of its key.
    let position: FilePosition
    private let content: Content

    private init(_ content: Content, at position: FilePosition) {
        (self.content, self.position) = (content, position)
    }

    /// - Parameter bytes: A file that is JSON.
    init(_ bytes: [UInt8]) {
        var walk = Walk(bytes)
        self = walk.value()
    }

    /// The place of a byte.
    static func position(ofByte offset: Int, in bytes: [UInt8]) -> FilePosition {
        var walk = Walk(bytes)
        while walk.offset < min(offset, bytes.count) { walk.advance() }
        return walk.position
    }

    /// The place of a path such as `rules[0].when[1].clause`, or of its nearest ancestor that exists.
    ///
    /// Of a key that stands twice the last counts, as it does in the value.
    func position(of path: String) -> FilePosition {
        var place = self
        for step in Self.steps(path) {
            guard let next = place.child(step) else { break }
            place = next
        }
        return place.position
    }

    private enum Step {
        case key(String)
        case index(Int)
    }

    private static func steps(_ path: String) -> [Step] {
        path.split { ".[".contains($0) }.map { part in
            if part.hasSuffix("]"), let index = Int(part.dropLast()) { return .index(index) }
            return .key(String(part))
        }
    }

    private func child(_ step: Step) -> JSONPositions? {
        switch (step, content) {
        case (.index(let index), .list(let elements)):
            elements.indices.contains(index) ? elements[index] : nil
        case (.key(let key), .object(let members)): members.last { $0.key == key }?.value
        case (.index, .object), (.key, .list), (_, .leaf): nil
        }
    }

    // MARK: - Walking

    private struct Walk {
        private let bytes: [UInt8]
        private(set) var offset = 0
        private var line = 1
        private var column = 1
        private var depth = 0

        init(_ bytes: [UInt8]) {
            self.bytes = bytes
            // A byte order mark is no character of the first line.
            if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { offset = 3 }
        }

        var position: FilePosition { FilePosition(line: line, column: column) }

        private var next: UInt8? { offset < bytes.count ? bytes[offset] : nil }

        mutating func advance() {
            guard let byte = next else { return }
            offset += 1
            if byte == UInt8(ascii: "\n") {
                line += 1
                column = 1
            } else if next.map({ $0 & 0xC0 != 0x80 }) ?? true {
                // Only the last byte of a scalar ends it.
                column += 1
            }
        }

        private mutating func skipSpace() {
            while let byte = next, byte == 0x20 || (0x09...0x0D).contains(byte) { advance() }
        }

        private mutating func skip(_ character: Unicode.Scalar) -> Bool {
            skipSpace()
            guard next == UInt8(ascii: character) else { return false }
            advance()
            return true
        }

        mutating func value() -> JSONPositions {
            skipSpace()
            let start = position
            depth += 1
            defer { depth -= 1 }
            guard depth <= 64 else { return JSONPositions(.leaf, at: start) }
            switch next {
            case UInt8(ascii: "{"): return JSONPositions(.object(members()), at: start)
            case UInt8(ascii: "["): return JSONPositions(.list(elements()), at: start)
            case UInt8(ascii: "\""):
                _ = text()
                return JSONPositions(.leaf, at: start)
            default:
                while let byte = next, !",]} \n\r\t".utf8.contains(byte) { advance() }
                return JSONPositions(.leaf, at: start)
            }
        }

        private mutating func elements() -> [JSONPositions] {
            advance()
            var elements: [JSONPositions] = []
            guard !skip("]") else { return elements }
            repeat { elements.append(value()) } while skip(",")
            _ = skip("]")
            return elements
        }

        private mutating func members() -> [(key: String, value: JSONPositions)] {
            advance()
            var members: [(key: String, value: JSONPositions)] = []
            guard !skip("}") else { return members }
            repeat {
                skipSpace()
                let start = position
                let key = text()
                _ = skip(":")
                members.append((key, JSONPositions(value().content, at: start)))
            } while skip(",")
            _ = skip("}")
            return members
        }

        private mutating func text() -> String {
            let start = offset
            guard next == UInt8(ascii: "\"") else { return "" }
            advance()
            while let byte = next, byte != UInt8(ascii: "\"") {
                if byte == UInt8(ascii: "\\") { advance() }
                advance()
            }
            advance()
            let written = bytes[start..<offset]
            return (try? JSONValue(parsing: written))?.string ?? ""
        }
    }
}
