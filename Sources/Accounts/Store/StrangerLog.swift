/// Refusals of those whom nobody knows, and of users who have very many, until they are written: one row for each
/// caller and address, with a count.
///
/// However many there are, they take little memory, and nothing of what users did. In a minute they are no more rows than
/// there is room for, so that who makes up names or addresses pushes out no earlier refusals of others within minutes.
struct StrangerLog: Sendable {
    private struct Key: Hashable {
        let caller: String
        let source: String?
    }

    /// The most rows at once, and of a minute; further refusals are one row together.
    private static let capacity = 256
    private static let others = "others"

    private var rows: [Key: CommandLogEntry] = [:]
    /// Who had a row of their own in a minute, also one that was written since.
    private var seen: Set<Key> = []
    private var minute: Int64 = 0

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
        if !hasRow(key, at: entry.at) {
            // Names may be made up as well as addresses.
            (entry.caller, entry.source) = (Self.others, Self.others)
            key = Key(caller: entry.caller, source: entry.source)
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

    /// Whether somebody has a row of their own, or gets one.
    private mutating func hasRow(_ key: Key, at now: Int64) -> Bool {
        if now / 60_000 != minute { (minute, seen) = (now / 60_000, []) }
        let isKnown = rows[key] != nil || seen.contains(key)
        guard isKnown || max(rows.count, seen.count) < Self.capacity else { return false }
        if seen.count < Self.capacity { seen.insert(key) }
        return true
    }
}
