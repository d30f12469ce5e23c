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
