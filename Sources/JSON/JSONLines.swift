/// Finds the lines of members in a JSON text.
package enum JSONLines {
    /// The line of each path, from 1; for a path that does not exist, the line of its nearest existing
    /// ancestor.
    ///
    /// - Parameters:
    ///   - paths: Paths such as `environments[0].zones[1].name`.
    ///   - bytes: Valid JSON; for invalid text lines are missing.
    package static func find(_ paths: some Sequence<String>, in bytes: [UInt8]) -> [String: Int] {
        var wanted = PathTree()
        for path in paths { wanted.insert(path, components(of: path)[...]) }
        var scanner = Scanner(bytes: Array(ByteOrderMark.skipped(in: bytes)))
        scanner.value(wanted, depth: 0)
        return scanner.found
    }

    /// Splits `a[0].b` into `a`, `[0]`, `b`.
    private static func components(of path: String) -> [String] {
        path.split(separator: ".").flatMap { part -> [String] in
            let pieces = part.split(separator: "[", omittingEmptySubsequences: false)
            return pieces.prefix(1).filter { !$0.isEmpty }.map(String.init)
                + pieces.dropFirst().map { "[\($0)" }
        }
    }

    /// The wanted paths as a tree of their components.
    private struct PathTree {
        var paths: [String] = []
        var children: [String: PathTree] = [:]

        mutating func insert(_ path: String, _ components: ArraySlice<String>) {
            guard let step = components.first else { return paths.append(path) }
            children[step, default: PathTree()].insert(path, components.dropFirst())
        }

        /// All paths below this step.
        var all: [String] { paths + children.values.flatMap(\.all) }
    }

    private struct Scanner {
        let bytes: [UInt8]
        var position = 0
        var line = 1
        var found: [String: Int] = [:]

        private static let maximumDepth = 200

        private var next: UInt8? { position < bytes.count ? bytes[position] : nil }

        private mutating func advance() {
            if next == UInt8(ascii: "\n") { line += 1 }
            position += 1
        }

        private mutating func skipSpace() {
            while let byte = next, byte <= 0x20 { advance() }
        }

        /// Skips a value, recording the lines of wanted members.
        ///
        /// - Parameter start: Offset of the member's name, if it has one.
        mutating func value(_ wanted: PathTree, depth: Int, start: Int? = nil) {
            skipSpace()
            for path in wanted.all { found[path] = start ?? line }
            switch next {
            case UInt8(ascii: "{")?: elements(wanted, depth: depth, isObject: true)
            case UInt8(ascii: "[")?: elements(wanted, depth: depth, isObject: false)
            case UInt8(ascii: "\"")?: _ = text()
            default:
                while let byte = next, byte > 0x20, !",]}".utf8.contains(byte) { advance() }
            }
        }

        private mutating func elements(_ wanted: PathTree, depth: Int, isObject: Bool) {
            guard depth < Self.maximumDepth else { return position = bytes.count }
            advance()
            var index = 0
            while true {
                skipSpace()
                guard let byte = next, !"]}".utf8.contains(byte) else { break }
                let before = position
                let start = line
                var step = "[\(index)]"
                if isObject {
                    step = text()
                    skipSpace()
                    if next == UInt8(ascii: ":") { advance() }
                }
                value(wanted.children[step] ?? PathTree(), depth: depth + 1, start: isObject ? start : nil)
                skipSpace()
                if next == UInt8(ascii: ",") { advance() }
                index += 1
                // Invalid JSON is not searched further.
                guard position > before else { return position = bytes.count }
            }
            if next != nil { advance() }
        }

        /// A quoted text; only simple escapes are resolved.
        private mutating func text() -> String {
            guard next == UInt8(ascii: "\"") else { return "" }
            advance()
            let start = position
            var isEscaped = false
            while let byte = next, byte != UInt8(ascii: "\"") {
                if byte == UInt8(ascii: "\\") {
                    isEscaped = true
                    advance()
                }
                if next != nil { advance() }
            }
            let raw = bytes[start..<min(position, bytes.count)]
            if next != nil { advance() }
            guard isEscaped else { return String(decoding: raw, as: UTF8.self) }
            let quoted = [UInt8(ascii: "\"")] + raw + [UInt8(ascii: "\"")]
            return (try? JSONValue(parsing: quoted))?.string ?? ""
        }
    }
}
