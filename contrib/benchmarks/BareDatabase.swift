import GRDBSQLite

/// The least that a stored change costs: one row of one table, written by SQLite in a transaction of its own.
final class BareDatabase {
    private var database: OpaquePointer?
    private var statement: OpaquePointer?

    /// - Parameter document: What the row holds at first.
    init(file: String, document: String) throws(BareDatabaseError) {
        guard sqlite3_open(file, &database) == SQLITE_OK else { throw failure("open") }
        for sql in [
            "PRAGMA locking_mode = EXCLUSIVE", "PRAGMA journal_mode = WAL", "PRAGMA synchronous = NORMAL",
            "CREATE TABLE device (sequence INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, document TEXT NOT NULL) STRICT",
            "INSERT INTO device VALUES (1, 'one', '\(document)')",
        ] {
            guard sqlite3_exec(database, sql, nil, nil, nil) == SQLITE_OK else { throw failure(sql) }
        }
        let update = "UPDATE device SET document = ? WHERE sequence = 1"
        guard sqlite3_prepare_v2(database, update, -1, &statement, nil) == SQLITE_OK else {
            throw failure(update)
        }
    }

    deinit {
        sqlite3_finalize(statement)
        sqlite3_close(database)
    }

    func write(_ document: [UInt8]) throws(BareDatabaseError) {
        let isWritten = document.withUnsafeBytes { bytes in
            let text = bytes.baseAddress?.assumingMemoryBound(to: CChar.self)
            // Without a destructor the bytes must last until the step is done, which they do.
            sqlite3_bind_text(statement, 1, text, Int32(clamping: bytes.count), nil)
            return sqlite3_step(statement) == SQLITE_DONE
        }
        sqlite3_reset(statement)
        guard isWritten else { throw failure("write") }
    }

    private func failure(_ what: String) -> BareDatabaseError {
        BareDatabaseError(description: "\(what): \(String(cString: sqlite3_errmsg(database)))")
    }
}

struct BareDatabaseError: Error, CustomStringConvertible {
    let description: String
}
