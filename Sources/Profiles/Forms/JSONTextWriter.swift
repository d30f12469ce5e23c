/// Writes JSON that people can read; members stay in their order.
struct JSONTextWriter {
    private var output = ""
    private static let lineLength = 110

    static func text(of value: PlacedValue) -> String {
        var writer = JSONTextWriter()
        writer.write(value, indent: 0, keyLength: lineLength)
        return writer.output + "\n"
    }

    /// - Parameter keyLength: What stands before the value in its line, apart from the indent.
    private mutating func write(_ value: PlacedValue, indent: Int, keyLength: Int) {
        let room = Self.lineLength - indent - keyLength
        if let line = OneLineForm.text(of: value, room: room) {
            output += line
            return
        }
        switch value.content {
        case .list(let elements):
            write("[", "]", count: elements.count, indent: indent) { writer, index in
                writer.write(elements[index], indent: indent + 2, keyLength: 1)
            }
        case .object(let members):
            write("{", "}", count: members.count, indent: indent) { writer, index in
                let key = OneLineForm.quoted(members[index].key)
                writer.output += "\(key): "
                writer.write(members[index].value, indent: indent + 2, keyLength: key.utf8.count + 3)
            }
        default: break
        }
    }

    private mutating func write(
        _ open: String,
        _ close: String,
        count: Int,
        indent: Int,
        each: (inout Self, Int) -> Void
    ) {
        output += open + "\n"
        for index in 0..<count {
            output += String(repeating: " ", count: indent + 2)
            each(&self, index)
            output += index < count - 1 ? ",\n" : "\n"
        }
        output += String(repeating: " ", count: indent) + close
    }
}
