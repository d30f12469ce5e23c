package import JSON

/// A value of a file with its place; JSON and YAML give the same tree.
package struct PlacedValue: Sendable, Hashable {
    /// What the value is.
    package enum Content: Sendable, Hashable {
        case null
        case bool(Bool)
        case number(Numeral)
        case string(String)
        case list([PlacedValue])
        /// In the order of the file; a key that stands twice is here twice.
        case object([Member])
    }

    /// A key and its value.
    package struct Member: Sendable, Hashable {
        package let key: String
        package let keyPosition: SourcePosition
        package var value: PlacedValue

        package init(key: String, keyPosition: SourcePosition, value: PlacedValue) {
            (self.key, self.keyPosition, self.value) = (key, keyPosition, value)
        }
    }

    package var content: Content
    package let position: SourcePosition

    package init(_ content: Content, at position: SourcePosition) {
        (self.content, self.position) = (content, position)
    }
}

/// A number as it is written: `1.0` stays `1.0`, and no digit of a long one is lost.
package struct Numeral: Sendable, Hashable {
    package let value: Double
    /// Legal in JSON.
    package let text: String

    /// A number of our own.
    package init(_ value: Double) {
        self.value = value
        text = JSONValue.number(value).text
    }

    /// - Parameter text: A number as in JSON; nothing else is legal, and it must be finite.
    package init?(_ text: String) {
        guard case .some(let json) = try? JSONValue(parsing: text), let value = json.number else {
            return nil
        }
        self.init(value, text: text)
    }

    init(_ value: Double, text: String) { (self.value, self.text) = (value, text) }

    /// As in messages and data.
    package var json: JSONValue {
        if let whole = Int(text) { return JSONValue(whole) }
        let isWhole = text.utf8.allSatisfy { $0.isASCIIDigit || $0 == UInt8(ascii: "-") }
        return isWhole ? .numeral(text) : .number(value)
    }
}

extension PlacedValue {
    /// The value of a key, the first if it stands twice; `nil` without it, or if this is no object.
    package subscript(key: String) -> PlacedValue? {
        members?.first { $0.key == key }?.value
    }

    package var members: [Member]? {
        if case .object(let members) = content { members } else { nil }
    }

    package var list: [PlacedValue]? {
        if case .list(let elements) = content { elements } else { nil }
    }

    var bool: Bool? {
        if case .bool(let flag) = content { flag } else { nil }
    }

    var number: Numeral? {
        if case .number(let number) = content { number } else { nil }
    }

    package var string: String? {
        if case .string(let text) = content { text } else { nil }
    }

    /// Without places; of a key that stands twice the first counts.
    package var json: JSONValue {
        switch content {
        case .null: .null
        case .bool(let flag): .bool(flag)
        case .number(let number): number.json
        case .string(let text): .string(text)
        case .list(let elements): .array(elements.map(\.json))
        case .object(let members):
            .object(JSONObject(members.map { ($0.key, $0.value.json) }) { first, _ in first })
        }
    }
}
