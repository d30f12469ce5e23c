package import JSON
import Text
package import Things

/// A condition on a state and its time.
///
/// - Source: contrib/contract/bindings.md, "Clauses".
package indirect enum StateClause: Sendable, Hashable {
    case all
    /// The field has this value: a text, a number, true or false; texts are compared by their bytes, as names are.
    case equals(String, JSONValue)
    case not(StateClause)
    case range(String, NumberRange)
    case and([StateClause])
    case or([StateClause])
    /// Milliseconds since 1970, both ends included.
    case time(ClosedRange<Int64>)

    /// Numbers between two limits, of which one may be absent.
    package struct NumberRange: Sendable, Hashable {
        package var lower: Double?
        package var includesLower: Bool
        package var upper: Double?
        package var includesUpper: Bool

        package init(
            from lower: Double? = nil,
            including includesLower: Bool = true,
            to upper: Double? = nil,
            including includesUpper: Bool = true
        ) {
            (self.lower, self.includesLower) = (lower, includesLower)
            (self.upper, self.includesUpper) = (upper, includesUpper)
        }

        package func contains(_ number: Double) -> Bool {
            if let lower, !(includesLower ? number >= lower : number > lower) { return false }
            if let upper, !(includesUpper ? number <= upper : number < upper) { return false }
            return !number.isNaN
        }
    }

    /// Whether a state of a time meets it.
    ///
    /// A field that is absent equals nothing and is in no range.
    package func matches(_ state: JSONObject, at time: Int64) -> Bool {
        switch self {
        case .all: true
        case .equals(let field, let value): state[field]?.isSame(as: value) ?? false
        case .not(let clause): !clause.matches(state, at: time)
        case .range(let field, let range): state[field]?.number.map(range.contains) ?? false
        case .and(let clauses): clauses.allSatisfy { $0.matches(state, at: time) }
        case .or(let clauses): clauses.contains { $0.matches(state, at: time) }
        case .time(let range): range.contains(time)
        }
    }
}

// MARK: - Reading

extension StateClause {
    /// How many clauses may be within each other.
    package static let maximumDepth = 8
    /// How many clauses there may be, with those within others.
    package static let maximumCount = 50
    /// Bytes of a field's name.
    package static let longestField = 200

    /// Reads a clause as requests have it.
    ///
    /// - Parameter path: Where it is in the request, for refusals.
    package init(_ json: JSONValue, at path: String = "clause") throws(Refusal) {
        var reader = Reader()
        self = try reader.clause(json, at: path, depth: 1)
    }

    private enum Kind: String, CaseIterable {
        case all, eq, not, range, and, or, withinTimeRange

        var members: [String] {
            switch self {
            case .all: []
            case .eq: ["field", "value"]
            case .not: ["clause"]
            case .range: ["field", "lowerLimit", "lowerIncluded", "upperLimit", "upperIncluded"]
            case .and, .or: ["clauses"]
            case .withinTimeRange: ["lowerLimit", "upperLimit"]
            }
        }
    }

    /// Counts the clauses that it reads.
    private struct Reader {
        private var count = 0

        mutating func clause(_ json: JSONValue, at path: String, depth: Int) throws(Refusal) -> StateClause {
            guard depth <= StateClause.maximumDepth else {
                throw Refusal(
                    .invalidValue,
                    "\(path): at most \(StateClause.maximumDepth) clauses may be within each other",
                    field: path
                )
            }
            count += 1
            guard count <= StateClause.maximumCount else {
                throw Refusal(
                    .invalidValue,
                    "\(path): a query has at most \(StateClause.maximumCount) clauses",
                    field: path
                )
            }
            // The type decides which members there may be, so they are checked after it.
            let typed = try ReceivedObject(json, at: path, known: json.object?.keys ?? [])
            let kind = try typed.word("type", as: Kind.self)
            let object = try ReceivedObject(json, at: path, known: ["type"] + kind.members)
            switch kind {
            case .all: return .all
            case .eq: return try equals(object)
            case .not: return .not(try negated(object, depth: depth))
            case .range: return try range(object)
            case .and: return .and(try clauses(object, depth: depth))
            case .or: return .or(try clauses(object, depth: depth))
            case .withinTimeRange: return try time(object)
            }
        }

        private func field(_ object: ReceivedObject) throws(Refusal) -> String {
            let legal = "the name of a field, of 1 to \(StateClause.longestField) bytes"
            let field = try object.text("field", legal)
            guard 1...StateClause.longestField ~= field.utf8.count else {
                throw object.invalid("field", .string(field), legal)
            }
            return field
        }

        private func equals(_ object: ReceivedObject) throws(Refusal) -> StateClause {
            let legal = "a text, a number, true or false"
            let value = try object.required("value", legal)
            switch value {
            case .bool, .number, .numeral, .string: return .equals(try field(object), value)
            case .null, .array, .object: throw object.wrongType("value", value, legal)
            }
        }

        private mutating func negated(_ object: ReceivedObject, depth: Int) throws(Refusal) -> StateClause {
            let legal = "a clause of the type eq"
            let json = try object.required("clause", legal)
            let clause = try clause(json, at: object.path(of: "clause"), depth: depth + 1)
            guard case .equals = clause else {
                throw object.refusal(.invalidValue, of: "clause", "must be \(legal)")
            }
            return clause
        }

        private func range(_ object: ReceivedObject) throws(Refusal) -> StateClause {
            let range = NumberRange(
                from: try object.optionalNumber("lowerLimit"),
                including: try object.optionalFlag("lowerIncluded") ?? true,
                to: try object.optionalNumber("upperLimit"),
                including: try object.optionalFlag("upperIncluded") ?? true
            )
            guard range.lower != nil || range.upper != nil else {
                throw object.refusal(
                    .invalidValue,
                    of: "lowerLimit",
                    "is missing, and upperLimit too; a range has one of them or both"
                )
            }
            if let lower = range.lower, let upper = range.upper, lower > upper {
                throw object.refusal(.invalidValue, of: "lowerLimit", "must be at most upperLimit")
            }
            return .range(try field(object), range)
        }

        private mutating func clauses(_ object: ReceivedObject, depth: Int) throws(Refusal) -> [StateClause] {
            let legal = "a list of one or more clauses"
            _ = try object.required("clauses", legal)
            guard let list = try object.optionalList("clauses"), !list.isEmpty else {
                throw object.refusal(.invalidValue, of: "clauses", "must be \(legal)")
            }
            var clauses: [StateClause] = []
            for (index, json) in list.enumerated() {
                let path = "\(object.path(of: "clauses"))[\(index)]"
                clauses.append(try clause(json, at: path, depth: depth + 1))
            }
            return clauses
        }

        private func time(_ object: ReceivedObject) throws(Refusal) -> StateClause {
            let legal = "a time in milliseconds since 1970"
            _ = try object.required("lowerLimit", legal)
            _ = try object.required("upperLimit", legal)
            guard let lower = try object.optionalWhole("lowerLimit", HistoryTime.legal),
                let upper = try object.optionalWhole("upperLimit", HistoryTime.legal), lower <= upper
            else { throw object.refusal(.invalidValue, of: "lowerLimit", "must be at most upperLimit") }
            return .time(lower...upper)
        }
    }
}

// MARK: - Times in a clause

extension StateClause {
    /// The times that a state must be of to meet the clause, and what else it must meet.
    ///
    /// Found in the clause itself and in lists of clauses that all must be met.
    package var separated: (times: ClosedRange<Int64>?, rest: StateClause) {
        switch self {
        case .time(let range): (range, .all)
        case .and(let clauses): Self.separated(clauses)
        case .all, .equals, .not, .range, .or: (nil, self)
        }
    }

    private static func separated(_ clauses: [StateClause]) -> (times: ClosedRange<Int64>?, rest: StateClause)
    {
        var times: ClosedRange<Int64>?
        var rest: [StateClause] = []
        for clause in clauses {
            let (range, other) = clause.separated
            if other != .all { rest.append(other) }
            guard let range else { continue }
            if let known = times, !known.overlaps(range) {
                // No time is in both; nothing meets an empty choice.
                rest.append(.or([]))
            } else {
                times = times.map { $0.clamped(to: range) } ?? range
            }
        }
        return (times, rest.isEmpty ? .all : rest.count == 1 ? rest[0] : .and(rest))
    }
}
