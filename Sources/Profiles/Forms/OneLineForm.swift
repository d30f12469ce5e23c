import JSON
import Text

/// Small values as JSON in one line.
package enum OneLineForm {
    /// Lists and objects that hold others of the same are easier to read in lines of their own.
    private static let deepest = 2

    /// - Returns: `nil` for what is too deep, or a list or object that needs over `room` bytes.
    package static func text(of value: PlacedValue, room: Int) -> String? {
        var text = ""
        guard add(value, to: &text, depth: 0, room: room) else { return nil }
        return text
    }

    private static func add(
        _ value: PlacedValue,
        to text: inout String,
        depth: Int,
        room: Int
    ) -> Bool {
        switch value.content {
        case .null: text += "null"
        case .bool(let flag): text += flag ? "true" : "false"
        case .number(let number): text += number.text
        case .string(let string): text += quoted(string)
        case .list(let elements):
            guard depth < deepest || elements.isEmpty else { return false }
            text += "["
            for (index, element) in elements.enumerated() {
                if index > 0 { text += ", " }
                guard add(element, to: &text, depth: depth + 1, room: room), text.utf8.count < room
                else { return false }
            }
            text += "]"
        case .object(let members):
            guard depth < deepest || members.isEmpty else { return false }
            text += "{"
            for (index, member) in members.enumerated() {
                if index > 0 { text += ", " }
                text += quoted(member.key) + ": "
                guard add(member.value, to: &text, depth: depth + 1, room: room), text.utf8.count < room
                else { return false }
            }
            text += "}"
        }
        // What is empty has no other form.
        return depth > 0 || !value.isContainer || text.utf8.count <= max(2, room)
    }

    static func quoted(_ text: String) -> String { JSONValue.string(text).visibleText }
}
