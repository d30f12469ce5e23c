package import GRDB
import Text

/// When rules fired, and what they remember over a restart.
///
/// - Source: contrib/contract/rules.md, "Firing" and "Tables, limits, speed".
extension AccountsStore {
    // MARK: Starting

    /// What is remembered of each rule, as it was stored; a damaged row is left out.
    package func ruleMemories() throws(AccountsError) -> [Int: String] {
        try read { database in
            defer { database.releaseMemory() }
            var memories: [Int: String] = [:]
            let sql = "SELECT rule, memory FROM rule_state WHERE rule IN (SELECT id FROM rule)"
            let rows = try Row.fetchCursor(database, sql: sql)
            while let row = try rows.next() {
                let id: Int = row["rule"]
                memories[id] = try? StoredColumns(row).value("memory") as String
            }
            return memories
        }
    }

    /// Keeps the largest number before rows are removed, since numbers are never used again.
    private static func keepFiringNumber(_ database: Database) throws {
        let largest = "SELECT max(seq) AS seq FROM firing WHERE seq BETWEEN 0 AND ?"
        let sql = """
            UPDATE sqlite_sequence SET seq = max(sqlite_sequence.seq, last.seq) FROM (\(largest)) AS last
            WHERE name = 'firing' AND last.seq IS NOT NULL
            """
        let values: StatementArguments = [StoredFiring.largestNumber]
        try database.execute(sql: sql, arguments: values)
        guard database.changesCount == 0 else { return }
        try database.execute(
            sql: """
                INSERT INTO sqlite_sequence (name, seq) SELECT 'firing', last.seq FROM (\(largest)) AS last
                WHERE last.seq IS NOT NULL AND NOT EXISTS (SELECT 1 FROM sqlite_sequence WHERE name = 'firing')
                """,
            arguments: values
        )
    }

    /// The largest number that a firing had, also if its row is gone; 0 if there was none.
    package func lastFiringNumber() throws(AccountsError) -> Int64 {
        try read { database in
            // The numbers of damaged rows are not counted on from.
            let sql = """
                SELECT max(seq) FROM (
                    SELECT max(seq) AS seq FROM firing WHERE seq BETWEEN 0 AND ?1
                    UNION ALL SELECT seq FROM sqlite_sequence WHERE name = 'firing' AND seq BETWEEN 0 AND ?1)
                """
            return try Int64.fetchOne(database, sql: sql, arguments: [StoredFiring.largestNumber]) ?? 0
        }
    }

    /// Ends the firings of other runs of the daemon that have not ended: it stopped before their actions had.
    ///
    /// - Parameter epoch: That of this run.
    /// - Returns: How many there were.
    @discardableResult
    package func interruptFirings(notOf epoch: String) throws(AccountsError) -> Int {
        try write { database in
            try database.execute(
                sql: """
                    UPDATE firing INDEXED BY firing_open SET outcome = ? WHERE outcome IS NULL AND epoch <> ?
                    """,
                arguments: [StoredFiring.Outcome.interrupted.rawValue, epoch]
            )
            return database.changesCount
        }
    }

    // MARK: Reading

    /// The newest firings of a rule, newest last; damaged rows are left out.
    ///
    /// - Parameters:
    ///   - id: The number of a rule; it may have been removed.
    ///   - limit: The most rows.
    ///   - seq: Only firings with smaller numbers, which are older.
    package func firings(
        ofRule id: Int,
        limit: Int,
        before seq: Int64? = nil
    ) throws(AccountsError) -> [StoredFiring] {
        try read { database in
            let rows = try Row.fetchAll(
                database,
                sql: "SELECT * FROM firing WHERE rule = ? AND seq < ? ORDER BY seq DESC LIMIT ?",
                arguments: [id, seq ?? .max, max(0, limit)]
            )
            return rows.reversed().compactMap { StoredFiring($0) }
        }
    }

    /// The newest firing of each rule that has fired; damaged rows are left out.
    package func lastFirings() throws(AccountsError) -> [Int: StoredFiring] {
        try read { database in
            defer { database.releaseMemory() }
            let sql = """
                SELECT firing.* FROM rule JOIN firing
                ON firing.seq = (SELECT max(seq) FROM firing WHERE firing.rule = rule.id)
                """
            let firings = try Row.fetchAll(database, sql: sql).compactMap { StoredFiring($0) }
            return Dictionary(firings.map { ($0.rule, $0) }) { first, _ in first }
        }
    }

    /// The newest firing of each of these rules, without its results; damaged rows are left out.
    ///
    /// What was refused, as a loop or as too many, is no firing.
    /// Results may be long, and there may be thousands of other rules.
    package func lastFirings(ofRules ids: [Int]) throws(AccountsError) -> [Int: StoredFiring] {
        try read { database in
            let statement = try database.cachedStatement(
                sql: """
                    SELECT seq, epoch, rule, at, why, outcome, NULL AS results, NULL AS took_ms FROM firing
                    WHERE rule = ? AND (outcome IS NULL OR outcome NOT IN ('limited', 'loop'))
                    ORDER BY seq DESC LIMIT 1
                    """
            )
            var firings: [Int: StoredFiring] = [:]
            for id in ids {
                guard let row = try Row.fetchOne(statement, arguments: [id]) else { continue }
                firings[id] = StoredFiring(row)
            }
            return firings
        }
    }

    // MARK: Limits

    /// Removes firings that are too old, and the oldest of those that are too many.
    ///
    /// It counts rows, so it is not for every firing.
    /// - Parameters:
    ///   - time: Older ones are removed; milliseconds since 1970, UTC.
    ///   - most: How many stay.
    package func trimFirings(before time: Int64, rows most: Int) throws(AccountsError) {
        try write { database in
            try Self.keepFiringNumber(database)
            try database.execute(sql: "DELETE FROM firing WHERE at < ?", arguments: [time])
            let excess = try Self.count(database, "firing") - max(0, most)
            guard excess > 0 else { return }
            try database.execute(
                sql: "DELETE FROM firing WHERE seq IN (SELECT seq FROM firing ORDER BY seq LIMIT ?)",
                arguments: [excess]
            )
        }
    }
}

extension AccountsStore {
    /// Removes the oldest firings beyond a limit.
    ///
    /// It looks at numbers alone, and costs little if there is nothing to remove: thousands come in a minute.
    /// - Parameter most: How many stay at most; fewer, where numbers are missing.
    package func trimFirings(rows most: Int) throws(AccountsError) {
        try write { database in
            // It would keep a number in vain each minute.
            let newest = """
                (SELECT max(seq) FROM firing WHERE seq BETWEEN 0 AND ?) - ?
                """
            let values: StatementArguments = [StoredFiring.largestNumber, max(0, most)]
            let sql = "SELECT EXISTS (SELECT 1 FROM firing WHERE seq <= \(newest))"
            guard try Bool.fetchOne(database, sql: sql, arguments: values) == true else { return }
            try Self.keepFiringNumber(database)
            try database.execute(sql: "DELETE FROM firing WHERE seq <= \(newest)", arguments: values)
        }
    }
}

// MARK: - Records

/// What is written in the transaction of the daemon's other records.
///
/// None of these fails for what is there or is gone: a rule may be removed while its record is on the way, and an error
/// would undo all the records with it.
extension AccountsStore {
    /// Stores a firing, before its actions are done.
    ///
    /// A record that is written again replaces itself. Tokens are masked, since a value may be anything.
    package static func save(_ firing: StoredFiring, _ database: Database) throws {
        var statement = try RepeatedStatement(
            """
            INSERT OR REPLACE INTO firing (seq, epoch, rule, at, why, outcome, results, took_ms)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?)
            """,
            database
        )
        try statement.run { values in
            values.add(firing.seq)
            values.add(firing.epoch)
            values.add(Int64(firing.rule))
            values.add(firing.at)
            values.add(clipped(SecretMask.tokens.masked(firing.why)))
            values.add(firing.outcome?.rawValue)
            values.add(firing.results.map { SecretMask.tokens.masked($0) })
            values.add(firing.tookMilliseconds)
        }
    }

    /// Stores how a firing ended; one that is gone is no error.
    ///
    /// - Parameters:
    ///   - results: JSON, in which tokens are masked.
    ///   - took: Milliseconds from the firing to the end of its last action.
    package static func endFiring(
        _ seq: Int64,
        _ outcome: StoredFiring.Outcome,
        results: String?,
        tookMilliseconds took: Int64?,
        _ database: Database
    ) throws {
        var statement = try RepeatedStatement(
            "UPDATE firing SET outcome = ?, results = ?, took_ms = ? WHERE seq = ?",
            database
        )
        try statement.run { values in
            values.add(outcome.rawValue)
            values.add(results.map { SecretMask.tokens.masked($0) })
            values.add(took)
            values.add(seq)
        }
    }

    /// Stores what a rule remembers; nothing is remembered of a rule that is gone.
    ///
    /// - Parameter memory: JSON.
    package static func setMemory(_ memory: String, ofRule id: Int, _ database: Database) throws {
        var statement = try RepeatedStatement(
            "INSERT OR REPLACE INTO rule_state (rule, memory) SELECT id, ? FROM rule WHERE id = ?",
            database
        )
        try statement.run { values in
            values.add(memory)
            values.add(Int64(id))
        }
    }

    /// Switches a rule on or off, as one whose only moment is over; one that is gone is no error.
    package static func switchRule(_ id: Int, isEnabled: Bool, _ database: Database) throws {
        try database.execute(
            sql: "UPDATE rule SET enabled = ? WHERE id = ?",
            arguments: [isEnabled ? 1 : 0, id]
        )
    }
}
