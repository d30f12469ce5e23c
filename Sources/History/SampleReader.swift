import Bindings
import JSON

/// Reads the samples of one thing and of a range of times for a query, in as many turns as it takes: in order of time, and
/// those of one time in order of arrival.
///
/// A block of packed samples is unpacked when its first time is reached, so that a page reads no more than it needs, also
/// if a late sample makes the times of one block overlap those of all others.
struct SampleReader {
    /// Samples that are decoded at once, if only one block is read; of several blocks each has a part of them.
    static let slice = 512
    private static let leastSlice = 16
    /// Bytes that are decoded at once, about.
    private static let sliceBytes = 4 << 20
    /// Those that are not packed take longer.
    private static let rowSlice = 64

    private let range: ClosedRange<Int64>
    /// Whether the order counts; for sums any will do.
    private let isOrdered: Bool
    /// What is read of samples; `nil` for all fields.
    private let fields: FieldNames?
    /// What samples must meet of which all fields are read; `nil` if all samples are.
    private let filter: NumberedClause?
    /// In order of their first times.
    private var unopened: ArraySlice<SampleView.Block>
    /// The one whose turn it is comes last.
    private var cursors: [SampleCursor] = []

    init(_ range: ClosedRange<Int64>, for query: HistoryQuery, _ source: SampleSource) throws {
        self.range = range
        isOrdered = query.aggregations.isEmpty
        fields =
            isOrdered ? nil : query.filter.fields.union(FieldNames(query.aggregations.map(\.field)))
        filter = isOrdered && query.filter != .all ? NumberedClause(query.filter) : nil
        unopened = try source.blocks(range)[...]
    }

    /// Adds samples to the answer to the query, until its page is full.
    ///
    /// - Returns: Whether there are no more to be added; `false` if the turn was over before.
    mutating func read(
        _ source: SampleSource,
        _ turn: inout ReadingTurn,
        to answer: inout HistoryAnswer
    ) throws -> Bool {
        while true {
            while let block = unopened.first, isDue(block) {
                unopened.removeFirst()
                if let cursor = try cursor(block, source) { Self.insert(cursor, into: &cursors) }
            }
            guard var cursor = cursors.popLast() else { return true }
            let count = max(Self.leastSlice, Self.slice / (cursors.count + 1))
            while !cursor.isAtEnd, isFirst(cursor) {
                guard !turn.isOver else {
                    Self.insert(cursor, into: &cursors)
                    return false
                }
                if let sample = cursor.next() {
                    answer.add(sample.state, at: sample.at)
                    if answer.isFull { return true }
                    turn.spend(1)
                } else {
                    turn.spend(try refill(&cursor, count, source))
                }
            }
            if !cursor.isAtEnd { Self.insert(cursor, into: &cursors) }
        }
    }

    /// Whether a block is to be opened before more is read of the others.
    private func isDue(_ block: SampleView.Block) -> Bool {
        guard let next = cursors.last else { return true }
        return isOrdered && block.range.lowerBound <= next.time
    }

    /// Whether a cursor has the first sample of all.
    private func isFirst(_ cursor: SampleCursor) -> Bool {
        guard isOrdered else { return true }
        return cursors.last.map { cursor.isBefore($0) } ?? true
            && unopened.first.map { cursor.time < $0.range.lowerBound } ?? true
    }

    private static func insert(_ cursor: SampleCursor, into cursors: inout [SampleCursor]) {
        var (low, high) = (0, cursors.count)
        while low < high {
            let middle = (low + high) / 2
            if cursor.isBefore(cursors[middle]) { low = middle + 1 } else { high = middle }
        }
        cursors.insert(cursor, at: low)
    }

    private func cursor(_ block: SampleView.Block, _ source: SampleSource) throws -> SampleCursor? {
        guard let key = block.key else {
            let rows = source.view.rows.filter { range.contains($0.at) }
            return SampleCursor(HistoryFile.sorted(rows)[...])
        }
        guard let packed = try source.packed(key) else { return nil }
        return SampleCursor(key, packed.places(range), of: packed)
    }

    /// Decodes the next samples of a block.
    ///
    /// - Returns: How many were left out, because they do not meet the filter.
    private func refill(_ cursor: inout SampleCursor, _ count: Int, _ source: SampleSource) throws -> Int {
        guard let key = cursor.key else {
            var leftOut = 0
            for row in cursor.takeRows(min(count, Self.rowSlice)) {
                guard let sample = try source.sample(row) else { continue }
                if let filter, !filter.matches(sample) { leftOut += 1 } else { cursor.append(sample) }
            }
            return leftOut
        }
        guard let packed = try source.packed(key) else {
            cursor.end()
            return 0
        }
        let most = max(Self.leastSlice, Self.sliceBytes / max(1, packed.bytesOfSample))
        let places = cursor.takePlaces(min(count, most), of: packed)
        if let filter { return Self.append(places, of: packed, filter, to: &cursor) }
        guard let states = packed.states(places, only: fields) else {
            cursor.end()
            return 0
        }
        for (place, state) in zip(places, states) { cursor.append(Sample(state, at: packed.times[place])) }
        return 0
    }

    /// Decodes samples, of those that do not meet a filter no more than that needs.
    ///
    /// - Returns: How many do not.
    private static func append(
        _ places: Range<Int>,
        of packed: PackedSamples,
        _ filter: NumberedClause,
        to cursor: inout SampleCursor
    ) -> Int {
        guard let values = packed.values(places, of: filter.fields) else {
            cursor.end()
            return 0
        }
        let met = places.enumerated().compactMap { index, place in
            filter.matches(at: packed.times[place]) { values[$0][index] } ? place : nil
        }
        guard let first = met.first, let last = met.last else { return places.count }
        guard let states = packed.states(first..<last + 1) else {
            cursor.end()
            return 0
        }
        for place in met { cursor.append(Sample(states[place - first], at: packed.times[place])) }
        return places.count - met.count
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
