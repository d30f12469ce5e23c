/// Writes YAML that people can read, and that is read back as the same values by our rules and by others'.
struct YAMLWriter {
    private var output = ""
    private static let lineLength = 110
    /// Parsers take longer keys only behind `?`.
    private static let longestKey = 500

    static func text(of value: PlacedValue) -> String {
        var writer = YAMLWriter()
        if let members = value.members, !members.isEmpty {
            writer.write(members, indent: 0, startsInLine: false)
        } else {
            writer.write(behindKey: value, indent: 0)
        }
        return writer.output.hasPrefix(" ") ? String(writer.output.dropFirst()) : writer.output
    }

    /// What stands behind a key or a dash, to the end of the line or in lines of its own.
    private mutating func write(behindKey value: PlacedValue, indent: Int, keyLength: Int = 0) {
        let room = Self.lineLength - indent - keyLength
        if let line = OneLineForm.text(of: value, room: room, as: .yaml) {
            output += " \(line)\n"
            return
        }
        output += "\n"
        switch value.content {
        case .list(let elements): write(elements, indent: indent + 2)
        case .object(let members): write(members, indent: indent + 2, startsInLine: false)
        default: break
        }
    }

    private mutating func write(_ elements: [PlacedValue], indent: Int) {
        for element in elements {
            output += spaces(indent) + "-"
            let room = Self.lineLength - indent - 2
            if let members = element.members,
                OneLineForm.text(of: element, room: room, as: .yaml) == nil
            {
                output += " "
                write(members, indent: indent + 2, startsInLine: true)
            } else {
                write(behindKey: element, indent: indent, keyLength: 2)
            }
        }
    }

    private mutating func write(_ members: [PlacedValue.Member], indent: Int, startsInLine: Bool) {
        for (index, member) in members.enumerated() {
            if index > 0 || !startsInLine { output += spaces(indent) }
            let key = YAMLScalar.text(of: member.key)
            let isLong = key.utf8.count > Self.longestKey
            output += isLong ? "? \(key)\n\(spaces(indent)):" : "\(key):"
            write(behindKey: member.value, indent: indent, keyLength: isLong ? 2 : key.utf8.count + 2)
        }
    }

    private func spaces(_ count: Int) -> String { String(repeating: " ", count: count) }
}
