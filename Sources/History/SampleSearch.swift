import Bindings
import JSON

/// A number that the first sample of a time is to have in a field.
struct WantedSample: Hashable {
    let at: Int64
    let field: String
    let value: JSONValue

    func isIn(_ state: JSONObject) -> Bool { state[field]?.isSameNumber(as: value) ?? false }

    // Names of fields differ by their bytes, while equal strings may have different ones.
    static func == (left: WantedSample, right: WantedSample) -> Bool {
        left.at == right.at && left.value == right.value && left.field.utf8.elementsEqual(right.field.utf8)
    }

    func hash(into hasher: inout Hasher) {
        hasher.combine(at)
        hasher.combine(field)
    }
}

/// Looks for samples that are wanted among those that it gets, the first one of a time first.
struct SampleSearch {
    private var open: [Int64: [WantedSample]]
    private(set) var found: [WantedSample: JSONObject] = [:]

    init(_ wanted: Set<WantedSample>) { open = Dictionary(grouping: wanted, by: \.at) }

    /// The times of those that are not found; `nil` if there are none.
    var times: ClosedRange<Int64>? {
        guard let first = open.keys.min(), let last = open.keys.max() else { return nil }
        return first...last
    }

    /// The times of a range of which some are not found.
    func times(in range: ClosedRange<Int64>) -> [Int64] { open.keys.filter { range.contains($0) } }

    func isOpen(_ time: Int64) -> Bool { open[time] != nil }

    mutating func look(at state: JSONObject, _ time: Int64) {
        guard let wanted = open[time] else { return }
        let left = wanted.filter { !$0.isIn(state) }
        guard left.count < wanted.count else { return }
        for sample in wanted where sample.isIn(state) { found[sample] = state }
        open[time] = left.isEmpty ? nil : left
    }
}

/// Finds samples with all fields, in as many turns as it takes; those that are gone are left out.
///
/// Each block is read once at most, however many are wanted.
struct SampleFinder {
    private var search: SampleSearch
    /// Of one time what arrived first counts, so that they are in order of arrival.
    private var blocks: ArraySlice<SampleView.Block> = []
    /// What is left of the first block, if it was begun.
    private var places: ArraySlice<Int>?
    private var rows: ArraySlice<HistoryFile.TailRow>?
    /// How many samples were decoded.
    private(set) var decoded = 0

    init(_ wanted: Set<WantedSample>, _ source: SampleSource) throws {
        search = SampleSearch(wanted)
        guard let times = search.times else { return }
        blocks = try source.blocks(times).sorted { $0.order < $1.order }[...]
    }

    /// The first samples that have what is wanted.
    var found: [WantedSample: JSONObject] { search.found }

    /// - Returns: Whether all was looked for; `false` if the turn was over before.
    mutating func look(_ source: SampleSource, _ turn: inout ReadingTurn) throws -> Bool {
        while let block = blocks.first {
            if let key = block.key {
                guard try look(into: key, block.range, source, &turn) else { return false }
            } else {
                guard try lookIntoRows(source, &turn) else { return false }
            }
            (places, rows) = (nil, nil)
            blocks.removeFirst()
        }
        return true
    }

    private mutating func look(
        into key: Int64,
        _ range: ClosedRange<Int64>,
        _ source: SampleSource,
        _ turn: inout ReadingTurn
    ) throws -> Bool {
        let times = places == nil ? search.times(in: range) : []
        guard places != nil || !times.isEmpty, let packed = try source.packed(key) else { return true }
        // In a damaged block they may be in any order.
        var left = places ?? times.flatMap { packed.places($0...$0) }.sorted()[...]
        while let first = left.first {
            guard !turn.isOver else {
                places = left
                return false
            }
            guard search.isOpen(packed.times[first]) else {
                left.removeFirst()
                continue
            }
            let slice = left.prefix { $0 < first + SampleReader.slice }
            left = left.dropFirst(slice.count)
            let range = first..<(slice.last ?? first) + 1
            guard let states = packed.states(range) else { return true }
            decoded += states.count
            turn.spend(states.count)
            for place in slice { search.look(at: states[place - first], packed.times[place]) }
        }
        return true
    }

    private mutating func lookIntoRows(_ source: SampleSource, _ turn: inout ReadingTurn) throws -> Bool {
        var left =
            rows ?? HistoryFile.sorted(source.view.rows.filter { search.isOpen($0.at) })[...]
        while let row = left.first {
            guard !turn.isOver else {
                rows = left
                return false
            }
            left.removeFirst()
            guard search.isOpen(row.at), let sample = try source.sample(row) else { continue }
            decoded += 1
            turn.spend(1)
            search.look(at: sample.state, sample.at)
        }
        return true
    }
}
