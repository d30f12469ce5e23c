import Flare
import Foundation
import GRDB
import SystemPackage

/// The objects on disk: one SQLite database, owned by one process.
///
/// What was written is there after the process was killed (WAL); a loss of power may cost the last moments, and
/// never integrity, unless `synchronous` is full.
package final class FlareStore: Sendable {
    package struct Options: Sendable {
        package enum Synchronous: String, Sendable, CaseIterable {
            case normal, full
        }

        package var synchronous = Synchronous.normal
        /// How long another process may take to let go of the file, seconds.
        package var patienceSeconds = 1.0
        /// Bytes beyond which the database may not grow; `nil` for as long as there is space.
        package var maximumBytes: Int?

        package init() {}
    }

    /// One row to be written.
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

        /// This write and then an update of the same row, as one.
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
    /// With `synchronous: full`, what brings commits to the disk; the commits themselves do not wait for it.
    let barrier: DiskBarrier?
    /// For messages.
    private let path: String

    /// Opens the database of a file, making or migrating it as needed.
    package convenience init(file: String, options: Options = Options()) throws(FlareStoreError) {
        try self.init(path: file, options: options) {
            DatabaseFile.makePrivate(file)
            return try DatabaseQueue(path: file, configuration: $0)
        }
    }

    /// A database in memory, gone with the process.
    package convenience init(options: Options = Options()) throws(FlareStoreError) {
        try self.init(path: "memory", options: options) { try DatabaseQueue(configuration: $0) }
    }

    private init(
        path: String,
        options: Options,
        open: (Configuration) throws -> DatabaseQueue
    ) throws(FlareStoreError) {
        self.path = path
        barrier = options.synchronous == .full && path.hasPrefix("/") ? DiskBarrier(path: path + "-wal") : nil
        queue = try Self.translating(path) {
            let queue = try open(Self.configuration(options))
            let migrator = Self.migrations
            let applied = try queue.write { try migrator.appliedIdentifiers($0) }
            let unknown = applied.subtracting(migrator.migrations)
            guard unknown.isEmpty else {
                throw FlareStoreError.newerVersion(
                    path: path,
                    found: unknown.sorted().joined(separator: ", "),
                    known: migrator.migrations.joined(separator: ", ")
                )
            }
            try migrator.migrate(queue)
            return queue
        }
    }

    /// Tells the database's file from all others of this machine; `nil` when there is none.
    var fileID: String? { DatabaseFile.identity(of: path) }

    /// Writes everything back into the one file and lets go of it.
    package func close() throws(FlareStoreError) {
        try Self.translating(path) { try queue.close() }
    }

    /// Writes everything to a new file when the database's own is gone from its folder, so that the next run has it.
    package func writeBackIfGone() throws(FlareStoreError) {
        guard path.hasPrefix("/"), access(path, F_OK) != 0 else { return }
        try Self.translating(path) {
            try DatabaseFile.make(path) {
                try queue.writeWithoutTransaction { try $0.execute(sql: "VACUUM INTO ?", arguments: [path]) }
            }
        }
    }

    private static func configuration(_ options: Options) -> Configuration {
        var configuration = Configuration()
        configuration.label = "flare.store"
        configuration.busyMode = .timeout(options.patienceSeconds)
        configuration.prepareDatabase { db in
            // The lock is taken with the first access and held until the end: nobody else may write meanwhile,
            // and WAL needs no shared memory.
            try db.execute(sql: "PRAGMA locking_mode = EXCLUSIVE")
            try db.execute(sql: "PRAGMA journal_mode = WAL")
            // In WAL, what `full` adds is one synchronization after each commit: the barrier's work.
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
        try Self.translating(path) {
            try queue.read { db in
                for kind in FlareClass.allCases {
                    let rows = try GRDB.Row.fetchCursor(
                        db,
                        sql: "SELECT sequence, id, document FROM \(kind.rawValue)"
                    )
                    while let row = try rows.next() { try read(row, kind, body) }
                }
            }
            // From now on all objects are in memory, and the pages that were read are of no more use.
            queue.releaseMemory()
        }
    }

    private func read(_ row: GRDB.Row, _ kind: FlareClass, _ body: (FlareRecord, Int) -> Void) throws {
        let sequence: Int = row[0]
        func damaged(_ what: String) -> FlareStoreError {
            .damaged(path: path, what: "\(kind.rawValue) \(sequence): \(what)")
        }
        guard let id = FlareID(row[1] as String) else { throw damaged("no identifier") }
        let document = try row.withUnsafeData(atIndex: 2) { data in
            do throws(JSONError) {
                return try JSONValue(parsing: data ?? Data(), maximumDepth: 128)
            } catch {
                throw damaged("\(error)")
            }
        }
        guard case .object(let members) = document else { throw damaged("no object") }
        body(FlareRecord(kind, id, members), sequence)
    }

    /// Writes all rows or none.
    /// - Parameter progress: Called with the number of rows written, now and then.
    func commit(_ writes: [Write], progress: ((Int) -> Void)? = nil) throws(FlareStoreError) {
        try Self.translating(path) {
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
        progress?(writes.count)
    }

    /// Writes everything back into the one file and to the disk.
    func checkpoint() throws(FlareStoreError) {
        try Self.translating(path) { _ = try queue.writeWithoutTransaction { try $0.checkpoint(.truncate) } }
    }

    func error(notOnDisk error: Errno) -> FlareStoreError { .notOnDisk(path: path, reason: "\(error)") }

    /// Writes some pages and removes them again, as a change of some size would need them.
    ///
    /// - Throws: Why the database does not take them.
    func testWrite() throws(FlareStoreError) {
        try Self.translating(path) {
            let table = "write_test"
            try queue.write { db in
                try db.execute(sql: "DROP TABLE IF EXISTS \(table); CREATE TABLE \(table) (bytes BLOB)")
                try db.execute(
                    sql: "INSERT INTO \(table) VALUES (zeroblob(?))",
                    arguments: [Self.testBytes]
                )
            }
            // Committed before it goes, so that the pages were truly written.
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
            let sql = "UPDATE \(kind.rawValue) SET document = ? WHERE sequence = ?"
            let text = String(decoding: document, as: UTF8.self)
            try db.cachedStatement(sql: sql).execute(arguments: [text, sequence])
        case .delete(let kind, let sequence):
            let sql = "DELETE FROM \(kind.rawValue) WHERE sequence = ?"
            try db.cachedStatement(sql: sql).execute(arguments: [sequence])
        }
    }

    private static func translating<Value>(
        _ path: String,
        _ body: () throws -> Value
    ) throws(FlareStoreError) -> Value {
        do {
            return try body()
        } catch let error as FlareStoreError {
            throw error
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
