import JSON
import Text
import Things

/// The members of a received object.
///
/// Every refusal names the member by its path and says what is legal. A member that is null counts as absent, because
/// some clients send all of them.
struct ReceivedObject {
    let members: JSONObject
    /// Where the object is in the request, such as `query.clause`; empty for the request itself.
    let path: String

    /// - Parameter known: The members that may be in it.
    init(_ value: JSONValue, at path: String, known: [String]) throws(Refusal) {
        guard let members = value.object else {
            // A whole request is not repeated: a password may be in it.
            guard !path.isEmpty else { throw Refusal(.wrongType, "the request must be an object") }
            throw Refusal(.wrongType, "\(path) must be an object, is \(QuotedValue.of(value))", field: path)
        }
        self.members = members
        self.path = path
        for (key, _) in members where !known.contains(key) {
            throw refusal(
                .invalidValue,
                of: key,
                "is unknown\(NearestName.choice(for: key, among: known, "known are"))"
            )
        }
    }

    /// The path of a member.
    func path(of name: String) -> String { path.isEmpty ? name : "\(path).\(name)" }

    /// A refusal because of a member; the sentence begins with its path.
    func refusal(_ code: RefusalCode, of name: String, _ rest: String) -> Refusal {
        let path = HarmfulCharacters.escaped(in: QuotedValue.clipped(path(of: name), to: 200))
        return Refusal(code, "\(path) \(rest)", field: path)
    }

    /// The member, unless it is absent or null.
    func optional(_ name: String) -> JSONValue? {
        members[name].flatMap { $0.isNull ? nil : $0 }
    }

    /// - Parameter legal: What it may be, for the refusal.
    func required(_ name: String, _ legal: String) throws(Refusal) -> JSONValue {
        guard let value = optional(name) else {
            throw refusal(.invalidValue, of: name, "is missing; it must be \(legal)")
        }
        return value
    }
}

// MARK: - Kinds of members

extension ReceivedObject {
    func wrongType(_ name: String, _ value: JSONValue, _ legal: String) -> Refusal {
        refusal(.wrongType, of: name, "must be \(legal), is \(QuotedValue.of(value))")
    }

    func invalid(_ name: String, _ value: JSONValue, _ legal: String) -> Refusal {
        refusal(.invalidValue, of: name, "must be \(legal), is \(QuotedValue.of(value))")
    }

    func text(_ name: String, _ legal: String) throws(Refusal) -> String {
        let value = try required(name, legal)
        guard let text = value.string else { throw wrongType(name, value, legal) }
        return text
    }

    func optionalText(_ name: String, _ legal: String) throws(Refusal) -> String? {
        guard let value = optional(name) else { return nil }
        guard let text = value.string else { throw wrongType(name, value, legal) }
        return text
    }

    func optionalFlag(_ name: String) throws(Refusal) -> Bool? {
        guard let value = optional(name) else { return nil }
        guard let flag = value.bool else { throw wrongType(name, value, "true or false") }
        return flag
    }

    func optionalObject(_ name: String) throws(Refusal) -> JSONObject? {
        guard let value = optional(name) else { return nil }
        guard let object = value.object else { throw wrongType(name, value, "an object") }
        return object
    }

    func optionalList(_ name: String) throws(Refusal) -> [JSONValue]? {
        guard let value = optional(name) else { return nil }
        guard let list = value.array else { throw wrongType(name, value, "a list") }
        return list
    }

    /// A finite number.
    func optionalNumber(_ name: String) throws(Refusal) -> Double? {
        guard let value = optional(name) else { return nil }
        guard let number = value.number, number.isFinite else { throw wrongType(name, value, "a number") }
        return number
    }

    func optionalWhole(_ name: String, _ legal: ClosedRange<Int64>) throws(Refusal) -> Int64? {
        guard let value = optional(name) else { return nil }
        let range = "a whole number from \(legal.lowerBound) to \(legal.upperBound)"
        guard let whole = value.integer.map(Int64.init) else {
            throw value.number == nil ? wrongType(name, value, range) : invalid(name, value, range)
        }
        guard legal.contains(whole) else { throw invalid(name, value, range) }
        return whole
    }

    /// One of several words; the member is required.
    func word<Word: RawRepresentable<String> & CaseIterable>(
        _ name: String,
        as _: Word.Type
    ) throws(Refusal) -> Word {
        let legal = Word.allCases.map(\.rawValue)
        let list = "one of \(QuotedValue.list(legal))"
        let word = try text(name, list)
        guard let value = Word(rawValue: word) else {
            throw refusal(
                .invalidValue,
                of: name,
                "must be \(list), is \(QuotedValue.of(word))\(NearestName.hint(for: word, among: legal))"
            )
        }
        return value
    }
}
