import Yams

/// Writes a configuration as commented YAML; secrets are never shown.
///
/// With the defaults this is the example file.
package struct ConfigurationPrinter {
    private let loaded: LoadedConfiguration
    private let schema: ConfigurationSchema
    private var lines: [String] = []
    private static let width = 100
    private static let introduction = """
        The configuration of Trilateral. Every key may be left out. The values here are the defaults, unless a line \
        says where its value comes from. Each key can also be given by an environment variable, which takes \
        precedence: TRILATERAL_ and the path in upper case, such as TRILATERAL_MQTT_HOST or \
        TRILATERAL_MQTT_TLS_CA_FILE; separate the entries of lists by commas there. File names are relative to the \
        folder of this file. "trilateral check" finds every mistake; "trilateral check --print" shows the \
        configuration in effect.
        """

    package static func text(_ loaded: LoadedConfiguration, schema: ConfigurationSchema) -> String {
        var printer = ConfigurationPrinter(loaded, schema)
        printer.comment(introduction, depth: 0)
        printer.write()
        return printer.lines.joined(separator: "\n") + "\n"
    }

    private init(_ loaded: LoadedConfiguration, _ schema: ConfigurationSchema) {
        (self.loaded, self.schema) = (loaded, schema)
    }

    private mutating func write() {
        var open: [Substring] = []
        for key in schema.keys {
            let sections = Array(key.path.split(separator: ".").dropLast())
            let common = zip(open, sections).prefix { $0 == $1 }.count
            for depth in common..<max(common, sections.count) {
                if depth == common { lines.append("") }
                let path = sections[...depth].joined(separator: ".")
                if let summary = schema.summaries[path] { comment(summary, depth: depth) }
                lines.append(Self.indent(depth) + sections[depth] + ":")
            }
            if sections.isEmpty { lines.append("") }
            open = sections
            write(key, depth: sections.count)
        }
    }

    private mutating func write(_ key: ConfigurationKey, depth: Int) {
        let origin = loaded.origin(key.path)
        let source = origin == .standard ? "" : "  # from \(origin)"
        guard !key.isSecret else {
            comment(key.summary, depth: depth)
            if origin != .standard { comment("\(key.name): ***\(source)", depth: depth) }
            return
        }
        comment(key.summary + (key.hint.map { " (\($0))" } ?? ""), depth: depth)
        let value = key.encode(loaded.values)
        for (number, line) in Self.yaml(String(key.name), value).enumerated() {
            lines.append("\(Self.indent(depth))\(line)\(number == 0 ? source : "")")
        }
        guard !value.hasEntries else { return }
        lines += key.example.map { "\(Self.indent(depth))# \($0)" }
    }

    /// A comment, wrapped at spaces.
    private mutating func comment(_ text: String, depth: Int) {
        let start = Self.indent(depth) + "#"
        var line = start
        for word in text.split(separator: " ") {
            if line.count + 1 + word.count > Self.width, line != start {
                lines.append(line)
                line = start
            }
            line += " " + word
        }
        lines.append(line)
    }

    private static func indent(_ depth: Int) -> String { String(repeating: "  ", count: depth) }

    /// A key with its value; an entry that has keys of its own takes several lines.
    private static func yaml(_ name: String, _ value: ConfigurationInput) -> [Substring] {
        do {
            let node = Node.mapping(Node.Mapping([(Node(name), value.node)]))
            return try Yams.serialize(node: node, width: -1, allowUnicode: true).split(separator: "\n")
        } catch {
            preconditionFailure("\(name) cannot be written: \(error)")
        }
    }
}

extension ConfigurationInput {
    /// Whether it is a list of entries that have keys of their own.
    fileprivate var hasEntries: Bool {
        if case .list(let elements) = self, case .mapping? = elements.first?.value { true } else { false }
    }

    fileprivate var node: Node {
        switch self {
        case .null: Node("null")
        case .scalar(let text, _):
            // A plain null is none, and a line break would be folded.
            Node(
                text,
                Tag(.implicit),
                text.lowercased() == "null" || text.contains(where: \.isNewline) ? .doubleQuoted : .any
            )
        case .list(let elements):
            .sequence(Node.Sequence(elements.map(\.value.node), Tag(.implicit), hasEntries ? .block : .flow))
        case .mapping(let members) where members.isEmpty: Node("null")
        case .mapping(let members):
            .mapping(Node.Mapping(members.map { (Node($0.key), $0.value.node) }))
        }
    }
}
