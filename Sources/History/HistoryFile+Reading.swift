import Bindings
import GRDB
import JSON
import People

extension HistoryFile {
    /// Adds the sums of whole groups to an answer.
    ///
    /// - Returns: The times of those groups that lack a field in their sums, so that their samples must be read.
    func addSums(
        of whole: Range<Int64>,
        _ thing: Thing,
        to answer: inout HistoryAnswer
    ) throws(HistoryError) -> [ClosedRange<Int64>] {
        let query = answer.query
        var cut: [ClosedRange<Int64>] = []
        for (start, sums) in try groups(whole, query, thing) {
            if query.isAnswered(by: sums) {
                answer.add(sums, of: start)
            } else {
                cut.append(start...(start + thing.interval.milliseconds - 1))
            }
        }
        return cut
    }

    /// The sums of groups, stored or not, of the fields at least that a query asks for; without groups that have none.
    private func groups(
        _ whole: Range<Int64>,
        _ query: HistoryQuery,
        _ thing: Thing
    ) throws(HistoryError) -> [(start: Int64, sums: GroupSums)] {
        let stored = try storedGroups(whole, query, thing)
        guard let unstored = sums.things[thing.number]?.groups, !unstored.isEmpty else { return stored }
        var rest = stored[...]
        return stride(from: whole.lowerBound, to: whole.upperBound, by: Int(thing.interval.milliseconds))
            .compactMap { start in
                let stored = rest.first?.start == start ? rest.popFirst() : nil
                guard var sums = unstored[start] else { return stored }
                if let stored { sums.merge(stored.sums) }
                return (start, sums)
            }
    }

    /// The groups that are stored, in order.
    private func storedGroups(
        _ whole: Range<Int64>,
        _ query: HistoryQuery,
        _ thing: Thing
    ) throws(HistoryError) -> [(start: Int64, sums: GroupSums)] {
        var names: [[UInt8]] = []
        for name in query.aggregations.map({ Array($0.field.utf8) }) where !names.contains(name) {
            names.append(name)
        }
        let packedEnd = packedEnd(of: thing.number, thing.interval)
        let end = min(max(whole.lowerBound, packedEnd), whole.upperBound)
        return try read { database in
            try self.packedGroups(whole.lowerBound..<end, names, thing, database)
                + Self.recentGroups(end..<whole.upperBound, names, thing, database)
        }
    }

    private func packedGroups(
        _ range: Range<Int64>,
        _ names: [[UInt8]],
        _ thing: Thing,
        _ database: Database
    ) throws -> [(start: Int64, sums: GroupSums)] {
        guard !range.isEmpty else { return [] }
        let (number, interval) = (thing.number, thing.interval)
        let length = PackedSums.length(of: interval)
        let keys = [
            ThingKey.sums(PackedSums.end(of: range.lowerBound, interval), number), ThingKey.sums(length, 0),
            ThingKey.sums(PackedSums.end(of: range.upperBound - 1, interval), number),
        ]
        // A row is removed with its last group: the first ones may be too old.
        let first = max(range.lowerBound, sumsFrom ?? .min)
        var groups: [(start: Int64, sums: GroupSums)] = []
        groups.reserveCapacity(Int(GroupInterval.limit))
        try database.forEach(Self.packedRows, keys) { bytes, key in
            let spanStart = ThingKey.start(of: key) - length
            for group in PackedSums(bytes) {
                let start = spanStart + group.place * interval.milliseconds
                guard start >= first, start < range.upperBound,
                    let sums = StoredSums.sums(in: group.bytes, only: names)
                else { continue }
                groups.append((start, sums))
            }
        }
        return groups
    }

    private static func recentGroups(
        _ range: Range<Int64>,
        _ names: [[UInt8]],
        _ thing: Thing,
        _ database: Database
    ) throws -> [(start: Int64, sums: GroupSums)] {
        guard !range.isEmpty else { return [] }
        let (number, interval) = (thing.number, thing.interval)
        // The range may end within a group.
        let last = interval.start(of: range.upperBound - 1)
        let keys = [
            ThingKey.sums(range.lowerBound, number), ThingKey.sums(interval.milliseconds, 0),
            ThingKey.sums(last, number),
        ]
        var groups: [(start: Int64, sums: GroupSums)] = []
        try database.forEach(recentRows, keys) { bytes, key in
            guard let sums = StoredSums.sums(in: bytes, only: names) else { return }
            groups.append((ThingKey.start(of: key), sums))
        }
        return groups
    }

    private static let packedRows = rows(of: "packed_sums")
    private static let recentRows = rows(of: "sums")

    /// The rows of a thing in a table of sums, whose keys are as far apart as its groups or spans are.
    ///
    /// One statement finds them all: each statement, and each transaction, costs as much as finding a row does.
    private static func rows(of table: String) -> String {
        """
        WITH RECURSIVE wanted (key) AS (VALUES (?1) UNION ALL SELECT key + ?2 FROM wanted WHERE key < ?3)
        SELECT body, \(table).key FROM wanted CROSS JOIN \(table) ON \(table).key = wanted.key
        """
    }

    /// From when on an answer is complete, if something that it asks for was removed; milliseconds since 1970.
    func truncation(of answer: HistoryAnswer, of id: BindingID) throws(HistoryError) -> Int64? {
        guard let thing = things[id], let range = answer.query.samples else { return nil }
        // What came after the removal is complete.
        let samplesFrom = samplesFrom.flatMap { thing.first < $0 ? $0 : nil }
        guard let cover = answer.query.cover(thing.interval) else {
            return samplesFrom.flatMap { range.lowerBound < $0 ? $0 : nil }
        }
        var end: Int64?
        if let sumsFrom, thing.first < sumsFrom, let whole = cover.whole, whole.lowerBound < sumsFrom {
            // The group that contains that time is gone, too.
            end = thing.interval.start(of: sumsFrom - 1) + thing.interval.milliseconds
        }
        guard let samplesFrom else { return end }
        let parts = try cover.partial + cutGroups(cover, before: samplesFrom, answer.query, thing)
        for part in parts where part.lowerBound < samplesFrom {
            end = max(end ?? .min, min(samplesFrom, part.upperBound + 1))
        }
        return end
    }

    /// The groups that begin before a time and lack a field in their sums, so that they are read from samples.
    private func cutGroups(
        _ cover: GroupCover,
        before time: Int64,
        _ query: HistoryQuery,
        _ thing: Thing
    ) throws(HistoryError) -> [ClosedRange<Int64>] {
        guard let whole = cover.whole, whole.lowerBound < time else { return [] }
        let before = whole.lowerBound..<min(whole.upperBound, time)
        return try groups(before, query, thing).compactMap { start, sums in
            query.isAnswered(by: sums) ? nil : start...(start + thing.interval.milliseconds - 1)
        }
    }
}
