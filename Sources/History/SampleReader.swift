import Bindings
import GRDB
import JSON
import People

/// Reads the samples of one thing in order of time, and those of one time in order of arrival.
///
/// A block of packed samples is unpacked when its first time is reached, so that a page reads no more than it needs, also
/// if a late sample makes the times of one block overlap those of all others.
struct SampleReader {
    /// Samples that lie together, and their times.
    private struct Block {
        /// `nil` for those that are not packed yet.
        let key: Int64?
        let range: ClosedRange<Int64>
        /// Blocks that came later have a greater one.
        var order: Int64 { key ?? .max }
    }

    /// What is read of samples.
    struct Selection {
        /// `nil` for all fields.
        var fields: FieldNames?
        var filter = StateClause.all
    }

    private let number: Int64
    private let file: HistoryFile
    private let database: Database
    /// The packed samples that were read last.
    private(set) var cache: PackedCache
    /// How many samples were decoded.
    private(set) var decoded = 0

    /// Samples that are decoded at once, if only one block is read; of several blocks each has a part of them.
    private static let slice = 2000
    private static let leastSlice = 16

    init(_ number: Int64, _ file: HistoryFile, _ database: Database, _ cache: PackedCache = PackedCache()) {
        (self.number, self.file, self.database, self.cache) = (number, file, database, cache)
    }

    /// Adds the samples of a range to an answer, until its page is full.
    mutating func add(_ range: ClosedRange<Int64>, to answer: inout HistoryAnswer) throws {
        let query = answer.query
        var selection = Selection(filter: query.filter)
        if query.aggregations.isEmpty {
            try read(range, selection) { state, time in
                answer.add(state, at: time)
                return !answer.isFull
            }
        } else {
            // For sums any order will do.
            selection.fields = query.filter.fields.union(FieldNames(query.aggregations.map(\.field)))
            for block in try blocks(range) {
                try read([block], range, selection) { state, time in
                    answer.add(state, at: time)
                    return true
                }
            }
        }
    }

    /// The first samples, with all fields, that have what is wanted; those that are gone are left out.
    ///
    /// Each block is read once at most, however many are wanted.
    mutating func first(_ wanted: Set<WantedSample>) throws -> [WantedSample: JSONObject] {
        var search = SampleSearch(wanted)
        guard let times = search.times else { return [:] }
        // Of one time what arrived first counts.
        for block in try blocks(times).sorted(by: { $0.order < $1.order }) {
            if let key = block.key {
                try look(into: key, block.range, &search)
            } else {
                try lookIntoTail(&search)
            }
        }
        return search.found
    }

    private mutating func look(
        into key: Int64,
        _ range: ClosedRange<Int64>,
        _ search: inout SampleSearch
    ) throws {
        let times = search.times(in: range)
        guard !times.isEmpty, let packed = try packed(key) else { return }
        // In a damaged block they may be in any order.
        var places = times.flatMap { packed.places($0...$0) }.sorted()[...]
        while let first = places.first {
            guard search.isOpen(packed.times[first]) else {
                places.removeFirst()
                continue
            }
            let slice = places.prefix { $0 < first + Self.slice }
            places = places.dropFirst(slice.count)
            let range = first..<(slice.last ?? first) + 1
            guard let states = packed.states(range) else { return }
            decoded += states.count
            for place in slice { search.look(at: states[place - first], packed.times[place]) }
        }
    }

    private mutating func lookIntoTail(_ search: inout SampleSearch) throws {
        let rows = (file.tail.rows[number] ?? []).filter { search.isOpen($0.at) }
        for row in HistoryFile.sorted(rows) where search.isOpen(row.at) {
            guard let sample = try HistoryFile.sample(row, database) else { continue }
            decoded += 1
            search.look(at: sample.state, sample.at)
        }
    }

    /// - Parameter use: Gets each sample; it returns whether to go on.
    private mutating func read(
        _ range: ClosedRange<Int64>,
        _ selection: Selection,
        _ use: (JSONObject, Int64) -> Bool
    ) throws {
        try read(try blocks(range), range, selection, use)
    }

    /// The blocks with samples of a range, by the first time.
    private func blocks(_ range: ClosedRange<Int64>) throws -> [Block] {
        var blocks: [Block] = []
        for round in file.rounds where round.range.overlaps(range) {
            let key = ThingKey.packed(round.number, number)
            let sql = "SELECT first, last FROM packed WHERE key = ?"
            guard let times = try database.integers(sql, key) else { continue }
            let first = try Optional(times.0).legal(in: HistoryTime.legal)
            let last = try Optional(times.1).legal(in: first...HistoryTime.legal.upperBound)
            if (first...last).overlaps(range) { blocks.append(Block(key: key, range: first...last)) }
        }
        let tail = (file.tail.rows[number] ?? []).lazy.map(\.at).filter { range.contains($0) }
        if let first = tail.min(), let last = tail.max() {
            blocks.append(Block(key: nil, range: first...last))
        }
        return blocks.sorted { ($0.range.lowerBound, $0.order) < ($1.range.lowerBound, $1.order) }
    }

    // MARK: Merging

    /// - Parameter blocks: In order of their first times.
    private mutating func read(
        _ blocks: [Block],
        _ range: ClosedRange<Int64>,
        _ selection: Selection,
        _ use: (JSONObject, Int64) -> Bool
    ) throws {
        var unopened = blocks[...]
        // The one whose turn it is comes last.
        var cursors: [SampleCursor] = []
        while true {
            while let block = unopened.first, cursors.last.map({ block.range.lowerBound <= $0.time }) ?? true
            {
                unopened.removeFirst()
                if let cursor = try cursor(block, range) { Self.insert(cursor, into: &cursors) }
            }
            guard var cursor = cursors.popLast() else { return }
            let count = max(Self.leastSlice, Self.slice / (cursors.count + 1))
            while !cursor.isAtEnd, cursors.last.map({ cursor.isBefore($0) }) ?? true,
                unopened.first.map({ cursor.time < $0.range.lowerBound }) ?? true
            {
                if let sample = cursor.next() {
                    guard use(sample.state, sample.at) else { return }
                } else {
                    try refill(&cursor, count, selection)
                }
            }
            if !cursor.isAtEnd { Self.insert(cursor, into: &cursors) }
        }
    }

    private static func insert(_ cursor: SampleCursor, into cursors: inout [SampleCursor]) {
        var (low, high) = (0, cursors.count)
        while low < high {
            let middle = (low + high) / 2
            if cursor.isBefore(cursors[middle]) { low = middle + 1 } else { high = middle }
        }
        cursors.insert(cursor, at: low)
    }

    private mutating func cursor(_ block: Block, _ range: ClosedRange<Int64>) throws -> SampleCursor? {
        guard let key = block.key else {
            let rows = (file.tail.rows[number] ?? []).filter { range.contains($0.at) }
            return SampleCursor(HistoryFile.sorted(rows)[...])
        }
        guard let packed = try packed(key) else { return nil }
        return SampleCursor(key, packed.places(range), of: packed)
    }

    /// Decodes the next samples of a block; none of those that do not meet the filter.
    private mutating func refill(_ cursor: inout SampleCursor, _ count: Int, _ selection: Selection) throws {
        guard let key = cursor.key else {
            for row in cursor.takeRows(count) {
                if let sample = try HistoryFile.sample(row, database) { cursor.append(sample) }
                decoded += 1
            }
            return
        }
        guard let packed = try packed(key) else { return cursor.end() }
        let places = cursor.takePlaces(count, of: packed)
        if selection.filter != .all, selection.fields == nil {
            // Of those that do not meet the filter no more is read than that needs.
            guard let states = packed.states(places, only: selection.filter.fields) else {
                return cursor.end()
            }
            let isMet = zip(places, states).contains { selection.filter.matches($1, at: packed.times[$0]) }
            if !isMet { return }
        }
        guard let states = packed.states(places, only: selection.fields) else { return cursor.end() }
        decoded += states.count
        for (place, state) in zip(places, states) { cursor.append(Sample(state, at: packed.times[place])) }
    }

    private mutating func packed(_ key: Int64) throws -> PackedSamples? {
        if let packed = cache.samples[key] { return packed }
        let bytes = try database.bytes("SELECT body FROM packed WHERE key = ?", key)
        guard let packed = bytes.flatMap({ PackedSamples($0) }) else { return nil }
        cache.insert(packed, for: key)
        return packed
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
