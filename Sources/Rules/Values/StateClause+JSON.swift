package import Bindings
package import JSON

extension StateClause {
    /// The clause as requests have it.
    /// - Source: contrib/contract/bindings.md, "Clauses".
    package var json: JSONObject {
        switch self {
        case .all: ["type": "all"]
        case .equals(let field, let value): ["type": "eq", "field": .string(field), "value": value]
        case .not(let clause): ["type": "not", "clause": .object(clause.json)]
        case .range(let field, let range): range.json(of: field)
        case .and(let clauses): ["type": "and", "clauses": .array(clauses.map { .object($0.json) })]
        case .or(let clauses): ["type": "or", "clauses": .array(clauses.map { .object($0.json) })]
        case .time(let range):
            [
                "type": "withinTimeRange", "lowerLimit": JSONValue(Int(range.lowerBound)),
                "upperLimit": JSONValue(Int(range.upperBound)),
            ]
        }
    }
}

extension StateClause.NumberRange {
    fileprivate func json(of field: String) -> JSONObject {
        var json: JSONObject = ["type": "range", "field": .string(field)]
        if let lower {
            json["lowerLimit"] = .number(lower)
            json["lowerIncluded"] = .bool(includesLower)
        }
        if let upper {
            json["upperLimit"] = .number(upper)
            json["upperIncluded"] = .bool(includesUpper)
        }
        return json
    }
}
