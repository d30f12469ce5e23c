/// Refusals of those whom nobody knows, and of users who have very many, until they are written: one row for each
/// caller and address, with a count.
///
/// However many there are, they take little memory, and nothing of what users did.
struct StrangerLog: Sendable {
    private struct Key: Hashable {
        let caller: String
        let source: String?
    }

    /// The most rows; the refusals of further addresses are one row together.
    private static let capacity = 256
    private static let others = "others"

    private var rows: [Key: CommandLogEntry] = [:]

    var isEmpty: Bool { rows.isEmpty }

    /// Counts a refusal; what the stranger chose is left out.
    mutating func add(_ entry: CommandLogEntry) {
        var row = entry
        row.source = GuessAddress.network(of: entry.source)
        (row.id, row.slug, row.actions, row.results, row.tx, row.took) = (nil, nil, nil, nil, nil, nil)
        merge(row)
    }

    /// Adds rows that could not be written.
    mutating func restore(_ entries: [CommandLogEntry]) {
        for entry in entries { merge(entry) }
    }

    /// The rows, oldest first; there are none afterwards.
    mutating func take() -> [CommandLogEntry] {
        defer { rows = [:] }
        return rows.values.sorted { ($0.at, $0.source ?? "") < ($1.at, $1.source ?? "") }
    }

    private mutating func merge(_ entry: CommandLogEntry) {
        var entry = entry
        var key = Key(caller: entry.caller, source: entry.source)
        if rows[key] == nil, rows.count >= Self.capacity {
            entry.source = Self.others
            key = Key(caller: entry.caller, source: Self.others)
        }
        guard let known = rows[key] else {
            rows[key] = entry
            return
        }
        var row = known.at <= entry.at ? known : entry
        row.times = known.times &+ entry.times
        if known.target != entry.target { row.target = nil }
        rows[key] = row
    }
}
