import Bindings
import GRDB

/// Sums are packed span by span, those of all things of an interval together.
///
/// What is before the end of packing is packed, and what is behind it is in `sums`: no group is in both.
extension HistoryFile {
    /// How long a span is over before it is packed, milliseconds: by then its sums are stored.
    private static let packingDelay = sumsTime

    /// Groups of a thing that begin before this time are packed, and others are not.
    func packedEnd(of number: Int64, _ interval: GroupInterval) -> Int64 {
        guard let key = packedEnds[interval] else { return .min }
        let start = ThingKey.start(of: key)
        return number < ThingKey.number(of: key) ? start + PackedSums.length(of: interval) : start
    }

    /// Packs some of the sums that are due.
    ///
    /// - Parameter now: Milliseconds since 1970.
    /// - Returns: Whether there are more.
    func packSums(at now: Int64) throws(HistoryError) -> Bool {
        let numbers = Dictionary(grouping: things.values, by: \.interval).mapValues {
            $0.map(\.number).sorted()
        }
        var ends = packedEnds
        let isMore = try write { database in
            var left = packing.rows
            for (interval, numbers) in numbers {
                while let part = try nextPart(
                    of: interval,
                    numbers,
                    from: ends[interval] ?? ThingKey.legalSums.lowerBound,
                    before: now - Self.packingDelay,
                    database
                ) {
                    guard left > 0 else { return true }
                    left -= try Self.pack(part, database)
                    try Self.set(interval.rawValue, part.next, database)
                    ends[interval] = part.next
                }
            }
            return false
        }
        packedEnds = ends
        return isMore
    }

    /// Some things of an interval with a span of their groups.
    private struct Part {
        let interval: GroupInterval
        /// When the span begins.
        let start: Int64
        /// Of the things, in order.
        let numbers: ArraySlice<Int64>
        /// The end of packing when it is packed.
        let next: Int64
    }

    /// What is packed next; `nil` if nothing is due.
    ///
    /// - Parameters:
    ///   - numbers: Of all things of the interval, in order.
    ///   - end: The end of packing.
    private func nextPart(
        of interval: GroupInterval,
        _ numbers: [Int64],
        from end: Int64,
        before time: Int64,
        _ database: Database
    ) throws -> Part? {
        let sql = "SELECT key FROM sums WHERE key >= ? ORDER BY key LIMIT 1"
        guard let first = try Int64.fetchOne(database, sql: sql, arguments: [end]) else { return nil }
        // Spans that have no groups at all are passed over.
        let key = max(end, ThingKey.sums(PackedSums.start(of: ThingKey.start(of: first), interval), 0))
        let start = ThingKey.start(of: key)
        let spanEnd = start + PackedSums.length(of: interval)
        guard spanEnd <= time else { return nil }
        let rest = numbers.drop { $0 < ThingKey.number(of: key) }
        let part = rest.prefix(packing.things)
        let next =
            if part.count < rest.count, let last = part.last {
                ThingKey.sums(start, last + 1)
            } else {
                ThingKey.sums(spanEnd, 0)
            }
        return Part(interval: interval, start: start, numbers: part, next: next)
    }

    /// - Returns: How many rows were looked for and found.
    private static func pack(_ part: Part, _ database: Database) throws -> Int {
        guard let first = part.numbers.first, let last = part.numbers.last else { return 1 }
        let numbers = Set(part.numbers)
        var keys: [Int64] = []
        var groups: [Int64: [PackedSums.Group]] = [:]
        for place in 0..<PackedSums.groups {
            let start = part.start + place * part.interval.milliseconds
            try database.forEach(
                "SELECT body, key FROM sums WHERE key >= ? AND key <= ?",
                [ThingKey.sums(start, first), ThingKey.sums(start, last)]
            ) { bytes, key in
                let number = ThingKey.number(of: key)
                guard numbers.contains(number) else { return }
                groups[number, default: []].append(PackedSums.Group(place: place, bytes: bytes[...]))
                keys.append(key)
            }
        }
        let end = part.start + PackedSums.length(of: part.interval)
        for (number, groups) in groups.sorted(by: { $0.key < $1.key }) {
            try addPacked(groups, at: ThingKey.sums(end, number), database)
        }
        for key in keys { try database.run("DELETE FROM sums WHERE key = ?", [key]) }
        return Int(PackedSums.groups) + keys.count
    }

    /// Adds sums to those of a row, or makes it.
    static func addPacked(_ groups: [PackedSums.Group], at key: Int64, _ database: Database) throws {
        let stored = try database.bytes("SELECT body FROM packed_sums WHERE key = ?", key)
        let all = (stored.map { Array(PackedSums($0)) } ?? []) + groups
        try PackedSums.bytes(of: all).withUnsafeBytes { bytes in
            try database.run("INSERT OR REPLACE INTO packed_sums (key, body) VALUES (?, ?)", [key], bytes)
        }
    }
}
