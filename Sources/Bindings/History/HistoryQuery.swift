package import JSON
import Text
package import Things

/// What is asked of a thing's history.
///
/// - Source: contrib/contract/bindings.md, "Queries".
package struct HistoryQuery: Sendable, Hashable {
    /// Results at most, in one answer.
    package static let maximumLimit = 1000

    /// The times of the samples that are asked for; `nil` for all.
    package let times: ClosedRange<Int64>?
    /// What samples of these times must meet.
    package let filter: StateClause
    package let isGrouped: Bool
    /// Empty unless it is grouped.
    package let aggregations: [Aggregation]
    /// How many results there may be in the answer, 1 to ``maximumLimit``; aggregated groups are not limited.
    package let limit: Int
    /// Where the page begins; `nil` for the first one.
    package let position: HistoryPosition?

    /// - Parameter limit: More than ``maximumLimit``, or less than 1, counts as that many.
    package init(
        _ clause: StateClause = .all,
        isGrouped: Bool = false,
        aggregations: [Aggregation] = [],
        limit: Int = maximumLimit,
        from position: HistoryPosition? = nil
    ) throws(Refusal) {
        (times, filter) = clause.separated
        self.isGrouped = isGrouped
        self.aggregations = aggregations
        self.limit = 1...Self.maximumLimit ~= limit ? limit : Self.maximumLimit
        self.position = position
        guard isGrouped || aggregations.isEmpty else {
            throw Refusal(
                .invalidValue,
                "aggregations need a grouped query; it must have \"grouped\":true",
                field: "query.grouped"
            )
        }
        guard aggregations.count <= Aggregation.limit else {
            throw Refusal(
                .invalidValue,
                "aggregations must be at most \(Aggregation.limit), are \(aggregations.count)",
                field: "query.aggregations"
            )
        }
        // In an object names differ by their bytes.
        let names = JSONObject(aggregations.map { ($0.name, .bool(false)) }) { _, _ in true }
        if let twice = names.first(where: { $0.value == true })?.key {
            throw Refusal(
                .invalidValue,
                "query.aggregations must have different names, two are called \(QuotedValue.of(twice))",
                field: "query.aggregations"
            )
        }
        if isGrouped { try Self.check(times) }
    }

    private static func check(_ times: ClosedRange<Int64>?) throws(Refusal) {
        guard times == nil else { return }
        throw Refusal(
            .invalidValue,
            "a grouped query needs a range of times: a clause of the type withinTimeRange, alone or in an and",
            field: "query.clause"
        )
    }

    /// Refuses a grouped query that asks for 60 intervals of the thing or more.
    package func check(with interval: GroupInterval) throws(Refusal) {
        guard isGrouped else { return }
        try Self.check(times)
        guard let times, !interval.allows(times) else { return }
        let limit = GroupInterval.limit * interval.milliseconds
        throw Refusal(
            .invalidValue,
            "a grouped query must be for less than \(GroupInterval.limit) intervals of \(interval.rawValue),"
                + " which are \(limit) ms; is for \(times.upperBound.subtractingReportingOverflow(times.lowerBound).0) ms",
            field: "query.clause"
        )
    }
}

// MARK: - Reading

extension HistoryQuery {
    /// Reads the body of a query.
    package init(_ json: JSONValue) throws(Refusal) {
        let body = try ReceivedObject(json, at: "", known: ["query", "bestEffortLimit", "paginationKey"])
        let query = try ReceivedObject(
            try body.required("query", "an object with a clause"),
            at: "query",
            known: ["clause", "grouped", "aggregations"]
        )
        let clause = try StateClause(
            try query.required("clause", "a clause, such as {\"type\":\"all\"}"),
            at: "query.clause"
        )
        let list = try query.optionalList("aggregations") ?? []
        guard list.count <= Aggregation.limit else {
            let rest = "must have at most \(Aggregation.limit), has \(list.count)"
            throw query.refusal(.invalidValue, of: "aggregations", rest)
        }
        var aggregations: [Aggregation] = []
        for (index, json) in list.enumerated() {
            aggregations.append(try Aggregation(json, at: "query.aggregations[\(index)]"))
        }
        try self.init(
            clause,
            isGrouped: try query.optionalFlag("grouped") ?? false,
            aggregations: aggregations,
            limit: Int(try body.optionalWhole("bestEffortLimit", 0...Int64(Int32.max)) ?? 0),
            from: try Self.position(in: body)
        )
    }

    private static func position(in body: ReceivedObject) throws(Refusal) -> HistoryPosition? {
        let legal = "the nextPaginationKey of an answer"
        guard let key = try body.optionalText("paginationKey", legal) else { return nil }
        guard let position = HistoryPosition(key) else {
            throw body.invalid("paginationKey", .string(key), legal)
        }
        return position
    }
}

// MARK: - What must be read

extension HistoryQuery {
    /// The times of the samples that must be read, if samples are; `nil` if there are none.
    package var samples: ClosedRange<Int64>? {
        let times = times ?? HistoryTime.legal
        guard let position, aggregations.isEmpty else { return times }
        return position.time <= times.upperBound
            ? max(position.time, times.lowerBound)...times.upperBound : nil
    }

    /// How groups cover the times, if the stored sums of whole groups answer the query; `nil` if samples must be read.
    package func cover(_ interval: GroupInterval) -> GroupCover? {
        guard let times, !aggregations.isEmpty, filter == .all else { return nil }
        return interval.cover(of: times)
    }

    /// Whether stored sums have every field that is asked for; the group's samples must be read otherwise.
    package func isAnswered(by sums: GroupSums) -> Bool {
        !sums.isCut || aggregations.allSatisfy { sums[$0.field] != nil }
    }
}
