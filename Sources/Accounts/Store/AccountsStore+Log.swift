import GRDB
import People

extension AccountsStore {
    private static let longest = 4096
    /// Refusals that are equal and so close are one row, milliseconds.
    private static let minute: Int64 = 60_000
    /// The most rows of strangers.
    private static let mostOfStrangers: Int64 = 10_000

    /// Appends entries in order, and removes what is beyond the limits.
    ///
    /// - Parameters:
    ///   - strangers: Condensed refusals of those whom nobody knows. They have numbers and a limit of their own, so that
    ///     they never push out what users did.
    ///   - unnamed: The users of those who do not sign in.
    static func append(
        _ entries: [CommandLogEntry],
        strangers: [CommandLogEntry],
        limits: LogLimits,
        unnamed: [Interface: String],
        _ database: Database
    ) throws {
        guard let newest = [entries, strangers].compactMap({ $0.lazy.map(\.at).max() }).max() else { return }
        var insertion = try RepeatedStatement(Self.insertion, database)
        for entry in entries { try append(entry, &insertion, database) }
        for entry in strangers { try appendStranger(entry, &insertion, database) }
        try removeOld(at: newest, limits: limits, unnamed: unnamed, database)
        guard !strangers.isEmpty else { return }
        // Their numbers go down.
        try database.execute(
            sql: "DELETE FROM command WHERE seq < 0 AND seq >= (SELECT min(seq) FROM command) + ?",
            arguments: [min(max(0, limits.rows), Self.mostOfStrangers)]
        )
    }

    /// Removes rows of users that are beyond the limits.
    static func removeOld(
        at now: Int64,
        limits: LogLimits,
        unnamed: [Interface: String],
        _ database: Database
    ) throws {
        let days = min(max(0, limits.days), 100_000)
        try database.cachedStatement(sql: "DELETE FROM command WHERE at < ?")
            .execute(arguments: [max(now, 0) - days * 86_400_000])
        try trim(to: min(max(0, limits.rows), 1_000_000_000), unnamed, database)
    }

    /// Removes rows of users beyond a limit, the oldest first.
    ///
    /// Of refusals beyond a quarter of it, first those of the caller who has most, so that nobody pushes out what others
    /// did by what is refused. Those who do not sign in have a quarter too; first go those of the interface with most.
    private static func trim(to most: Int64, _ unnamed: [Interface: String], _ database: Database) throws {
        func number(_ sql: String) throws -> Int64 {
            try Int64.fetchOne(database.cachedStatement(sql: sql)) ?? 0
        }
        func remove(_ condition: String, _ arguments: StatementArguments) throws {
            try database.execute(
                sql:
                    "DELETE FROM command WHERE seq IN (SELECT seq FROM command WHERE \(condition) ORDER BY seq LIMIT ?)",
                arguments: arguments
            )
        }
        // Most times the numbers alone say that there is room.
        let last = "SELECT max(seq) FROM command"
        let first = "SELECT min(seq) FROM command WHERE seq > 0"
        guard try number("SELECT (\(last)) - (\(first))") >= most else { return }
        let all = "SELECT COUNT(*) FROM command INDEXED BY command_at WHERE seq > 0"
        var excess = try number(all) - most
        guard excess > 0 else { return }
        let refused = "FROM command INDEXED BY command_refused WHERE code IS NOT NULL AND seq > 0"
        let surplus = try number("SELECT COUNT(*) \(refused)") - most / 4
        if surplus > 0,
            let caller = try String.fetchOne(
                database,
                sql: "SELECT speaker \(refused) GROUP BY speaker ORDER BY COUNT(*) DESC LIMIT 1"
            )
        {
            // A few more at once, so that this is seldom.
            let condition = "code IS NOT NULL AND seq > 0 AND speaker = ?"
            try remove(condition, [caller, min(surplus, excess + most / 100)])
            excess -= Int64(database.changesCount)
        }
        guard excess > 0 else { return }
        // Without an index, as this is seldom.
        let of = "seq > 0 AND face = ? AND speaker = ?"
        let unsigned = try unnamed.map { interface, name in
            let caller: StatementArguments = [interface.rawValue, "user:\(name)"]
            let sql = "SELECT COUNT(*) FROM command WHERE \(of)"
            return (caller, rows: try Int64.fetchOne(database, sql: sql, arguments: caller) ?? 0)
        }
        let beyond = unsigned.reduce(0) { $0 + $1.rows } - most / 4
        if beyond > 0, let (caller, _) = unsigned.max(by: { $0.rows < $1.rows }) {
            try remove(of, caller + [min(beyond, excess + most / 100)])
            excess -= Int64(database.changesCount)
        }
        if excess > 0 { try remove("seq > 0", [excess + most / 100]) }
    }

    /// Counts a refusal in the row of its address and minute, or adds a row.
    private static func appendStranger(
        _ entry: CommandLogEntry,
        _ insertion: inout RepeatedStatement,
        _ database: Database
    ) throws {
        try database.execute(
            sql: """
                UPDATE command SET times = times + ?, target = CASE WHEN target IS ? THEN target END
                WHERE seq = (SELECT seq FROM command
                    WHERE seq < 0 AND at > ? AND at <= ? AND source IS ? AND speaker = ? ORDER BY at DESC LIMIT 1)
                """,
            arguments: [
                max(1, entry.times), clipped(entry.target), entry.at - minute, entry.at,
                clipped(entry.source),
                entry.caller,
            ]
        )
        guard database.changesCount == 0 else { return }
        let last = try Int64.fetchOne(database, sql: "SELECT min(seq) FROM command") ?? 0
        try insert(entry, seq: min(0, last) - 1, &insertion)
    }

    private static func append(
        _ entry: CommandLogEntry,
        _ insertion: inout RepeatedStatement,
        _ database: Database
    ) throws {
        if entry.code != nil {
            let statement = try database.cachedStatement(
                sql: """
                    UPDATE command SET times = times + ? WHERE seq = (
                        SELECT seq FROM command INDEXED BY command_refused
                        WHERE at > ? AND at <= ? AND code = ? AND state = ? AND face = ?
                            AND speaker = ? AND kind = ? AND source IS ? AND target IS ? AND slug IS ? AND actions IS ?
                            AND details IS ?
                        ORDER BY seq DESC LIMIT 1)
                    """
            )
            try statement.execute(arguments: [
                max(1, entry.times), entry.at - minute, entry.at, clipped(entry.code), entry.state,
                entry.interface,
                entry.caller, entry.kind, clipped(entry.source), clipped(entry.target), clipped(entry.slug),
                clipped(entry.actions), entry.storedDetails,
            ])
            if database.changesCount > 0 { return }
        }
        try insert(entry, seq: nil, &insertion)
    }

    private static let insertion = """
        INSERT INTO command (seq, id, at, epoch, face, speaker, source, kind, target, slug, actions, results, state,
            code, tx, took_ms, times, details) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        """

    /// - Parameter seq: `nil` for the next number.
    private static func insert(
        _ entry: CommandLogEntry,
        seq: Int64?,
        _ insertion: inout RepeatedStatement
    ) throws {
        try insertion.run { values in
            values.add(seq)
            values.add(clipped(entry.id))
            values.add(entry.at)
            values.add(entry.epoch)
            values.add(entry.interface)
            values.add(entry.caller)
            values.add(clipped(entry.source))
            values.add(clipped(entry.kind))
            values.add(clipped(entry.target))
            values.add(clipped(entry.slug))
            values.add(clipped(entry.actions))
            values.add(clipped(entry.results))
            values.add(entry.state)
            values.add(clipped(entry.code))
            values.add(clipped(entry.tx))
            values.add(entry.took)
            values.add(max(1, entry.times))
            values.add(entry.storedDetails)
        }
    }

    static func clipped(_ text: String?) -> String? {
        text.map { $0.utf8.count > longest ? String($0.unicodeScalars.prefix(longest)) : $0 }
    }

    /// Whether a row is about something in the place, and not about a user, who may have the name of a thing.
    private static let isAboutPlace = """
        substr(kind, 1, instr(kind || ' ', ' ') - 1) NOT IN ('user', 'group', 'grant', 'share', 'token', 'session', \
        'contact', 'sign-in', 'sign', 'verify', 'forgot')
        """

    /// The newest rows that are asked for; newest last.
    package func log(_ query: LogQuery = LogQuery()) throws(AccountsError) -> [CommandLogEntry] {
        try read { database in
            let ofUsers = try Self.rows(query, from: 1, before: query.before ?? .max, database)
            guard query.before == nil else { return ofUsers }
            // They have numbers of their own, so only their times say where they belong.
            let ofStrangers = try Self.rows(query, from: .min, before: 0, database)
            return Self.merged(ofUsers[...], ofStrangers[...]).suffix(max(0, query.limit)).map { $0 }
        }
    }

    /// The newest of the rows with these numbers that are asked for, newest last.
    ///
    /// The numbers of users go up from 1, those of strangers down from -1.
    private static func rows(
        _ query: LogQuery,
        from first: Int64,
        before end: Int64,
        _ database: Database
    ) throws -> [CommandLogEntry] {
        let newest = "ORDER BY seq \(first > 0 ? "DESC" : "ASC") LIMIT ?5"
        let isWanted = """
            seq >= ?1 AND seq < ?2 AND (?3 IS NULL OR speaker = ?3) AND (?4 IS NULL OR at >= ?4)
            """
        var arguments: StatementArguments = [first, end, query.caller, query.since, max(0, query.limit)]
        let sql: String
        switch query.object {
        case nil:
            sql = "SELECT * FROM command WHERE \(isWanted) \(newest)"
        case .name(let name):
            arguments += [name]
            sql = """
                SELECT * FROM command WHERE \(isWanted) AND (target = ?6 OR slug = ?6) AND \(isAboutPlace) \(newest)
                """
        case .id(let id):
            arguments += [id]
            // Each of the two reads no more than the limit, so that an object with many rows costs no more than another.
            sql = """
                SELECT * FROM (SELECT * FROM command INDEXED BY command_target
                    WHERE target = ?6 AND \(isWanted) AND \(isAboutPlace) \(newest))
                UNION ALL
                SELECT * FROM (SELECT * FROM command INDEXED BY command_unresolved
                    WHERE target IS NULL AND slug = ?6 AND \(isWanted) AND \(isAboutPlace) \(newest))
                \(newest)
                """
        }
        return try Row.fetchAll(database, sql: sql, arguments: arguments).reversed().map {
            CommandLogEntry($0)
        }
    }

    /// Whether there is a row of somebody.
    package func hasLog(of caller: String) throws(AccountsError) -> Bool {
        try read {
            try Bool.fetchOne(
                $0,
                sql: "SELECT EXISTS (SELECT 1 FROM command WHERE speaker = ?)",
                arguments: [caller]
            )
                ?? false
        }
    }

    /// Two lists in the order of their times; each keeps its own order.
    private static func merged(
        _ first: ArraySlice<CommandLogEntry>,
        _ second: ArraySlice<CommandLogEntry>
    ) -> [CommandLogEntry] {
        var (first, second, all) = (first, second, [CommandLogEntry]())
        while let left = first.first, let right = second.first {
            if left.at <= right.at {
                all.append(left)
                first.removeFirst()
            } else {
                all.append(right)
                second.removeFirst()
            }
        }
        return all + first + second
    }
}
