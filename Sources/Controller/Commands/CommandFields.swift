package import Flare
package import JSON
import Text
package import Things

/// The members of a command's object, read one by one; unread ones are an error.
package struct CommandFields {
    private var members: JSONObject
    private var known: [String] = []
    /// The object's path within the message: `position.` or empty.
    private let path: String

    package init(_ members: JSONObject, path: String = "") {
        self.members = members
        self.path = path
    }

    /// The unread members.
    package var rest: JSONObject { members }

    package mutating func remove(_ key: String) -> JSONValue? {
        known.append(key)
        return members.removeValue(forKey: key)
    }

    /// Removes a member that is null; returns whether it was.
    mutating func removeNull(_ key: String) -> Bool {
        guard members[key]?.isNull == true else { return false }
        _ = remove(key)
        return true
    }

    package mutating func text(_ key: String) throws(Refusal) -> String? {
        guard let value = remove(key) else { return nil }
        guard let text = value.string else { throw wrongType(key, "a text", value) }
        return text
    }

    package mutating func flag(_ key: String) throws(Refusal) -> Bool? {
        guard let value = remove(key) else { return nil }
        guard let flag = value.bool else { throw wrongType(key, "true or false", value) }
        return flag
    }

    package mutating func number(
        _ key: String,
        in range: ClosedRange<Double>? = nil,
        unit: String = ""
    ) throws(Refusal) -> Double? {
        guard let value = remove(key) else { return nil }
        guard let number = value.number, number.isFinite else { throw wrongType(key, "a number", value) }
        if let range, !range.contains(number) {
            let (low, high) = (JSONValue.number(range.lowerBound), JSONValue.number(range.upperBound))
            throw refusal(.outOfRange, key, "must be \(low) to \(high)\(unit) (is \(QuotedValue.of(value)))")
        }
        return number
    }

    package mutating func object(_ key: String) throws(Refusal) -> CommandFields? {
        guard let value = remove(key) else { return nil }
        guard let object = value.object else { throw wrongType(key, "an object", value) }
        return CommandFields(object, path: "\(path)\(key).")
    }

    /// A name of an object.
    package mutating func name(_ key: String) throws(Refusal) -> String? {
        guard let text = try text(key) else { return nil }
        let trimmed = text.trimmingSpace
        guard (1...200).contains(trimmed.unicodeScalars.count) else {
            throw refusal(.outOfRange, key, "must have 1 to 200 characters (is \(QuotedValue.of(text)))")
        }
        guard !text.unicodeScalars.contains(where: { $0.properties.generalCategory == .control }) else {
            throw refusal(.invalidValue, key, "must have no control characters")
        }
        return trimmed
    }

    /// `{"x","y","z"?}`, metres.
    ///
    /// - Returns: The position, and whether it has a height; that is 0 otherwise.
    package mutating func position(_ key: String) throws(Refusal) -> (point: Point3D, hasHeight: Bool)? {
        if let value = members[key], value.object == nil {
            throw wrongType(key, #"an object, such as \#(key)='{"x":1,"y":2}'"#, value)
        }
        guard var place = try object(key) else { return nil }
        let metres = -Point3D.farthest...Point3D.farthest
        let x = try place.number("x", in: metres, unit: " m")
        let y = try place.number("y", in: metres, unit: " m")
        let z = try place.number("z", in: metres, unit: " m")
        try place.finish()
        guard let x, let y else {
            throw refusal(.invalidValue, key, "must have the numbers x and y, in metres")
        }
        return (Point3D(x: x, y: y, z: z ?? 0), z != nil)
    }

    /// Refuses unread members; `tx` and the credentials were read before.
    package func finish() throws(Refusal) {
        let known = path.isEmpty ? known + ["tx"] : known
        guard let unknown = members.keys.min() else { return }
        throw Refusal(
            .unknownKey,
            "unknown key \(QuotedValue.of(path + unknown))\(NearestName.choice(for: unknown, among: known, "known:"))",
            field: path + unknown
        )
    }

    private func wrongType(_ key: String, _ legal: String, _ value: JSONValue) -> Refusal {
        refusal(.wrongType, key, "must be \(legal) (is \(QuotedValue.of(value)))")
    }

    /// Why a member is refused: what it must be, or is.
    func refusal(_ code: RefusalCode, _ key: String, _ what: String) -> Refusal {
        Refusal(code, "\(path)\(key) \(what)", field: path + key)
    }
}
