import Databases
import Flare
import Foundation
package import GRDB
import GRDBSQLite
import JSON
import OperatingSystem
import SystemPackage
import Threading

/// The objects on disk: one SQLite database, owned by one process.
///
/// Commits survive a crash of the process (WAL). A power failure may lose the last commits unless `synchronous` is
/// full, but never damages the database.
package final class FlareStore: Sendable {
    package struct Options: Sendable, Hashable {
        package enum Synchronous: String, Sendable, Hashable, CaseIterable {
            case normal, full
        }

        package var synchronous = Synchronous.normal
        /// How long to wait for another process to release the file, seconds.
        package var busyTimeoutSeconds = 1.0
        /// The size limit of the database, bytes; `nil` for none.
        package var maximumBytes: Int?

        package init() {}
    }

    /// A change of one row.
    enum Write: Sendable, Hashable {
        case insert(ObjectReference, sequence: Int, document: [UInt8])
        case update(FlareClass, sequence: Int, document: [UInt8])
        case delete(FlareClass, sequence: Int)

        var row: Row {
            switch self {
            case .insert(let object, let sequence, _): Row(kind: object.kind, sequence: sequence)
            case .update(let kind, let sequence, _), .delete(let kind, let sequence):
                Row(kind: kind, sequence: sequence)
            }
        }

        /// This write combined with a later update of the same row.
        func overwritten(by update: Write) -> Write {
            guard case .insert(let object, let sequence, _) = self,
                case .update(_, _, let document) = update
            else { return update }
            return .insert(object, sequence: sequence, document: document)
        }
    }

    struct Row: Sendable, Hashable {
        let kind: FlareClass
        let sequence: Int
    }

    private let queue: DatabaseQueue
    /// With `synchronous: full`, makes commits durable; the commits do not wait for it.
    let barrier: DiskBarrier?
    /// For messages.
    private let path: String
    /// Updates that may wait for ``flush()``: the last one of each row.
    private let waiting = Locked<[Row: Write]>([:])
    private let isFile: Bool

    /// Opens a database file, creating or migrating it as needed.
    package convenience init(file: String, options: Options = Options()) throws(FlareStoreError) {
        try self.init(path: file, isFile: true, options: options) {
            DatabaseFile.makePrivate(file)
            return try DatabaseQueue(path: file, configuration: $0)
        }
    }

    /// Creates a database in memory.
    package convenience init(options: Options = Options()) throws(FlareStoreError) {
        try self.init(path: "memory", isFile: false, options: options) {
            try DatabaseQueue(configuration: $0)
        }
    }

    private init(
        path: String,
        isFile: Bool,
        options: Options,
        open: (Configuration) throws -> DatabaseQueue
    ) throws(FlareStoreError) {
        (self.path, self.isFile) = (path, isFile)
        barrier = options.synchronous == .full && isFile ? DiskBarrier(path: path + "-wal") : nil
        queue = try Self.mappingErrors(path) {
            let queue = try open(Self.configuration(options))
            try Self.schema.apply(to: queue, path)
            return queue
        }
    }

    /// Writes what waits, checkpoints, and closes the database.
    package func close() throws(FlareStoreError) {
        defer { waiting.withLock { $0 = [:] } }
        try flush()
        try Self.mappingErrors(path) { try queue.close() }
    }

    /// Does work with the connection of the database, of which a copy can be made with it.
    ///
    /// - Throws: SQLite's error, and what the work throws.
    package func perform(_ work: (Database) throws -> Bool) throws -> Bool {
        try queue.writeWithoutTransaction(work)
    }

    /// Writes a new database file if the current one was removed from its folder, so that the next run finds it.
    package func writeBackIfGone() throws(FlareStoreError) {
        guard isFile, access(path, F_OK) != 0 else { return }
        try Self.mappingErrors(path) {
            try DatabaseFile.make(path) {
                try queue.writeWithoutTransaction { try $0.execute(sql: "VACUUM INTO ?", arguments: [path]) }
            }
        }
    }

    private static func configuration(_ options: Options) -> Configuration {
        var configuration = Configuration()
        configuration.label = "flare.store"
        configuration.busyMode = .timeout(options.busyTimeoutSeconds)
        configuration.prepareDatabase { db in
            // The lock is held from the first access until the database is closed, so that no other process writes
            // and WAL needs no shared memory.
            try db.execute(sql: "PRAGMA locking_mode = EXCLUSIVE")
            try db.execute(sql: "PRAGMA journal_mode = WAL")
            // In WAL mode, `full` adds one synchronization per commit, which the barrier performs.
            try db.execute(sql: "PRAGMA synchronous = NORMAL")
            try db.execute(sql: "PRAGMA journal_size_limit = 16777216")
            if let bytes = options.maximumBytes {
                let pageSize = try Int.fetchOne(db, sql: "PRAGMA page_size") ?? 4096
                try db.execute(sql: "PRAGMA max_page_count = \(max(1, bytes / pageSize))")
            }
        }
        return configuration
    }
}

// MARK: - Reading and writing

extension FlareStore {
    /// Reads all objects.
    func load(_ body: (FlareRecord, _ sequence: Int) -> Void) throws(FlareStoreError) {
        try Self.mappingErrors(path) {
            try queue.read { db in
                for kind in FlareClass.allCases {
                    let rows = try GRDB.Row.fetchCursor(
                        db,
                        sql: "SELECT sequence, id, document FROM \(kind.rawValue)"
                    )
                    while let row = try rows.next() { try read(row, kind, body) }
                }
            }
            // All objects are in memory now: the page cache is not needed.
            queue.releaseMemory()
        }
    }

    private func read(_ row: GRDB.Row, _ kind: FlareClass, _ body: (FlareRecord, Int) -> Void) throws {
        let sequence: Int = row[0]
        func damaged(_ what: String) -> FlareStoreError {
            .damaged(path: path, what: "\(kind.rawValue) \(sequence): \(what)")
        }
        guard let id = FlareID(row[1] as String) else { throw damaged("invalid identifier") }
        let document = try row.withUnsafeData(atIndex: 2) { data in
            do throws(JSONError) {
                return try JSONValue(parsing: data ?? Data(), maximumDepth: 128, isKept: true)
            } catch {
                throw damaged("\(error)")
            }
        }
        guard case .object(let members) = document else { throw damaged("not an object") }
        body(FlareRecord(kind, id, members), sequence)
    }

    /// Writes all rows or none.
    /// - Parameter progress: For many rows. Called from time to time with the number of written ones.
    func commit(_ writes: [Write], progress: ((Int) -> Void)? = nil) throws(FlareStoreError) {
        // If the rows fill the disk, the log can be shortened only if nothing in it has to be written back.
        if progress != nil { try checkpoint() }
        do {
            try write(writes, progress)
        } catch {
            // The log keeps the size of what was rolled back. Not after a command: a shorter log has room for a few more, and
            // the alert would come and go.
            if progress != nil, error.isAboutSpace { try? checkpoint() }
            throw error
        }
        waiting.withLock { waiting in
            // They have what had to wait, too.
            if !waiting.isEmpty { for write in writes { waiting[write.row] = nil } }
        }
        progress?(writes.count)
    }

    private func write(_ writes: [Write], _ progress: ((Int) -> Void)?) throws(FlareStoreError) {
        try Self.mappingErrors(path) {
            if let write = writes.first, writes.count == 1 {
                try queue.writeWithoutTransaction { try Self.perform(write, $0) }
            } else {
                try queue.write { db in
                    for (offset, write) in writes.enumerated() {
                        try Self.perform(write, db)
                        if offset % 500 == 499 { progress?(offset + 1) }
                    }
                }
            }
        }
    }

    /// Keeps updates in memory until the next ``flush()`` or a later change of their rows.
    func keep(_ updates: [Write]) {
        waiting.withLock { waiting in for update in updates { waiting[update.row] = update } }
    }

    /// Writes the updates that wait; after an error they go on waiting.
    func flush() throws(FlareStoreError) {
        let updates = waiting.withLock { $0.values.sorted { $0.row.sequence < $1.row.sequence } }
        if !updates.isEmpty { try commit(updates) }
    }

    /// Writes the log back into the database file and synchronizes it.
    func checkpoint() throws(FlareStoreError) {
        try Self.mappingErrors(path) {
            _ = try queue.writeWithoutTransaction { try $0.checkpoint(.truncate) }
        }
    }

    func syncError(_ error: Errno) -> FlareStoreError { .notOnDisk(path: path, reason: "\(error)") }

    /// Writes some pages and removes them again.
    ///
    /// - Throws: The error of the database.
    func testWrite() throws(FlareStoreError) {
        try Self.mappingErrors(path) {
            let table = "write_test"
            try queue.write { db in
                try db.execute(sql: "DROP TABLE IF EXISTS \(table); CREATE TABLE \(table) (bytes BLOB)")
                try db.execute(
                    sql: "INSERT INTO \(table) VALUES (zeroblob(?))",
                    arguments: [Self.testBytes]
                )
            }
            // In a transaction of its own, so that the pages are really written.
            try queue.write { try $0.execute(sql: "DROP TABLE \(table)") }
        }
    }

    private static let testBytes = 65_536

    private static func perform(_ write: Write, _ db: Database) throws {
        switch write {
        case .insert(let object, let sequence, let document):
            let sql = "INSERT INTO \(object.kind.rawValue) (sequence, id, document) VALUES (?, ?, ?)"
            let text = String(decoding: document, as: UTF8.self)
            try db.cachedStatement(sql: sql).execute(arguments: [sequence, object.id.description, text])
        case .update(let kind, let sequence, let document):
            try update(kind, sequence, document, db)
        case .delete(let kind, let sequence):
            let sql = "DELETE FROM \(kind.rawValue) WHERE sequence = ?"
            try db.cachedStatement(sql: sql).execute(arguments: [sequence])
        }
    }

    /// Binds the values itself: it is what every command does.
    private static func update(_ kind: FlareClass, _ sequence: Int, _ document: [UInt8], _ db: Database)
        throws
    {
        let statement = try db.cachedStatement(sql: updateStatement(of: kind)).sqliteStatement
        let code = document.withUnsafeBytes { document in
            // Without a destructor, as the document outlives the step.
            sqlite3_bind_text64(
                statement,
                1,
                document.baseAddress?.assumingMemoryBound(to: CChar.self),
                UInt64(document.count),
                nil,
                UInt8(SQLITE_UTF8)
            )
            sqlite3_bind_int64(statement, 2, Int64(sequence))
            defer {
                sqlite3_reset(statement)
                sqlite3_clear_bindings(statement)
            }
            return sqlite3_step(statement)
        }
        guard code == SQLITE_DONE else {
            throw DatabaseError(resultCode: ResultCode(rawValue: code), message: db.lastErrorMessage)
        }
    }

    /// Literals, which need no memory.
    private static func updateStatement(of kind: FlareClass) -> String {
        switch kind {
        case .environment: "UPDATE environment SET document = ? WHERE sequence = ?"
        case .zone: "UPDATE zone SET document = ? WHERE sequence = ?"
        case .thing: "UPDATE thing SET document = ? WHERE sequence = ?"
        case .device: "UPDATE device SET document = ? WHERE sequence = ?"
        }
    }

    private static func mappingErrors<Value>(
        _ path: String,
        _ body: () throws -> Value
    ) throws(FlareStoreError) -> Value {
        do {
            return try body()
        } catch let error as FlareStoreError {
            throw error
        } catch let error as NewerDatabase {
            throw .newerVersion(error)
        } catch let error as DatabaseError {
            let code = error.extendedResultCode.rawValue
            switch error.resultCode {
            case .SQLITE_BUSY, .SQLITE_LOCKED: throw .inUse(path: path)
            default: throw .sqlite(path: path, code: code, message: error.message ?? "\(error.resultCode)")
            }
        } catch {
            throw .damaged(path: path, what: "\(error)")
        }
    }
}
