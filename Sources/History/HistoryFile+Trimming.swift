import Bindings
import GRDB
import People

extension HistoryFile {
    /// Rows that are removed in one step.
    private static let step = 5000
    private static let roundsInStep = 50
    /// Pages that are given back in one step.
    private static let pages = 4000

    // MARK: Limits

    /// Removes what is too old, and what there is too much of, the oldest first.
    ///
    /// - Returns: Whether there is more to be removed.
    func trim(_ limits: HistoryLimits, at now: Int64) throws(HistoryError) -> Bool {
        let isOlder = try trimRounds(before: limits.samplesEnd(at: now))
        try trimSums(before: limits.sumsEnd(at: now))
        for _ in 0..<Self.roundsInStep {
            guard try usedBytes() > limits.maximumBytes else {
                try giveBack(limits.maximumBytes)
                return isOlder
            }
            if let round = rounds.first {
                try remove(round)
            } else if try !trimOldestSums() {
                return isOlder
            }
        }
        return true
    }

    private func trimRounds(before time: Int64) throws(HistoryError) -> Bool {
        for _ in 0..<Self.roundsInStep {
            guard let round = rounds.first, round.end < time else { return false }
            try remove(round)
        }
        return true
    }

    private func remove(_ round: Round) throws(HistoryError) {
        let from = max(samplesFrom ?? .min, round.end + 1)
        let keys = ThingKey.packed(round.number)
        try write { database in
            try database.run(
                "DELETE FROM packed WHERE key >= ? AND key < ?",
                [keys.lowerBound, keys.upperBound]
            )
            try database.run("DELETE FROM round WHERE number = ?", [round.number])
            try Self.set(.samplesFrom, from, database)
        }
        rounds.removeFirst()
        lastRemovedRound = max(lastRemovedRound, round.number)
        samplesFrom = from
    }

    private func trimSums(before time: Int64) throws(HistoryError) {
        guard time > sumsFrom ?? .min else { return }
        let key = ThingKey.sums(GroupInterval.minute.start(of: time), 0)
        let isTrimmed = try write { database in
            try database.run("DELETE FROM sums WHERE key < ?", [key])
            var count = database.changesCount
            // Those of which all groups are too old.
            try database.run("DELETE FROM packed_sums WHERE key < ?", [key])
            count += database.changesCount
            guard count > 0 else { return false }
            try Self.set(.sumsFrom, time, database)
            return true
        }
        if isTrimmed { sumsFrom = time }
    }

    /// Removes a tenth of the time of which there are sums.
    ///
    /// - Returns: Whether there were any.
    private func trimOldestSums() throws(HistoryError) -> Bool {
        let starts = try read { database -> ClosedRange<Int64>? in
            let ends = try ["sums", "packed_sums"].flatMap { table -> [Int64] in
                try ["MIN", "MAX"].compactMap {
                    try Int64.fetchOne(database, sql: "SELECT \($0)(key) FROM \(table)")
                }
            }
            guard let first = ends.min(), let last = ends.max() else { return nil }
            return ThingKey.start(of: first)...ThingKey.start(of: last)
        }
        guard let starts else { return false }
        let length = (starts.upperBound &- starts.lowerBound) / 10
        try trimSums(before: starts.lowerBound &+ max(length, GroupInterval.minute.milliseconds))
        return true
    }

    private func usedBytes() throws(HistoryError) -> Int64 {
        try read { database in
            let pages = try Int64.fetchOne(database, sql: "PRAGMA page_count") ?? 0
            let free = try Int64.fetchOne(database, sql: "PRAGMA freelist_count") ?? 0
            return (pages - free) * (try Int64.fetchOne(database, sql: "PRAGMA page_size") ?? 0)
        }
    }

    /// Makes the file smaller if it is larger than it may be: what was removed leaves pages without use.
    private func giveBack(_ maximum: Int64) throws(HistoryError) {
        try perform { database in
            let pages = try Int64.fetchOne(database, sql: "PRAGMA page_count") ?? 0
            let size = try Int64.fetchOne(database, sql: "PRAGMA page_size") ?? 0
            guard pages * size > maximum else { return }
            try database.execute(sql: "PRAGMA incremental_vacuum(\(Self.pages))")
        }
    }

    // MARK: Things

    /// Forgets the history of a thing; its rows are removed by ``removeRows(_:)``.
    func remove(_ id: BindingID) throws(HistoryError) {
        guard let thing = things[id] else { return }
        try write { database in
            try database.run("UPDATE thing SET id = NULL WHERE number = ?", [thing.number])
            for row in self.tail.rows[thing.number] ?? [] {
                try database.run("DELETE FROM sample WHERE row = ?", [row.row])
            }
        }
        things[id] = nil
        tail.count -= tail.rows.removeValue(forKey: thing.number)?.count ?? 0
        sums.things[thing.number] = nil
        removed.append(thing.number)
    }

    /// Where the removal of a thing's rows has come to.
    struct Removal {
        fileprivate let number: Int64
        fileprivate var packed: Int64? = .min
        fileprivate var sums: Int64? = .min
        fileprivate var packedSums: Int64? = .min

        init(of number: Int64) { self.number = number }
    }

    /// Removes some rows of a thing that is gone.
    ///
    /// - Returns: What is to be done next; `nil` if nothing is left.
    func removeRows(_ removal: Removal) throws(HistoryError) -> Removal? {
        var removal = removal
        let number = removal.number
        return try write { database in
            if let key = removal.packed {
                removal.packed = try Self.removeRows("packed", of: number, from: key, database)
            } else if let key = removal.sums {
                removal.sums = try Self.removeRows("sums", of: number, from: key, database)
            } else if let key = removal.packedSums {
                removal.packedSums = try Self.removeRows("packed_sums", of: number, from: key, database)
            } else {
                try database.run("DELETE FROM sample WHERE thing = ?", [number])
                try database.run("DELETE FROM thing WHERE number = ?", [number])
                return nil
            }
            return removal
        }
    }

    /// - Returns: The key from which to go on; `nil` at the end.
    private static func removeRows(
        _ table: String,
        of number: Int64,
        from key: Int64,
        _ database: Database
    ) throws -> Int64? {
        let next = try Int64.fetchOne(
            database,
            sql: "SELECT key FROM \(table) WHERE key >= ? ORDER BY key LIMIT 1 OFFSET \(step)",
            arguments: [key]
        )
        try database.execute(
            sql: "DELETE FROM \(table) WHERE key >= ? AND key < ? AND key & ? = ?",
            arguments: [key, next ?? .max, ThingKey.maximumNumber, number]
        )
        return next
    }
}
