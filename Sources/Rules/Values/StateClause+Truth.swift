package import Bindings
package import JSON

extension StateClause {
    /// Whether a state of a time meets it, or cannot be told.
    ///
    /// - Parameters:
    ///   - time: Milliseconds since 1970.
    ///   - margin: How far the limits of ranges are moved outward while the whole clause is true.
    ///   - wasTrue: Whether it was true before.
    package func truth(
        of state: JSONObject,
        at time: Int64,
        margin: Double = 0,
        wasTrue: Bool = false
    ) -> RuleTruth {
        truth(at: time, margin: wasTrue ? margin : 0) { state[$0] }
    }

    /// The same with a function that has the values of fields.
    ///
    /// A field without a value, or null, is missing; to a range, one that is no number, too.
    ///
    /// - Parameter margin: How far the limits of ranges are moved outward: 0 unless the clause was true
    ///   before.
    package func truth(
        at time: Int64,
        margin: Double = 0,
        value: (_ field: String) -> JSONValue?
    ) -> RuleTruth {
        switch self {
        case .all: .yes
        case .equals(let field, let wanted):
            Self.known(value(field)).map { RuleTruth(Self.isSame($0, wanted)) } ?? .unknown
        case .not(let clause): !clause.truth(at: time, margin: margin, value: value)
        case .range(let field, let range):
            value(field)?.number.map { RuleTruth(range.widened(by: margin).contains($0)) } ?? .unknown
        case .and(let clauses):
            RuleTruth.all(clauses.map { $0.truth(at: time, margin: margin, value: value) })
        case .or(let clauses):
            RuleTruth.any(clauses.map { $0.truth(at: time, margin: margin, value: value) })
        case .time(let range): RuleTruth(range.contains(time))
        }
    }

    private static func known(_ value: JSONValue?) -> JSONValue? {
        value.flatMap { $0.isNull ? nil : $0 }
    }

    /// 1 equals 1.0, and a text only a text with the same bytes.
    private static func isSame(_ value: JSONValue, _ wanted: JSONValue) -> Bool {
        if let text = value.string, let wanted = wanted.string { return text.utf8.elementsEqual(wanted.utf8) }
        return value.isSameNumber(as: wanted) || value == wanted
    }
}

extension StateClause.NumberRange {
    fileprivate func widened(by margin: Double) -> Self {
        guard margin != 0 else { return self }
        var range = self
        range.lower = lower.map { $0 - margin }
        range.upper = upper.map { $0 + margin }
        return range
    }
}

// MARK: - What it looks at

extension StateClause {
    /// The fields that it looks at.
    package var fields: Set<String> {
        switch self {
        case .all, .time: []
        case .equals(let field, _), .range(let field, _): [field]
        case .not(let clause): clause.fields
        case .and(let clauses), .or(let clauses): clauses.reduce(into: []) { $0.formUnion($1.fields) }
        }
    }

    /// Whether there are limits that a margin can move.
    package var hasRange: Bool {
        switch self {
        case .all, .time, .equals: false
        case .range: true
        case .not(let clause): clause.hasRange
        case .and(let clauses), .or(let clauses): clauses.contains { $0.hasRange }
        }
    }
}
