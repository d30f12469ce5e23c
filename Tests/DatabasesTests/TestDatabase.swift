import Databases
import Foundation
import GRDB
import TestSupport

/// A database on a file, as the program has them: WAL, with one table.
struct TestDatabase {
    let queue: DatabaseQueue
    let path: String

    static let schema: DatabaseSchema = {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("v1") {
            try $0.execute(sql: "CREATE TABLE item (n INTEGER PRIMARY KEY, text TEXT NOT NULL) STRICT")
        }
        return DatabaseSchema(migrator)
    }()

    /// - Parameter isLocked: Whether no other connection may read it.
    init(_ path: String, isLocked: Bool = false) throws {
        var configuration = Configuration()
        configuration.prepareDatabase { database in
            if isLocked { try database.execute(sql: "PRAGMA locking_mode = EXCLUSIVE") }
            try database.execute(sql: "PRAGMA journal_mode = WAL")
        }
        self.path = path
        queue = try DatabaseQueue(path: path, configuration: configuration)
        try Self.schema.apply(to: queue, path)
    }

    /// Adds items of a kilobyte each.
    func add(_ numbers: Range<Int>) throws {
        try queue.write { database in
            for number in numbers {
                try database.execute(
                    sql: "INSERT INTO item (n, text) VALUES (?, ?)",
                    arguments: [number, String(repeating: "x", count: 1000)]
                )
            }
        }
    }

    /// How many items a file has.
    static func count(_ path: String) throws -> Int? {
        let queue = try DatabaseQueue(path: path)
        defer { try? queue.close() }
        return try queue.read { try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM item") }
    }

    /// Overwrites the middle of a file, as a bad disk does.
    static func damage(_ path: String) throws {
        guard let file = FileHandle(forUpdatingAtPath: path) else { throw CocoaError(.fileNoSuchFile) }
        defer { try? file.close() }
        let size = try file.seekToEnd()
        try file.seek(toOffset: min(4096, size / 2))
        try file.write(contentsOf: Data(repeating: 0x5A, count: Int(size / 2)))
    }
}
