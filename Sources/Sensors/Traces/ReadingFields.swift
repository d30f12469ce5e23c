import JSON
import Positioning

/// Reads the members of an object one by one, with an error that names what is wrong and what is legal.
struct ReadingFields {
    private let members: JSONObject
    private let convertsTexts: Bool
    private var known: Set<String> = []

    /// - Parameter convertsTexts: Whether a number may be written as a text, and a whole number with decimals.
    init(_ members: JSONObject, convertsTexts: Bool = false) {
        self.members = members
        self.convertsTexts = convertsTexts
    }

    private static func whole(_ value: JSONValue, isConverted: Bool) -> Int? {
        isConverted ? value.statedNumber.flatMap { Int(exactly: $0.rounded()) } : value.integer
    }

    mutating func optional(_ key: String) -> JSONValue? {
        known.insert(key)
        return members[key]
    }

    mutating func optionalNumber(
        _ key: String,
        in range: ClosedRange<Double>
    ) throws(ReadingError) -> Double? {
        try optional(key, "a number", in: range) { $1 ? $0.statedNumber : $0.number }
    }

    mutating func number(_ key: String, in range: ClosedRange<Double>) throws(ReadingError) -> Double {
        try required(try optionalNumber(key, in: range), key)
    }

    mutating func optionalWhole(_ key: String, in range: ClosedRange<Int>) throws(ReadingError) -> Int? {
        try optional(key, "a whole number", in: range, Self.whole)
    }

    private mutating func optional<Number: Comparable>(
        _ key: String,
        _ kind: String,
        in range: ClosedRange<Number>,
        _ read: (_ value: JSONValue, _ convertsTexts: Bool) -> Number?
    ) throws(ReadingError) -> Number? {
        guard let value = optional(key), !value.isNull else { return nil }
        guard let number = read(value, convertsTexts), range.contains(number) else {
            throw ReadingError(
                "\(key) must be \(kind) from \(range.lowerBound) to \(range.upperBound) "
                    + "(is \(value.excerpt))"
            )
        }
        return number
    }

    mutating func whole(_ key: String, in range: ClosedRange<Int>) throws(ReadingError) -> Int {
        try required(try optionalWhole(key, in: range), key)
    }

    mutating func number16(_ key: String) throws(ReadingError) -> UInt16 {
        UInt16(clamping: try whole(key, in: 0...65535))
    }

    /// `true` or `false`.
    mutating func optionalFlag(_ key: String) throws(ReadingError) -> Bool? {
        guard let value = optional(key), !value.isNull else { return nil }
        if let flag = value.bool { return flag }
        switch convertsTexts ? value.string?.lowercased() : nil {
        case "true": return true
        case "false": return false
        default: throw ReadingError("\(key) must be true or false (is \(value.excerpt))")
        }
    }

    mutating func optionalText(_ key: String) throws(ReadingError) -> String? {
        guard let value = optional(key), !value.isNull else { return nil }
        guard let text = value.string else {
            throw ReadingError("\(key) must be a text (is \(value.excerpt))")
        }
        return text
    }

    mutating func text(_ key: String) throws(ReadingError) -> String {
        try required(try optionalText(key), key)
    }

    /// A receiver's name.
    mutating func name(_ key: String) throws(ReadingError) -> String {
        let text = try text(key)
        guard !text.isEmpty, text.utf8.count <= BeaconMap.longestReceiverName else {
            throw ReadingError(
                "\(key) must be a name of 1 to \(BeaconMap.longestReceiverName) bytes "
                    + "(is \(JSONValue.string(text).excerpt))"
            )
        }
        return text
    }

    mutating func uuid() throws(ReadingError) -> BeaconUUID {
        let text = try text("uuid")
        guard let uuid = BeaconUUID(text) else {
            throw ReadingError(
                "uuid must be 32 hexadecimal digits, with or without hyphens "
                    + "(is \(JSONValue.string(text).excerpt))"
            )
        }
        return uuid
    }

    /// Refuses members that were not read.
    func end() throws(ReadingError) {
        guard let key = members.keys.filter({ !known.contains($0) }).min() else { return }
        let excerpt = JSONValue.string(key).excerpt
        guard let nearest = known.sorted().min(by: { distance(key, $0) < distance(key, $1) }) else {
            throw ReadingError("unknown key \(excerpt)")
        }
        throw ReadingError(
            "unknown key \(excerpt); did you mean \"\(nearest)\"? "
                + "Legal are \(known.sorted().joined(separator: ", "))"
        )
    }

    private func required<Value>(_ value: Value?, _ key: String) throws(ReadingError) -> Value {
        guard let value else { throw ReadingError("\(key) is missing") }
        return value
    }

    /// The Levenshtein distance.
    private func distance(_ left: String, _ right: String) -> Int {
        let right = Array(right)
        var row = Array(0...right.count)
        for (i, letter) in left.prefix(40).enumerated() {
            var next = [i + 1]
            for (j, other) in right.enumerated() {
                next.append(min(row[j] + (letter == other ? 0 : 1), row[j + 1] + 1, next[j] + 1))
            }
            row = next
        }
        return row[right.count]
    }
}

extension JSONValue {
    /// The value for messages, shortened when it is long.
    var excerpt: String {
        let text = text
        return text.count <= 60 ? text : text.prefix(60) + "…"
    }
}
