package import JSON
import Text
package import Things

/// What a page or a verb asks of a thing's history: a range of times, in groups with figures or not.
///
/// - Source: contrib/contract/bindings.md, "History of a thing of the place".
package struct HistoryRequest: Sendable, Hashable {
    /// Milliseconds since 1970, both included; `nil` for what ``query(of:at:)`` says.
    package let from: Int64?
    package let to: Int64?
    package let isGrouped: Bool
    package let aggregations: [Aggregation]
    package let position: HistoryPosition?

    /// How far back a request goes that does not say it, milliseconds.
    package static let usualLength: Int64 = 86_400_000
    private static let members = ["from", "to", "group", "agg", "paginationKey"]

    /// Reads the members `from`, `to`, `group`, `agg` (a list) and `paginationKey`, which are texts.
    ///
    /// Times are milliseconds since 1970, dates, or times of RFC 3339.
    package init(_ json: JSONValue) throws(Refusal) {
        let object = try ReceivedObject(json, at: "", known: Self.members)
        (from, to) = (try Self.time("from", in: object), try Self.time("to", in: object))
        isGrouped = try Self.flag("group", in: object)
        var aggregations: [Aggregation] = []
        for argument in try object.optionalList("agg") ?? [] {
            guard let text = argument.string else {
                throw object.wrongType("agg", argument, "a function and a field, such as mean:temperature")
            }
            aggregations.append(try Aggregation(argument: text))
        }
        guard isGrouped || aggregations.isEmpty else {
            throw Refusal(.invalidValue, "agg needs group=1: figures are those of groups", field: "agg")
        }
        self.aggregations = aggregations
        let legal = "the nextPaginationKey of an answer"
        position = try object.optionalText("paginationKey", legal).map { key throws(Refusal) in
            guard let position = HistoryPosition(key) else {
                throw object.invalid("paginationKey", .string(key), legal)
            }
            return position
        }
    }

    /// Reads the parameters of a query, in which `agg` may be repeated; of others the last one counts.
    package init(parameters: [(name: String, value: String)]) throws(Refusal) {
        let others = parameters.filter { $0.name != "agg" }
        var members = JSONObject(others.map { ($0.name, JSONValue.string($0.value)) })
        let aggregations = parameters.filter { $0.name == "agg" }.map { JSONValue.string($0.value) }
        if !aggregations.isEmpty { members["agg"] = .array(aggregations) }
        try self.init(.object(members))
    }

    private init(_ request: HistoryRequest, _ aggregations: [Aggregation]) {
        (from, to, isGrouped) = (request.from, request.to, request.isGrouped)
        (self.aggregations, position) = (aggregations, request.position)
    }

    /// The same with an aggregation, if it has none: with one, groups are counted, and their samples not told.
    package var counting: HistoryRequest {
        guard aggregations.isEmpty, let count = try? Aggregation(argument: "count:-") else { return self }
        return HistoryRequest(self, [count])
    }

    private static func time(_ member: String, in object: ReceivedObject) throws(Refusal) -> Int64? {
        let legal = "a time such as \(CivilTime.legalForms), or milliseconds since 1970"
        guard let text = try object.optionalText(member, legal) else { return nil }
        guard let time = Int64(text) ?? CivilTime(text)?.milliseconds, HistoryTime.legal.contains(time) else {
            throw object.invalid(member, .string(text), legal)
        }
        return time
    }

    private static func flag(_ member: String, in object: ReceivedObject) throws(Refusal) -> Bool {
        let legal = "1 or 0"
        switch try object.optionalText(member, legal) {
        case "1", "true": return true
        case "0", "false", nil: return false
        case let text?: throw object.invalid(member, .string(text), legal)
        }
    }

    /// The query that is meant: until now, and for a day, or for the last groups that one query may have.
    ///
    /// - Parameter now: Milliseconds since 1970.
    package func query(of interval: GroupInterval, at now: Int64) throws(Refusal) -> HistoryQuery {
        let to = to ?? max(from ?? .min, HistoryTime.clamped(now))
        let first = interval.start(of: to) - (GroupInterval.limit - 2) * interval.milliseconds
        let from = from ?? HistoryTime.clamped(isGrouped ? first : to - Self.usualLength)
        guard from <= to else {
            throw Refusal(.invalidValue, "from must be at most to", field: "from")
        }
        return try HistoryQuery(
            .time(from...to),
            isGrouped: isGrouped,
            aggregations: aggregations,
            from: position
        )
    }
}
