import GRDB

extension AccountsStore {
    private static let longest = 4096
    /// Refusals that are equal and so close are one row, milliseconds.
    private static let minute: Int64 = 60_000

    /// Appends entries in order, in one transaction, and removes what is beyond the limits.
    package func append(_ entries: [CommandLogEntry], limits: LogLimits = LogLimits()) throws(AccountsError) {
        guard let newest = entries.map(\.at).max() else { return }
        try write { database in
            for entry in entries { try Self.append(entry, database) }
            let days = min(max(0, limits.days), 100_000)
            try database.execute(
                sql: "DELETE FROM command WHERE at < ?",
                arguments: [max(newest, 0) - days * 86_400_000]
            )
            // The numbers have no gaps.
            try database.execute(
                sql: "DELETE FROM command WHERE seq <= (SELECT max(seq) FROM command) - ?",
                arguments: [min(max(0, limits.rows), 1_000_000_000)]
            )
        }
    }

    private static func append(_ entry: CommandLogEntry, _ database: Database) throws {
        if entry.code != nil {
            let statement = try database.cachedStatement(
                sql: """
                    UPDATE command SET times = times + ? WHERE seq = (
                        SELECT seq FROM command INDEXED BY command_refused
                        WHERE at > ? AND at <= ? AND code = ? AND state = ? AND face = ?
                            AND speaker = ? AND kind = ? AND source IS ? AND target IS ? AND slug IS ? AND actions IS ?
                        ORDER BY seq DESC LIMIT 1)
                    """
            )
            try statement.execute(arguments: [
                max(1, entry.times), entry.at - minute, entry.at, clipped(entry.code), entry.state,
                entry.face,
                entry.speaker, entry.kind, clipped(entry.source), clipped(entry.target), clipped(entry.slug),
                clipped(entry.actions),
            ])
            if database.changesCount > 0 { return }
        }
        let statement = try database.cachedStatement(
            sql: """
                INSERT INTO command (id, at, epoch, face, speaker, source, kind, target, slug, actions, results, state,
                    code, tx, took_ms, times) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                """
        )
        try statement.execute(arguments: [
            clipped(entry.id), entry.at, entry.epoch, entry.face, entry.speaker, clipped(entry.source),
            entry.kind,
            clipped(entry.target), clipped(entry.slug), clipped(entry.actions), clipped(entry.results),
            entry.state,
            clipped(entry.code), clipped(entry.tx), entry.took, max(1, entry.times),
        ])
    }

    private static func clipped(_ text: String?) -> String? {
        text.map { $0.utf8.count > longest ? String($0.unicodeScalars.prefix(longest)) : $0 }
    }

    /// The newest rows that are asked for; newest last.
    package func log(_ query: LogQuery = LogQuery()) throws(AccountsError) -> [CommandLogEntry] {
        try read { database in
            let rows = try Row.fetchAll(
                database,
                sql: """
                    SELECT * FROM command WHERE (?1 IS NULL OR target = ?1 OR slug = ?1) AND (?2 IS NULL OR speaker = ?2)
                        AND (?3 IS NULL OR at >= ?3) ORDER BY seq DESC LIMIT ?4
                    """,
                arguments: [query.thing, query.user.map { "user:\($0)" }, query.since, max(0, query.limit)]
            )
            return rows.reversed().map { CommandLogEntry($0) }
        }
    }
}
