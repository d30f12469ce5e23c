import JSON
import Text
import Things

/// `--when`: comparisons and fields.
extension RuleWords {
    mutating func addStates() throws(Refusal) {
        let details = [("--edge", options.edge), ("--for", options.hold), ("--margin", options.margin)]
        for (option, text) in details where text != nil && options.when.isEmpty {
            throw Self.needs(option, "--when")
        }
        for text in options.when {
            guard let thing = options.thing else { throw Self.needs("--when", "--thing") }
            var members = try Self.comparison(text)
            members["on"] = "state"
            members["thing"] = .string(thing)
            if let edge = options.edge {
                let edges = [
                    "rising": "CONDITION_FALSE_TO_TRUE", "true": "CONDITION_TRUE",
                    "changed": "CONDITION_CHANGED",
                ]
                guard let word = edges[edge] else {
                    throw Self.invalid("--edge", "rising, true or changed", edge)
                }
                members["edge"] = .string(word)
            }
            if let hold = options.hold { members["for"] = try Self.number("--for", hold) }
            if let margin = options.margin { members["margin"] = try Self.number("--margin", margin) }
            let path = "when[\(triggers.count)]"
            for (name, option) in [
                ("edge", "--edge"), ("for", "--for"), ("margin", "--margin"), ("thing", "--thing"),
            ] {
                origins.append(Origin(path: "\(path).\(name)", option: option))
            }
            addTrigger("--when", members)
        }
    }

    private static let operators = [">=", "<=", "==", "!=", ">", "<"]

    /// `F>=V` as a clause, and a field alone as itself.
    private static func comparison(_ text: String) throws(Refusal) -> JSONObject {
        let legal = "a field, or a field with ==, !=, <, >, <= or >= and a value, such as 'brightness>=0.5'"
        let bytes = Array(text.utf8)
        guard let place = bytes.firstIndex(where: { "<>=!".utf8.contains($0) }) else {
            return ["field": .string(trimmed(text))]
        }
        let (field, rest) = (Self.text(bytes[..<place]), bytes[place...])
        guard let sign = operators.first(where: { rest.starts(with: $0.utf8) }), !field.isEmpty else {
            throw invalid("--when", legal, text)
        }
        let written = Self.text(rest.dropFirst(sign.utf8.count))
        guard !written.isEmpty else { throw invalid("--when", legal, text) }
        let value = try Self.value(written, of: field, in: text)
        let equal: JSONObject = ["type": "eq", "field": .string(field), "value": value]
        switch sign {
        case "==": return ["clause": .object(equal)]
        case "!=": return ["clause": ["type": "not", "clause": .object(equal)]]
        default:
            guard value.number != nil else {
                let isPercent = written.utf8.last == UInt8(ascii: "%")
                let hint = isPercent ? ", in the unit that the thing reports" : ""
                throw invalid("--when", "a field and a number\(hint), as \(sign) compares numbers", text)
            }
            let name = sign.utf8.first == UInt8(ascii: ">") ? "lower" : "upper"
            var range: JSONObject = ["type": "range", "field": .string(field)]
            range["\(name)Limit"] = value
            range["\(name)Included"] = .bool(sign.utf8.count == 2)
            return ["clause": .object(range)]
        }
    }

    /// The value of a comparison: things report their brightness from 0 to 1, so percent can be converted.
    private static func value(
        _ written: String,
        of field: String,
        in text: String
    ) throws(Refusal) -> JSONValue {
        guard field == "brightness", written.utf8.last == UInt8(ascii: "%") else { return value(written) }
        let digits = trimmed(String(written.dropLast()))
        guard digits.utf8.count <= 40, let percent = (try? JSONValue(parsing: digits))?.number,
            0...100 ~= percent
        else { throw invalid("--when", "a brightness of 0 to 1, or 0% to 100%", text) }
        return .number(percent / 100)
    }

    static func text(_ bytes: ArraySlice<UInt8>) -> String {
        trimmed(String(decoding: bytes, as: UTF8.self))
    }

    private static func trimmed(_ text: String) -> String {
        let scalars = text.unicodeScalars
        guard let first = scalars.firstIndex(where: { $0 != " " }),
            let last = scalars.lastIndex(where: { $0 != " " })
        else { return "" }
        return String(scalars[first...last])
    }
}
