import GRDB
package import Resolution

/// The one table of a resolver, verbatim: serials in stored form, and their addresses.
///
/// Other processes may read and write it at the same time.
/// - Source: the directory page, "Storage".
package final class ResolverDatabase: Sendable {
    /// A row.
    package struct Entry: Sendable, Hashable {
        package let id: String
        package let address: String?
    }

    package static let schema = "CREATE TABLE devices (ID TEXT PRIMARY KEY, IP TEXT)"

    private let writer: DatabaseQueue
    /// Beside the writer, so that look-ups do not wait for a commit.
    private let reader: DatabaseQueue

    /// Opens the file, and makes it if it is not there.
    /// - Throws: SQLite's error.
    package init(path: String) throws {
        var configuration = Configuration()
        configuration.busyMode = .timeout(5)
        configuration.prepareDatabase { db in
            try db.execute(sql: "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL")
        }
        writer = try DatabaseQueue(path: path, configuration: configuration)
        try writer.write { db in
            if try !db.tableExists("devices") { try db.execute(sql: Self.schema) }
        }
        configuration = Configuration()
        configuration.readonly = true
        configuration.busyMode = .timeout(1)
        reader = try DatabaseQueue(path: path, configuration: configuration)
    }

    package func close() {
        try? reader.close()
        try? writer.close()
    }

    /// The address of a serial; `nil` if it is not known.
    package func address(of serial: StationSerial) throws -> String? {
        // One statement is a transaction of its own.
        try reader.unsafeRead { db in
            let statement = try db.cachedStatement(sql: "SELECT IP FROM devices WHERE ID = ?")
            return try String.fetchOne(statement, arguments: [serial.text])
        }
    }

    /// Stores addresses in one transaction; an entry that is the same already is not written.
    package func store(_ entries: [(serial: StationSerial, address: StationAddress)]) throws {
        try writer.write { db in
            let statement = try db.cachedStatement(
                sql: "INSERT INTO devices (ID, IP) VALUES (?, ?) "
                    + "ON CONFLICT (ID) DO UPDATE SET IP = excluded.IP WHERE IP IS NOT excluded.IP"
            )
            for entry in entries {
                try statement.execute(arguments: [entry.serial.text, entry.address.description])
            }
        }
    }

    /// All rows, by serial.
    package func entries() throws -> [Entry] {
        try reader.read { db in
            try Row.fetchAll(db, sql: "SELECT ID, IP FROM devices ORDER BY ID").map {
                Entry(id: $0["ID"] ?? "", address: $0["IP"])
            }
        }
    }

    /// - Returns: Whether the serial was known.
    package func remove(_ serial: StationSerial) throws -> Bool {
        try writer.write { db in
            try db.execute(sql: "DELETE FROM devices WHERE ID = ?", arguments: [serial.text])
            return db.changesCount > 0
        }
    }
}
