import GRDB
import Glibc
import OperatingSystem
package import Resolution
import Threading

/// The one table of a resolver, verbatim: serials in stored form, and their addresses.
///
/// Other processes may read and write it at the same time.
/// - Source: contrib/contract/directory.md, "Storage".
package final class ResolverDatabase: Sendable {
    /// A row.
    package struct Entry: Sendable, Hashable {
        package let id: String
        package let address: String?
    }

    package static let schema = "CREATE TABLE devices (ID TEXT PRIMARY KEY, IP TEXT)"

    private struct Connections: Sendable {
        let writer: DatabaseQueue
        /// Beside the writer, so that look-ups do not wait for a commit.
        let reader: DatabaseQueue

        func close() {
            try? reader.close()
            try? writer.close()
        }
    }

    private struct State: Sendable {
        var connections: Connections
        /// The files that are open.
        var files: Files
        /// Rows of a file that was removed, until they are in a new one.
        var unsaved: [Entry] = []
    }

    /// What stands at the paths of the database and of its journal.
    private struct Files: Sendable {
        let database, journal: String?

        init(_ path: String) {
            database = DatabaseFile.identity(of: path)
            journal = DatabaseFile.identity(of: path + "-wal")
        }
    }

    private let path: String
    private let state: Locked<State>

    /// Opens the file, and makes it if it is not there, for its owner only: who knows a serial learns where it is.
    /// - Throws: SQLite's error.
    package init(path: String) throws {
        self.path = path
        let connections = try Self.open(path)
        state = Locked(State(connections: connections, files: Files(path)))
    }

    private static func open(_ path: String) throws -> Connections {
        if DatabaseFile.identity(of: path) == nil { DatabaseFile.makePrivate(path) }
        var configuration = Configuration()
        configuration.busyMode = .timeout(5)
        configuration.prepareDatabase { db in
            try db.execute(sql: "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL")
        }
        let writer = try DatabaseQueue(path: path, configuration: configuration)
        try writer.write { db in
            if try !db.tableExists("devices") { try db.execute(sql: schema) }
        }
        configuration = Configuration()
        configuration.readonly = true
        configuration.busyMode = .timeout(1)
        return Connections(
            writer: writer,
            reader: try DatabaseQueue(path: path, configuration: configuration)
        )
    }

    private var connections: Connections { state.withLock { $0.connections } }

    package func close() { connections.close() }

    /// What ``follow()`` found at the path.
    package enum Change: Sendable, Hashable {
        /// The file was gone; its rows are in a new one.
        case restored
        /// Another file was there; it is the open one now.
        case replaced
    }

    /// Whether the file at the path is the open one.
    package var isInPlace: Bool {
        let open = state.withLock { $0.files.database }
        return open != nil && open == DatabaseFile.identity(of: path)
    }

    /// How often, and after which pauses in microseconds, a file is followed that is changed again and again.
    private static let (followings, pause) = (50, UInt32(20_000))

    /// Stores addresses in the file that is at the path afterwards, also while its folder is rewritten.
    ///
    /// - Returns: What was found at the path.
    /// - Throws: SQLite's error, if the file did not change or keeps changing.
    package func storeInPlace(_ entries: [(serial: StationSerial, address: StationAddress)]) throws
        -> [Change]
    {
        var changes: [Change] = []
        for left in (0..<Self.followings).reversed() {
            do {
                if let change = try follow() { changes.append(change) }
                try store(entries)
                if isInPlace { break }
            } catch {
                if left == 0 || changes.isEmpty && isInPlace { throw error }
                usleep(Self.pause)
            }
        }
        return changes
    }

    /// Opens the file at the path again if it is no longer the open one.
    ///
    /// Not at the same time as ``store(_:)``.
    /// - Throws: SQLite's error; call again later.
    package func follow() throws -> Change? {
        let (found, open) = (Files(path), state.withLock { $0.files })
        guard found.database == nil || found.database != open.database else {
            state.withLock { $0.files = found }
            return nil
        }
        if found.database == nil {
            let rows = try entries()
            state.withLock { $0.unsaved = rows }
        }
        // The journal of the old file is none of the new one's, and SQLite would apply it.
        if let journal = found.journal, journal == open.journal {
            for ending in ["-wal", "-shm"] { unlink(path + ending) }
        }
        let connections = try Self.open(path)
        let unsaved = state.withLock { $0.unsaved }
        try connections.writer.write { db in
            for row in unsaved {
                try db.execute(
                    sql: "INSERT OR IGNORE INTO devices (ID, IP) VALUES (?, ?)",
                    arguments: [row.id, row.address]
                )
            }
        }
        // The old connections are closed when nobody reads from them any more.
        state.withLock { state in
            (state.connections, state.files, state.unsaved) = (connections, Files(path), [])
        }
        return found.database == nil ? .restored : .replaced
    }

    /// Reads and writes, without changing a row.
    /// - Throws: SQLite's error.
    package func test() throws {
        _ = try address(of: "")
        try connections.writer.write { db in
            let version = try Int.fetchOne(db, sql: "PRAGMA user_version") ?? 0
            try db.execute(sql: "PRAGMA user_version = \(version)")
        }
    }

    /// The address of a serial; `nil` if it is not known.
    ///
    /// What is no address, in a row of another program, is not known.
    package func address(of serial: StationSerial) throws -> StationAddress? {
        try address(of: serial.text).flatMap { StationAddress($0) }
    }

    private func address(of id: String) throws -> String? {
        // One statement is a transaction of its own.
        try connections.reader.unsafeRead { db in
            let statement = try db.cachedStatement(sql: "SELECT IP FROM devices WHERE ID = ?")
            return try DatabaseValue.fetchOne(statement, arguments: [id]).flatMap {
                String.fromDatabaseValue($0)
            }
        }
    }

    /// Stores addresses in one transaction; an entry that is the same already is not written.
    package func store(_ entries: [(serial: StationSerial, address: StationAddress)]) throws {
        try connections.writer.write { db in
            let statement = try db.cachedStatement(
                sql: "INSERT INTO devices (ID, IP) VALUES (?, ?) "
                    + "ON CONFLICT (ID) DO UPDATE SET IP = excluded.IP WHERE IP IS NOT excluded.IP"
            )
            for entry in entries {
                try statement.execute(arguments: [entry.serial.text, entry.address.description])
            }
        }
    }

    /// All rows with a text as serial, by serial; what is no text is no address.
    package func entries() throws -> [Entry] {
        try connections.reader.read { db in
            try Row.fetchAll(db, sql: "SELECT ID, IP FROM devices ORDER BY ID").compactMap { row in
                let values = Array(row.databaseValues)
                guard values.count == 2, let id = String.fromDatabaseValue(values[0]) else { return nil }
                return Entry(id: id, address: String.fromDatabaseValue(values[1]))
            }
        }
    }

    /// - Returns: Whether the serial was known.
    package func remove(_ serial: StationSerial) throws -> Bool {
        try connections.writer.write { db in
            try db.execute(sql: "DELETE FROM devices WHERE ID = ?", arguments: [serial.text])
            return db.changesCount > 0
        }
    }
}
