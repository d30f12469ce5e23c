import GRDB
import GRDBSQLite
import Glibc
import OperatingSystem
import Threading

/// Copies of databases, made by SQLite's backup interface.
enum DatabaseCopy {
    /// Pages that are copied at once; in between the database is free for others, and the copy can be cancelled.
    private static let pages: CInt = 64

    /// Copies a database to a new file, for its owner only, which is on the disk then.
    ///
    /// - Throws: `CancellationError`, SQLite's error, or a ``BackupError`` of the system; the new file is removed then.
    static func make(of source: DatabaseSource, to path: String) async throws {
        let descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw BackupError.system(path: path, code: errno) }
        close(descriptor)
        do {
            try await fill(path, from: source)
            try synchronize(path)
        } catch {
            for suffix in ["", "-wal", "-shm", "-journal"] { unlink(path + suffix) }
            throw error
        }
    }

    private static func fill(_ path: String, from source: DatabaseSource) async throws {
        var configuration = Configuration()
        configuration.label = "copy"
        // All of it is written to the disk at the end: nothing of it counts before.
        configuration.prepareDatabase { try $0.execute(sql: "PRAGMA synchronous = OFF") }
        let copy = try DatabaseQueue(path: path, configuration: configuration)
        defer { try? copy.close() }
        if let perform = source.perform {
            try await transfer(to: copy, perform)
        } else {
            try copyFile(source.path, to: copy)
        }
        try makeSingle(copy)
    }

    /// Makes it one file that needs no others.
    private static func makeSingle(_ copy: DatabaseQueue) throws {
        try copy.writeWithoutTransaction { try $0.execute(sql: "PRAGMA journal_mode = DELETE") }
    }

    private static func transfer(to copy: DatabaseQueue, _ perform: DatabaseSource.Perform) async throws {
        let transfer = DatabaseTransfer(to: copy, pages: pages)
        do {
            while try await perform({ try transfer.step($0) }) {
                try Task.checkCancellation()
                await Task.yield()
            }
        } catch {
            // With the owner's connection if it is still there; else nobody uses that one any more.
            if (try? await perform({ _ in transfer.finish() })) == nil { _ = transfer.finish() }
            throw error
        }
    }

    /// Copies what the file has at one moment; others go on writing it.
    private static func copyFile(_ path: String, to copy: DatabaseQueue) throws {
        var configuration = Configuration()
        configuration.label = "copied"
        configuration.readonly = true
        configuration.busyMode = .timeout(5)
        let original = try DatabaseQueue(path: path, configuration: configuration)
        defer { try? original.close() }
        // A transaction, so that each step sees the same.
        try original.read { database in
            _ = try Int.fetchOne(database, sql: "SELECT COUNT(*) FROM sqlite_master")
            try copy.writeWithoutTransaction { copy in
                try database.backup(to: copy, pagesPerStep: pages) { _ in try Task.checkCancellation() }
            }
        }
    }

    /// Waits until a file, or the names in a folder, are on the disk.
    static func synchronize(_ path: String) throws(BackupError) {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw .system(path: path, code: errno) }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 else { throw .system(path: path, code: errno) }
    }
}

/// A copy in steps, each of which is done with the connection of the original.
///
/// As each step is done with the connection that writes, SQLite brings into the copy what was written between steps.
/// - Source: SQLite's documentation of `sqlite3_backup_step`.
private final class DatabaseTransfer: Sendable {
    // Used in one step after another, each within the queues of both connections.
    private struct State: @unchecked Sendable {
        var backup: OpaquePointer?
        var connection: OpaquePointer?
        var isEnded = false
    }

    private let copy: DatabaseQueue
    private let pages: CInt
    private let state = Locked(State())

    init(to copy: DatabaseQueue, pages: CInt) { (self.copy, self.pages) = (copy, pages) }

    /// Copies some pages.
    ///
    /// - Returns: Whether there is more to do.
    func step(_ original: Database) throws -> Bool {
        try copy.writeWithoutTransaction { copy in
            var current = state.withLock { $0 }
            if current.isEnded { throw DatabaseError(resultCode: .SQLITE_MISUSE) }
            if current.backup == nil {
                current.backup = sqlite3_backup_init(
                    copy.sqliteConnection,
                    "main",
                    original.sqliteConnection,
                    "main"
                )
                current.connection = original.sqliteConnection
                let begun = current
                state.withLock { $0 = begun }
            }
            guard let backup = current.backup else {
                throw Self.error(sqlite3_errcode(copy.sqliteConnection))
            }
            guard current.connection == original.sqliteConnection else {
                throw DatabaseError(resultCode: .SQLITE_ABORT, message: "it was opened anew meanwhile")
            }
            switch sqlite3_backup_step(backup, pages) {
            case SQLITE_OK, SQLITE_BUSY, SQLITE_LOCKED: return true
            case SQLITE_DONE:
                let code = end()
                guard code == SQLITE_OK else { throw Self.error(code) }
                return false
            case let code: throw Self.error(code)
            }
        }
    }

    /// Ends a copy that is not complete.
    func finish() -> Bool {
        copy.writeWithoutTransaction { _ in end() == SQLITE_OK }
    }

    private func end() -> CInt {
        let last = state.withLock { state in
            let last = state
            state = State(isEnded: true)
            return last
        }
        return last.backup.map { sqlite3_backup_finish($0) } ?? SQLITE_OK
    }

    private static func error(_ code: CInt) -> DatabaseError {
        DatabaseError(
            resultCode: ResultCode(rawValue: code),
            message: sqlite3_errstr(code).map { String(cString: $0) }
        )
    }
}
