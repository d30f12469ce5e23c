import GRDBSQLite

/// The least that a history can be: a table that states are appended to, and one of sums, written by SQLite.
final class BareHistory {
    /// A state as it is stored.
    struct Entry {
        let thing: Int
        /// Milliseconds since 1970.
        let at: Int64
        /// JSON.
        let state: [UInt8]
    }

    /// The sums of a group.
    struct Sums {
        let thing: Int
        /// When the group begins, milliseconds since 1970.
        let start: Int64
        var count: Int
        var total: Double
    }

    private var database: OpaquePointer?
    private var insertState: OpaquePointer?
    private var insertSums: OpaquePointer?
    private var selectStates: OpaquePointer?
    private var selectSums: OpaquePointer?

    /// Opens or makes the file.
    init(file: String) throws(BareDatabaseError) {
        guard sqlite3_open(file, &database) == SQLITE_OK else { throw failure("open") }
        for sql in [
            "PRAGMA locking_mode = EXCLUSIVE", "PRAGMA journal_mode = WAL", "PRAGMA synchronous = NORMAL",
            "CREATE TABLE IF NOT EXISTS sample (thing INTEGER NOT NULL, at INTEGER NOT NULL, body BLOB NOT NULL) STRICT",
            """
            CREATE TABLE IF NOT EXISTS sums (thing INTEGER NOT NULL, start INTEGER NOT NULL, count INTEGER NOT NULL,
                total REAL NOT NULL, PRIMARY KEY (thing, start)) STRICT, WITHOUT ROWID
            """,
        ] { try execute(sql) }
        insertState = try prepared("INSERT INTO sample VALUES (?, ?, ?)")
        insertSums = try prepared("INSERT INTO sums VALUES (?, ?, ?, ?)")
        selectStates = try prepared(
            """
            SELECT count(*) FROM sample WHERE thing = ? AND at BETWEEN ? AND ?
                AND json_extract(CAST(body AS TEXT), '$.temperature') >= ?
            """
        )
        selectSums = try prepared(
            """
            SELECT count(*), json_group_array(json_object('from', start, 'value', total / count)) FROM sums
                WHERE thing = ? AND start BETWEEN ? AND ?
            """
        )
    }

    deinit {
        for statement in [insertState, insertSums, selectStates, selectSums] { sqlite3_finalize(statement) }
        sqlite3_close(database)
    }

    // MARK: Writing

    /// Stores states in a transaction.
    func append(_ entries: [Entry]) throws(BareDatabaseError) {
        try execute("BEGIN IMMEDIATE")
        for entry in entries {
            sqlite3_bind_int64(insertState, 1, Int64(entry.thing))
            sqlite3_bind_int64(insertState, 2, entry.at)
            let isWritten = entry.state.withUnsafeBytes { bytes in
                // Without a destructor the bytes must last until the step is done, which they do.
                sqlite3_bind_blob(insertState, 3, bytes.baseAddress, Int32(clamping: bytes.count), nil)
                return sqlite3_step(insertState) == SQLITE_DONE
            }
            sqlite3_reset(insertState)
            guard isWritten else { throw failure("append") }
        }
        try execute("COMMIT")
    }

    /// Stores sums in a transaction.
    func add(_ sums: [Sums]) throws(BareDatabaseError) {
        try execute("BEGIN IMMEDIATE")
        for group in sums {
            sqlite3_bind_int64(insertSums, 1, Int64(group.thing))
            sqlite3_bind_int64(insertSums, 2, group.start)
            sqlite3_bind_int64(insertSums, 3, Int64(group.count))
            sqlite3_bind_double(insertSums, 4, group.total)
            let isWritten = sqlite3_step(insertSums) == SQLITE_DONE
            sqlite3_reset(insertSums)
            guard isWritten else { throw failure("add") }
        }
        try execute("COMMIT")
    }

    // MARK: Reading

    /// How many states of a thing have at least this temperature.
    func count(of thing: Int, _ times: ClosedRange<Int64>, from temperature: Double) throws(BareDatabaseError)
        -> Int
    {
        bind(selectStates, thing, times)
        sqlite3_bind_double(selectStates, 4, temperature)
        defer { sqlite3_reset(selectStates) }
        guard sqlite3_step(selectStates) == SQLITE_ROW else { throw failure("count") }
        return Int(sqlite3_column_int64(selectStates, 0))
    }

    /// The groups of a thing: how many there are, after SQLite has made the JSON of an answer of them.
    func groups(of thing: Int, _ times: ClosedRange<Int64>) throws(BareDatabaseError) -> Int {
        bind(selectSums, thing, times)
        defer { sqlite3_reset(selectSums) }
        guard sqlite3_step(selectSums) == SQLITE_ROW, sqlite3_column_bytes(selectSums, 1) > 0 else {
            throw failure("groups")
        }
        return Int(sqlite3_column_int64(selectSums, 0))
    }

    private func bind(_ statement: OpaquePointer?, _ thing: Int, _ times: ClosedRange<Int64>) {
        sqlite3_bind_int64(statement, 1, Int64(thing))
        sqlite3_bind_int64(statement, 2, times.lowerBound)
        sqlite3_bind_int64(statement, 3, times.upperBound)
    }

    // MARK: Statements

    private func execute(_ sql: String) throws(BareDatabaseError) {
        guard sqlite3_exec(database, sql, nil, nil, nil) == SQLITE_OK else { throw failure(sql) }
    }

    private func prepared(_ sql: String) throws(BareDatabaseError) -> OpaquePointer? {
        var statement: OpaquePointer?
        guard sqlite3_prepare_v2(database, sql, -1, &statement, nil) == SQLITE_OK else { throw failure(sql) }
        return statement
    }

    private func failure(_ what: String) -> BareDatabaseError {
        BareDatabaseError(description: "\(what): \(String(cString: sqlite3_errmsg(database)))")
    }
}
