import JSON

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
        if case .list(let entries) = value, case .mapping? = entries.first?.value {
            lines.append("\(Self.indent(depth))\(key.name):\(source)")
            for entry in entries { write(entry.value, depth: depth) }
        } else {
            lines.append("\(Self.indent(depth))\(key.name): \(Self.yaml(value))\(source)")
            lines += key.example.map { "\(Self.indent(depth))# \($0)" }
        }
    }

    /// An entry of a list that has keys of its own.
    private mutating func write(_ entry: ConfigurationInput, depth: Int) {
        guard case .mapping(let members) = entry else { return }
        for (number, member) in members.enumerated() {
            let bullet = number == 0 ? "- " : "  "
            lines.append("\(Self.indent(depth + 1))\(bullet)\(member.key): \(Self.yaml(member.value))")
        }
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

    private static func yaml(_ value: ConfigurationInput) -> String {
        switch value {
        case .null, .mapping: "null"
        case .scalar(let text, _): isPlain(text) ? text : JSONValue.string(text).text
        case .list(let elements): "[" + elements.map { yaml($0.value) }.joined(separator: ", ") + "]"
        }
    }

    /// Whether a text needs no quotes in any context.
    private static func isPlain(_ text: String) -> Bool {
        let isSafe = text.unicodeScalars.allSatisfy {
            $0.isASCII
                && ($0.properties.isAlphabetic || ("0"..."9").contains($0)
                    || "._/:-".unicodeScalars.contains($0))
        }
        let startsWell = text.first.map { $0.isLetter || $0.isNumber || $0 == "/" } ?? false
        return isSafe && startsWell && text.last != ":" && text.lowercased() != "null"
    }
}
