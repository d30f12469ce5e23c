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

    /// The first sample of a time whose field is the same number as a value.
    func samples(_ id: BindingID) -> (_ at: Int64, _ field: String, _ value: JSONValue) -> JSONObject? {
        guard let thing = things[id] else { return { _, _, _ in nil } }
        var block: (key: Int64, samples: PackedSamples)?
        return { at, field, value in
            try? self.read { database in
                var reader = SampleReader(thing.number, self, database, block)
                defer { block = reader.latest }
                return try reader.samples(at...at).first {
                    $0.state[field]?.isSameNumber(as: value) ?? false
                }?.state
            }
        }
    }
}

/// Reads the samples of one thing in order of time, and those of one time in order of arrival.
struct SampleReader {
    /// Samples whose times do not overlap those of other parts, so that one part can be read after the other.
    private struct Part {
        /// Rounds and keys, in order of arrival.
        var keys: [Int64] = []
        var tail: [HistoryFile.TailRow] = []
        var last: Int64
    }

    private let number: Int64
    private let file: HistoryFile
    private let database: Database
    /// The packed samples that were read last.
    private(set) var latest: (key: Int64, samples: PackedSamples)?

    /// Samples that are read at once, if only some may be needed.
    private static let slice = 2000

    init(
        _ number: Int64,
        _ file: HistoryFile,
        _ database: Database,
        _ latest: (key: Int64, samples: PackedSamples)? = nil
    ) {
        (self.number, self.file, self.database, self.latest) = (number, file, database, latest)
    }

    /// Adds the samples of a range to an answer, until its page is full.
    mutating func add(_ range: ClosedRange<Int64>, to answer: inout HistoryAnswer) throws {
        let filter = answer.query.filter
        let filterFields = filter.fields
        let isSummed = !answer.query.aggregations.isEmpty
        let fields = isSummed ? filterFields.union(FieldNames(answer.query.aggregations.map(\.field))) : nil
        for part in try parts(range) where !answer.isFull {
            if part.tail.isEmpty, let key = part.keys.first, part.keys.count == 1 {
                try addPacked(key, range, to: &answer, fields, filterFields)
            } else {
                for sample in try samples(of: part, range, fields) where !answer.isFull {
                    answer.add(sample.state, at: sample.at)
                }
            }
        }
    }

    /// All samples of a range, with all fields.
    mutating func samples(_ range: ClosedRange<Int64>) throws -> [Sample] {
        var samples: [Sample] = []
        for part in try parts(range) { samples += try self.samples(of: part, range, nil) }
        return samples
    }

    // MARK: Parts

    private func parts(_ range: ClosedRange<Int64>) throws -> [Part] {
        var blocks: [(key: Int64?, range: ClosedRange<Int64>)] = []
        for round in file.rounds where round.range.overlaps(range) {
            let key = ThingKey.packed(round.number, number)
            let sql = "SELECT first, last FROM packed WHERE key = ?"
            guard let times = try database.integers(sql, key) else { continue }
            let first = try Optional(times.0).legal(in: HistoryTime.legal)
            let last = try Optional(times.1).legal(in: first...HistoryTime.legal.upperBound)
            if (first...last).overlaps(range) { blocks.append((key, first...last)) }
        }
        let tail = (file.tail.rows[number] ?? []).filter { range.contains($0.at) }
        if let first = tail.lazy.map(\.at).min(), let last = tail.lazy.map(\.at).max() {
            blocks.append((nil, first...last))
        }
        var parts: [Part] = []
        for block in blocks.sorted(by: { $0.range.lowerBound < $1.range.lowerBound }) {
            if parts.last.map({ $0.last < block.range.lowerBound }) ?? true {
                parts.append(Part(last: block.range.upperBound))
            }
            let index = parts.count - 1
            parts[index].last = max(parts[index].last, block.range.upperBound)
            if let key = block.key { parts[index].keys.append(key) } else { parts[index].tail = tail }
        }
        return parts
    }

    private mutating func samples(
        of part: Part,
        _ range: ClosedRange<Int64>,
        _ fields: FieldNames?
    ) throws -> [Sample] {
        var samples: [Sample] = []
        for key in part.keys.sorted() {
            guard let packed = try packed(key) else { continue }
            let places = packed.places(range)
            guard let states = packed.states(places, only: fields) else { continue }
            samples += zip(packed.times[places], states).map { Sample($1, at: $0) }
        }
        samples += try HistoryFile.sorted(part.tail).compactMap { try HistoryFile.sample($0, database) }
        if part.keys.count + (part.tail.isEmpty ? 0 : 1) < 2 { return samples }
        return samples.enumerated().sorted { ($0.element.at, $0.offset) < ($1.element.at, $1.offset) }
            .map(\.element)
    }

    // MARK: Packed samples

    private mutating func packed(_ key: Int64) throws -> PackedSamples? {
        if let latest, latest.key == key { return latest.samples }
        let bytes = try database.bytes("SELECT body FROM packed WHERE key = ?", key)
        guard let samples = bytes.flatMap({ PackedSamples($0) }) else { return nil }
        latest = (key, samples)
        return samples
    }

    /// Adds packed samples slice by slice, and reads of those that do not meet the filter no more than that needs.
    private mutating func addPacked(
        _ key: Int64,
        _ range: ClosedRange<Int64>,
        to answer: inout HistoryAnswer,
        _ fields: FieldNames?,
        _ filterFields: FieldNames
    ) throws {
        guard let packed = try packed(key) else { return }
        let filter = answer.query.filter
        var places = packed.places(range)
        while !places.isEmpty, !answer.isFull {
            let slice = places.prefix(Self.slice)
            places = places.dropFirst(Self.slice)
            if filter != .all, fields == nil {
                guard let states = packed.states(slice, only: filterFields) else { return }
                let isMet = zip(slice, states).contains { filter.matches($1, at: packed.times[$0]) }
                if !isMet { continue }
            }
            guard let states = packed.states(slice, only: fields) else { return }
            for (place, state) in zip(slice, states) { answer.add(state, at: packed.times[place]) }
        }
    }
}

extension PackedSamples {
    /// Where the samples of a range are.
    fileprivate func places(_ range: ClosedRange<Int64>) -> Range<Int> {
        let first = insertionPoint { $0 < range.lowerBound }
        let end = insertionPoint { $0 <= range.upperBound }
        // Times in a damaged file may be in any order.
        return first..<max(first, end)
    }

    private func insertionPoint(_ precedes: (Int64) -> Bool) -> Int {
        var (low, high) = (0, times.count)
        while low < high {
            let middle = (low + high) / 2
            if precedes(times[middle]) { low = middle + 1 } else { high = middle }
        }
        return low
    }
}

extension StateClause {
    /// The fields on which it depends.
    fileprivate var fields: FieldNames {
        switch self {
        case .all, .time: []
        case .equals(let field, _), .range(let field, _): [field]
        case .not(let clause): clause.fields
        case .and(let clauses), .or(let clauses): clauses.reduce(into: []) { $0.formUnion($1.fields) }
        }
    }
}
