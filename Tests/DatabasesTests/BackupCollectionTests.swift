import Databases
import Foundation
import GRDB
import OperatingSystem
import TestSupport
import Testing

struct BackupCollectionTests {
    private static let day: Int64 = 86_400_000
    private static let start: Int64 = 1_795_816_800_000

    /// Backups of one database, a day apart, each with an item more.
    private func withBackups(
        _ count: Int,
        _ body: (TemporaryFolder, BackupCollection, TestDatabase) async throws -> Void
    ) async throws {
        try await withTemporaryFolder { folder in
            let database = try TestDatabase(folder.path("one.db"))
            let collection = BackupCollection(folder.path("backups"))
            for number in 0..<count {
                try database.add(number..<number + 1)
                let time = Self.start + Int64(number) * Self.day
                _ = try await BackupWriter().write(
                    [DatabaseSource(name: "one.db", path: database.path)],
                    to: collection.place(at: time),
                    depth: .quick,
                    at: time
                )
            }
            try await body(folder, collection, database)
        }
    }

    @Test func `the oldest backups go, and the latest stay`() async throws {
        try await withBackups(4) { _, collection, _ in
            collection.keep(2)
            #expect(collection.backups.map(\.made) == [Self.start + 3 * Self.day, Self.start + 2 * Self.day])
        }
    }

    @Test func `the last backup stays, whatever number is kept`() async throws {
        try await withBackups(2) { _, collection, _ in
            collection.keep(0)
            #expect(collection.backups.count == 1)
        }
    }

    @Test func `other folders are not touched, and what was broken off is removed`() async throws {
        try await withBackups(1) { folder, collection, _ in
            for name in ["mine", "trilateral-notes", ".trilateral-x.unfinished-1"] {
                try FileManager.default.createDirectory(
                    atPath: folder.path("backups/\(name)"),
                    withIntermediateDirectories: true
                )
            }
            collection.keep(1)
            let names = try FileManager.default.contentsOfDirectory(atPath: collection.path).sorted()
            #expect(names.count == 3 && names.contains("mine") && names.contains("trilateral-notes"))
        }
    }

    @Test func `names tell the time`() {
        #expect(BackupCollection("/b").place(at: 1_700_000_000_123) == "/b/trilateral-20231114T221320Z")
    }

    @Test func `the latest backup that is sound is taken`() async throws {
        try await withBackups(3) { _, collection, _ in
            let all = collection.backups
            #expect(collection.latest(with: "one.db", TestDatabase.schema)?.path == all[0].path)
            try TestDatabase.damage(all[0].file("one.db"))
            #expect(collection.latest(with: "one.db", TestDatabase.schema)?.path == all[1].path)
            let queue = try DatabaseQueue(path: all[1].file("one.db"))
            try await queue.write { try $0.execute(sql: "INSERT INTO grdb_migrations VALUES ('v2')") }
            try queue.close()
            #expect(collection.latest(with: "one.db", TestDatabase.schema)?.path == all[2].path)
            #expect(collection.latest(with: "two.db", nil) == nil)
        }
    }

    // MARK: Replacing

    @Test func `a database is replaced by its copy, and kept with its log`() async throws {
        try await withBackups(1) { folder, collection, database in
            try database.add(10..<60)
            let backup = try #require(collection.backups.first)
            // As after a crash: the log is not in the file yet.
            let state = folder.path("state")
            try FileManager.default.createDirectory(atPath: state + "/old", withIntermediateDirectories: true)
            for suffix in ["", "-wal"] {
                try FileManager.default.copyItem(
                    atPath: database.path + suffix,
                    toPath: state + "/one.db" + suffix
                )
            }
            try StateReplacement(of: state, from: backup).replace(["one.db"]) { state + "/old/" + $0 }
            #expect(try TestDatabase.count(state + "/one.db") == 1)
            #expect(try TestDatabase.count(state + "/old/one.db") == 51)
            #expect(FileStatus(path: state + "/one.db")?.permissions == 0o600)
        }
    }

    @Test func `nothing is replaced if one of several copies is missing`() async throws {
        try await withBackups(2) { folder, collection, database in
            let backup = try #require(collection.backups.last)
            #expect(throws: BackupError.self) {
                try StateReplacement(of: folder.path, from: backup).replace(["one.db", "two.db"]) {
                    folder.path("old-" + $0)
                }
            }
            #expect(try TestDatabase.count(database.path) == 2)
            let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
            #expect(!names.contains { $0.contains("restored") || $0.contains("old") })
        }
    }

    @Test func `a database comes back to its place if it cannot be replaced`() async throws {
        try await withBackups(1) { folder, collection, database in
            let backup = try #require(collection.backups.first)
            try database.add(10..<20)
            #expect(throws: BackupError.self) {
                try StateReplacement(of: folder.path, from: backup).replace(["one.db"]) { _ in
                    folder.path("missing/one.db")
                }
            }
            #expect(try TestDatabase.count(database.path) == 11)
        }
    }
}
