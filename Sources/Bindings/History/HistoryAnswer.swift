package import JSON
package import Things

/// Makes the answer to a query of a thing's history from samples, or from the sums of whole groups.
///
/// Samples that do not meet the query may be added; they change nothing.
/// - Source: contrib/contract/bindings.md, "Answers".
package struct HistoryAnswer: Sendable {
    package let query: HistoryQuery
    package let interval: GroupInterval

    /// Results in order of time, unless they are aggregated.
    private var results: [(at: Int64, state: JSONObject)] = []
    /// Of the groups if they are aggregated, in order of their beginnings: no more than an answer may have, so a list will do.
    private var sums: [(start: Int64, sums: GroupSums)] = []
    /// How many results of one time were there, with those of the pages before.
    private var latest: (time: Int64, count: Int)?
    private var next: HistoryPosition?
    /// The fields whose sums are needed.
    private let fields: [String]

    /// The member of a result that has its time, milliseconds since 1970.
    package static let created = "_created"

    /// - Throws: A refusal of a grouped query for too many intervals.
    package init(to query: HistoryQuery, of interval: GroupInterval) throws(Refusal) {
        try query.check(with: interval)
        self.query = query
        self.interval = interval
        // An object, as names of fields differ by their bytes, while equal strings may have different ones.
        fields = JSONObject(query.aggregations.map { ($0.field, .null) }).keys
    }

    /// Whether the page is full, so that further samples change nothing.
    package var isFull: Bool { next != nil }

    /// Adds a sample.
    ///
    /// They come in order of time, and those of one time in order of arrival; for aggregations any order will
    /// do.
    package mutating func add(_ state: JSONObject, at time: Int64) {
        guard !isFull, query.times?.contains(time) ?? true, query.filter.matches(state, at: time) else {
            return
        }
        guard query.aggregations.isEmpty else {
            let place = place(of: interval.start(of: time))
            sums[place].sums.add(state, at: time, only: fields)
            return
        }
        if let position = query.position, time < position.time { return }
        let number = latest?.time == time ? latest?.count ?? 0 : 0
        if let position = query.position, time == position.time, number < position.skipped {
            latest = (time, number + 1)
            return
        }
        guard results.count < query.limit else {
            next = HistoryPosition(time: time, skipped: number)
            return
        }
        latest = (time, number + 1)
        results.append((time, state))
    }

    /// Adds the sums of a group of which no sample is added.
    ///
    /// - Parameter start: When the group begins, milliseconds since 1970.
    package mutating func add(_ sums: GroupSums, of start: Int64) {
        guard !query.aggregations.isEmpty, sums.count > 0, let times = query.times,
            interval.start(of: start) == start, times.overlaps(start...(start + interval.milliseconds - 1))
        else { return }
        if self.sums.isEmpty { self.sums.reserveCapacity(Int(GroupInterval.limit)) }
        let place = place(of: start)
        self.sums[place].sums.merge(sums)
    }

    /// The place of the sums of a group, which are begun if there are none.
    private mutating func place(of start: Int64) -> Int {
        // Most come in order.
        let before = sums.lastIndex { $0.start <= start }
        if let before, sums[before].start == start { return before }
        let place = before.map { $0 + 1 } ?? 0
        sums.insert((start, GroupSums()), at: place)
        return place
    }
}

// MARK: - JSON

extension HistoryAnswer {
    /// The answer.
    ///
    /// - Parameters:
    ///   - truncated: Samples before this time are gone, though they were once there.
    ///   - sample: Finds the first sample of a time whose field is the same number as a value; `nil` if it is gone or not
    ///     worth looking for.
    package func json(
        truncatedBefore truncated: Int64? = nil,
        _ sample: (_ at: Int64, _ field: String, _ value: JSONValue) -> JSONObject? = { _, _, _ in nil }
    ) -> JSONObject {
        var answer = JSONObject()
        if query.isGrouped {
            answer["groupedResults"] = .array(query.aggregations.isEmpty ? groups : aggregated(sample))
        } else {
            answer["results"] = .array(results.map { Self.result($0.state, at: $0.at) })
        }
        answer["nextPaginationKey"] = next.map { .string($0.key) }
        answer["truncated_before"] = truncated.map { JSONValue(Int($0)) }
        return answer
    }

    /// A sample as results have it.
    package static func result(_ state: JSONObject, at time: Int64) -> JSONValue {
        var result = state
        result[created] = JSONValue(Int(time))
        return .object(result)
    }

    private func range(_ start: Int64) -> JSONValue {
        .object(
            JSONObject(minimumCapacity: 2) {
                $0["from"] = JSONValue(Int(start))
                $0["to"] = JSONValue(Int(start + interval.milliseconds))
            }
        )
    }

    private var groups: [JSONValue] {
        var groups: [(start: Int64, objects: [JSONValue])] = []
        for (time, state) in results {
            let start = interval.start(of: time)
            if groups.last?.start != start { groups.append((start, [])) }
            groups[groups.count - 1].objects.append(Self.result(state, at: time))
        }
        return groups.map { ["range": range($0.start), "objects": .array($0.objects)] }
    }

    /// The values that are shown with their samples, and when these were reported.
    package var extremes: [(at: Int64, field: String, value: JSONValue)] {
        sums.flatMap { _, sums in
            query.aggregations.compactMap { aggregation in
                let result = aggregation.result(in: sums)
                return result.at.map { (at: $0, field: aggregation.field, value: result.value) }
            }
        }
    }

    private func aggregated(_ sample: (Int64, String, JSONValue) -> JSONObject?) -> [JSONValue] {
        sums.map { start, sums in
            let aggregations = query.aggregations.map { aggregation -> JSONValue in
                let result = aggregation.result(in: sums)
                let state = result.at.flatMap { sample($0, aggregation.field, result.value) }
                return .object(
                    JSONObject(minimumCapacity: 3) { json in
                        json["name"] = .string(aggregation.name)
                        if let at = result.at, let state { json["object"] = Self.result(state, at: at) }
                        json["value"] = result.value
                    }
                )
            }
            return .object(
                JSONObject(minimumCapacity: 2) {
                    $0["aggregations"] = .array(aggregations)
                    $0["range"] = range(start)
                }
            )
        }
    }
}

extension HistoryAnswer {
    /// The aggregated groups in order, with a value for each aggregation of the query: for tables.
    package var rows: [(range: Range<Int64>, count: Int, values: [JSONValue])] {
        sums.map { start, sums in
            (
                start..<start + interval.milliseconds, sums.count,
                query.aggregations.map { $0.result(in: sums).value }
            )
        }
    }
}
