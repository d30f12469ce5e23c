package import JSON
import Text

/// The members of an object that came in.
///
/// Every refusal names the member by its path, as it is written, and says what is legal. A member that is
/// null counts as absent, because some clients send all of them.
package protocol ReceivedMembers {
    /// Where the object is in what came in, such as `query.clause`; empty for the whole.
    var path: String { get }

    /// The member and its name as it is written, unless it is absent or null.
    func found(_ name: String) -> (key: String, value: JSONValue)?
}

extension ReceivedMembers {
    /// The members of what must be an object.
    ///
    /// - Parameter whole: What an object without a path is, such as `a rule`.
    package static func members(
        of value: JSONValue,
        at path: String,
        whole: String
    ) throws(Refusal) -> JSONObject {
        if let members = value.object { return members }
        // The whole is not repeated: a password may be in it.
        guard !path.isEmpty else { throw Refusal(.wrongType, "\(whole) must be an object") }
        throw Refusal(.wrongType, "\(path) must be an object, is \(QuotedValue.of(value))", field: path)
    }

    /// The member, unless it is absent or null.
    package func optional(_ name: String) -> JSONValue? { found(name)?.value }

    /// - Parameter legal: What it may be, for the refusal.
    package func required(_ name: String, _ legal: String) throws(Refusal) -> JSONValue {
        guard let value = optional(name) else {
            throw refusal(.invalidValue, of: name, "is missing; it must be \(legal)")
        }
        return value
    }

    /// The path of a member as it is written.
    package func path(of name: String) -> String {
        let key = found(name)?.key ?? name
        let whole = path.isEmpty ? key : "\(path).\(key)"
        return HarmfulCharacters.escaped(in: QuotedValue.clipped(whole, to: 200))
    }

    /// A refusal because of a member; the sentence begins with its path.
    package func refusal(_ code: RefusalCode, of name: String, _ rest: String) -> Refusal {
        let path = path(of: name)
        return Refusal(code, "\(path) \(rest)", field: path)
    }

    package func wrongType(_ name: String, _ value: JSONValue, _ legal: String) -> Refusal {
        refusal(.wrongType, of: name, "must be \(legal), is \(QuotedValue.of(value))")
    }

    package func invalid(_ name: String, _ value: JSONValue, _ legal: String) -> Refusal {
        refusal(.invalidValue, of: name, "must be \(legal), is \(QuotedValue.of(value))")
    }
}

// MARK: - Kinds of members

extension ReceivedMembers {
    package func optionalText(_ name: String, _ legal: String) throws(Refusal) -> String? {
        guard let value = optional(name) else { return nil }
        guard let text = value.string else { throw wrongType(name, value, legal) }
        return text
    }

    package func text(_ name: String, _ legal: String) throws(Refusal) -> String {
        let value = try required(name, legal)
        guard let text = value.string else { throw wrongType(name, value, legal) }
        return text
    }

    package func optionalWhole(_ name: String, _ legal: ClosedRange<Int64>) throws(Refusal) -> Int64? {
        guard let value = optional(name) else { return nil }
        let range = "a whole number from \(legal.lowerBound) to \(legal.upperBound)"
        guard let whole = value.integer.map(Int64.init) else {
            throw value.number == nil ? wrongType(name, value, range) : invalid(name, value, range)
        }
        guard legal.contains(whole) else { throw invalid(name, value, range) }
        return whole
    }

    /// One of several words; `nil` if it is absent.
    package func optionalWord<Word: RawRepresentable<String> & CaseIterable>(
        _ name: String,
        as _: Word.Type
    ) throws(Refusal) -> Word? {
        let legal = Word.allCases.map(\.rawValue)
        let list = "one of \(QuotedValue.list(legal))"
        guard let word = try optionalText(name, list) else { return nil }
        guard let value = Word(rawValue: word) else {
            throw refusal(
                .invalidValue,
                of: name,
                "must be \(list), is \(QuotedValue.of(word))\(NearestName.hint(for: word, among: legal))"
            )
        }
        return value
    }

    /// One of several words, which must be there.
    package func word<Word: RawRepresentable<String> & CaseIterable>(
        _ name: String,
        as type: Word.Type
    ) throws(Refusal) -> Word {
        guard let word = try optionalWord(name, as: type) else {
            let legal = QuotedValue.list(Word.allCases.map(\.rawValue))
            throw refusal(.invalidValue, of: name, "is missing; it must be one of \(legal)")
        }
        return word
    }
}
