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

    /// Describes a backup of these sizes, without copies.
    private func describe(_ sizes: [String: Int], at time: Int64, in collection: BackupCollection) throws {
        let place = collection.place(at: time)
        try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: true)
        let databases = sizes.map { name, bytes in "\"\(name)\":{\"bytes\":\(bytes)}" }.joined(separator: ",")
        let style = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
        let made = Date(timeIntervalSince1970: Double(time / 1000)).formatted(style)
        let text = "{\"program\":\"1\",\"made\":\"\(made)\",\"databases\":{\(databases)}}"
        try Data(text.utf8).write(to: URL(filePath: place + "/backup.json"))
    }

    @Test(arguments: [["two.db": 9_000_000], ["one.db": 90_000, "two.db": 9_000_000]])
    func `an empty state does not push out the last backup of a full one`(empty: [String: Int]) async throws {
        try await withTemporaryFolder { folder in
            let collection = BackupCollection(folder.path)
            for number in 0..<8 {
                let sizes = number < 3 ? ["one.db": 1_000_000, "two.db": 9_000_000] : empty
                try describe(sizes, at: Self.start + Int64(number) * Self.day, in: collection)
                collection.keep(2)
            }
            #expect(collection.backups.map(\.made) == [7, 6, 2].map { Self.start + $0 * Self.day })
        }
    }

    @Test func `a database that has become a little smaller keeps no backup`() async throws {
        try await withTemporaryFolder { folder in
            let collection = BackupCollection(folder.path)
            for number in 0..<4 {
                let size = 1_000_000 - number * 250_000
                try describe(["one.db": size], at: Self.start + Int64(number) * Self.day, in: collection)
            }
            collection.keep(1)
            #expect(collection.backups.count == 1)
        }
    }

    @Test func `the new backup stays, and one of a clock that was ahead goes`() async throws {
        try await withTemporaryFolder { folder in
            let collection = BackupCollection(folder.path)
            for day: Int64 in [0, 1, 900, 901] {
                try describe(["one.db": 1000], at: Self.start + day * Self.day, in: collection)
            }
            let new = try Backup(reading: collection.place(at: Self.start + Self.day))
            collection.keep(3, new: new, at: Self.start + Self.day)
            #expect(collection.backups.map(\.made) == [901, 1, 0].map { Self.start + $0 * Self.day })
            collection.keep(1, new: new, at: Self.start + Self.day)
            #expect(collection.backups.map(\.made) == [Self.start + Self.day])
        }
    }

    @Test func `the oldest backups make room, until there is enough, and the last stays`() async throws {
        try await withTemporaryFolder { folder in
            let collection = BackupCollection(folder.path)
            for number in 0..<5 {
                let time = Self.start + Int64(number) * Self.day
                try describe(["one.db": number == 2 ? 90_000 : 1000], at: time, in: collection)
            }
            let now = Self.start + 5 * Self.day
            collection.makeRoom(at: now) { collection.backups.count < 5 }
            #expect(collection.backups.map(\.made) == [4, 3, 2, 1].map { Self.start + $0 * Self.day })
            collection.makeRoom(at: now) { false }
            #expect(collection.backups.map(\.made) == [4, 2].map { Self.start + $0 * Self.day })
        }
    }

    @Test func `several installations have one folder, and each sees and removes its own`() async throws {
        try await withTemporaryFolder { folder in
            let database = try TestDatabase(folder.path("one.db"))
            let shared = folder.path("shared")
            let (one, two) = (
                BackupCollection(shared, installation: "aaaa", isShared: true),
                BackupCollection(shared, installation: "bbbb", isShared: true)
            )
            let all = BackupCollection(shared)
            for (collection, id) in [(one, "aaaa"), (two, "bbbb"), (all, nil)]
                as [(BackupCollection, String?)]
            {
                for time in [Self.start, Self.start + Self.day] {
                    _ = try await BackupWriter().write(
                        [DatabaseSource(name: "one.db", path: database.path)],
                        to: collection.place(at: time),
                        depth: .quick,
                        at: time,
                        installation: id
                    )
                }
                let name = collection.place(at: Self.start).dropFirst(shared.count + 1)
                try FileManager.default.createDirectory(
                    atPath: "\(shared)/.\(name)\(BackupWriter.unfinishedMark)1",
                    withIntermediateDirectories: false
                )
            }
            #expect(all.backups.count == 6)
            #expect(one.backups.count == 2 && one.backups.allSatisfy { $0.installation == "aaaa" })
            #expect(one.latest(with: "one.db", TestDatabase.schema)?.installation == "aaaa")
            one.keep(1)
            #expect(one.backups.count == 1 && two.backups.count == 2 && all.backups.count == 5)
            let unfinished = try FileManager.default.contentsOfDirectory(atPath: shared).filter {
                $0.hasPrefix(".")
            }
            #expect(unfinished.count == 2 && !unfinished.contains { $0.contains("aaaa") })
            #expect(BackupCollection(shared, isShared: true).backups.isEmpty)
        }
    }

    @Test func `a state folder remembers its last backup`() async throws {
        try await withTemporaryFolder { folder in
            #expect(BackupRecord(in: folder.path) == nil)
            let record = BackupRecord(installation: "aaaa", databases: ["one.db", "two.db"])
            try record.write(in: folder.path)
            #expect(BackupRecord(in: folder.path) == record)
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

    @Test func `a backup with a link in place of a copy does not hide an older one`() async throws {
        try await withBackups(2) { folder, collection, _ in
            let all = collection.backups
            let elsewhere = folder.path("elsewhere.db")
            try FileManager.default.moveItem(atPath: all[0].file("one.db"), toPath: elsewhere)
            try FileManager.default.createSymbolicLink(
                atPath: all[0].file("one.db"),
                withDestinationPath: elsewhere
            )
            #expect(collection.latest(with: "one.db", TestDatabase.schema)?.path == all[1].path)
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

    @Test func `what a crash has broken off is taken back, and the log is not lost`() async throws {
        try await withBackups(1) { folder, _, database in
            try database.add(10..<60)
            let (place, aside) = (folder.path("state.db"), folder.path("state.db.old"))
            for suffix in ["", "-wal"] {
                try FileManager.default.copyItem(atPath: database.path + suffix, toPath: place + suffix)
                try FileManager.default.linkItem(atPath: place + suffix, toPath: aside + suffix)
            }
            // The log is removed from its place just before the new file comes.
            try FileManager.default.removeItem(atPath: place + "-wal")
            StateReplacement.takeBack(aside, to: place)
            #expect(FileStatus(path: aside) == nil && FileStatus(path: aside + "-wal") == nil)
            #expect(FileStatus(path: place)?.links == 1)
            #expect(try TestDatabase.count(place) == 51)
        }
    }

    @Test func `a name that is taken is not overwritten`() async throws {
        try await withBackups(1) { folder, collection, database in
            let backup = try #require(collection.backups.first)
            try folder.write("mine", to: "old-wal")
            #expect(throws: BackupError.exists(path: folder.path("old-wal"))) {
                try StateReplacement(of: folder.path, from: backup).replace(["one.db"]) { _ in
                    folder.path("old")
                }
            }
            #expect(try String(contentsOfFile: folder.path("old-wal"), encoding: .utf8) == "mine")
            #expect(FileStatus(path: folder.path("old")) == nil)
            #expect(try TestDatabase.count(database.path) == 1)
        }
    }

    @Test func `new files that were not placed are removed`() async throws {
        try await withTemporaryFolder { folder in
            for name in [".one.db.restored-1x", ".two.db.restored-1x", "one.db"] {
                try folder.write("", to: name)
            }
            StateReplacement.removeUnfinished("one.db", in: folder.path)
            let names = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
            #expect(names == [".two.db.restored-1x", "one.db"])
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

    @Test func `a copy that may be put back has the owner and the permissions of the file`() async throws {
        try await withTemporaryFolder { folder in
            try folder.write("x", to: "one.db")
            let (file, copy, plain) = (folder.path("one.db"), folder.path("copy"), folder.path("plain"))
            // Only root can give a file to another user.
            let isRoot = geteuid() == 0
            if isRoot { #expect(chown(file, 12_345, 23_456) == 0) }
            #expect(chmod(file, 0o640) == 0)
            try StateReplacement.copy(file, to: copy, keepsOwner: true)
            let status = try #require(FileStatus(path: copy))
            #expect(status.permissions == 0o640)
            #expect(status.owner == (isRoot ? 12_345 : geteuid()))
            #expect(!isRoot || status.group == 23_456)
            try StateReplacement.copy(file, to: plain)
            #expect(FileStatus(path: plain)?.permissions == 0o600)
            #expect(FileStatus(path: plain)?.owner == geteuid())
        }
    }
}
