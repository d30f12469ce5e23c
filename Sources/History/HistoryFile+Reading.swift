import Bindings
import GRDB
import JSON
import People

extension HistoryFile {
    /// Adds to an answer what the query asks of a thing: sums where they will do, samples elsewhere.
    func fill(_ answer: inout HistoryAnswer, of id: BindingID) throws(HistoryError) {
        guard let thing = things[id], thing.interval == answer.interval else { return }
        var filled = answer
        try read { database in
            var reader = SampleReader(thing.number, self, database)
            if let cover = filled.query.cover(thing.interval) {
                try self.fill(&filled, from: cover, of: thing, &reader, database)
            } else if let range = filled.query.samples {
                try reader.add(range, to: &filled)
            }
        }
        answer = filled
    }

    private func fill(
        _ answer: inout HistoryAnswer,
        from cover: GroupCover,
        of thing: Thing,
        _ reader: inout SampleReader,
        _ database: Database
    ) throws {
        for range in cover.partial { try reader.add(range, to: &answer) }
        guard let whole = cover.whole else { return }
        let length = thing.interval.milliseconds
        for start in stride(from: whole.lowerBound, to: whole.upperBound, by: Int(length)) {
            let sums = try sums(of: start, thing, database)
            if answer.query.isAnswered(by: sums) {
                answer.add(sums, of: start)
            } else {
                try reader.add(start...(start + length - 1), to: &answer)
            }
        }
    }

    /// The sums of a group, stored or not.
    private func sums(of start: Int64, _ thing: Thing, _ database: Database) throws -> GroupSums {
        var sums = sums.things[thing.number]?.groups[start] ?? GroupSums()
        if let stored = try Self.sums(ThingKey.sums(start, thing.number), database) { sums.merge(stored) }
        return sums
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
        let length = thing.interval.milliseconds
        return try read { database in
            try stride(from: whole.lowerBound, to: min(whole.upperBound, time), by: Int(length)).compactMap {
                let isAnswered = query.isAnswered(by: try self.sums(of: $0, thing, database))
                return isAnswered ? nil : $0...($0 + length - 1)
            }
        }
    }

    /// Finds the samples that an answer shows beside least and greatest values, all at once.
    func samples(
        for answer: HistoryAnswer,
        of id: BindingID
    ) -> (_ at: Int64, _ field: String, _ value: JSONValue) -> JSONObject? {
        guard let thing = things[id] else { return { _, _, _ in nil } }
        let wanted = Set(answer.extremes.map { WantedSample(at: $0.at, field: $0.field, value: $0.value) })
        let found = try? read { database in
            var reader = SampleReader(thing.number, self, database)
            return try reader.first(wanted)
        }
        return { at, field, value in found?[WantedSample(at: at, field: field, value: value)] }
    }
}
