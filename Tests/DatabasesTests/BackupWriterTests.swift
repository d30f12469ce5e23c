import Databases
import Foundation
import GRDB
import OperatingSystem
import TestSupport
import Testing

struct BackupWriterTests {
    private static let now: Int64 = 1_795_816_800_000

    private static func perform(_ work: (Database) throws -> Bool, on queue: DatabaseQueue) throws -> Bool {
        try queue.writeWithoutTransaction(work)
    }

    private func permissions(_ path: String) -> UInt32? { FileStatus(path: path)?.permissions }

    @Test func `a backup has a copy of each database and says what it is`() async throws {
        try await withTemporaryFolder { folder in
            let (one, two) = (
                try TestDatabase(folder.path("one.db")), try TestDatabase(folder.path("two.db"))
            )
            try one.add(0..<300)
            try two.add(0..<5)
            let sources = ["one.db", "two.db", "none.db"].map {
                DatabaseSource(name: $0, path: folder.path($0))
            }
            let made = try await BackupWriter().write(
                sources,
                to: folder.path("b"),
                depth: .full,
                at: Self.now
            )
            let read = try Backup(reading: folder.path("b"))
            #expect(read == made)
            #expect(read.made == Self.now && read.program == ProgramVersion.current.description)
            #expect(read.files.map(\.name) == ["one.db", "two.db"])
            try read.verify(.full)
            #expect(try TestDatabase.count(read.file("one.db")) == 300)
            #expect(try TestDatabase.count(read.file("two.db")) == 5)
            let names = try FileManager.default.contentsOfDirectory(atPath: read.path).sorted()
            #expect(names == ["backup.json", "one.db", "two.db"])
        }
    }

    @Test func `nobody but the owner may look into a backup`() async throws {
        try await withTemporaryFolder { folder in
            let database = try TestDatabase(folder.path("one.db"))
            try database.add(0..<1)
            let place = folder.path("deep/er/b")
            let source = DatabaseSource(name: "one.db", path: database.path)
            _ = try await BackupWriter().write([source], to: place, depth: .quick, at: Self.now)
            #expect(permissions(place) == 0o700)
            #expect(permissions(place + "/one.db") == 0o600)
            #expect(permissions(place + "/backup.json") == 0o600)
        }
    }

    @Test func `what is written while a locked database is copied does not damage the copy`() async throws {
        try await withTemporaryFolder { folder in
            let database = try TestDatabase(folder.path("one.db"), isLocked: true)
            try database.add(0..<2000)
            let queue = database.queue
            let added = Added()
            let source = DatabaseSource(name: "one.db", path: database.path) { work in
                let next = await added.next()
                try await queue.write {
                    try $0.execute(
                        sql: "INSERT INTO item (n, text) VALUES (?, 'new')",
                        arguments: [100_000 + next]
                    )
                }
                return try Self.perform(work, on: queue)
            }
            let backup = try await BackupWriter().write(
                [source],
                to: folder.path("b"),
                depth: .full,
                at: Self.now
            )
            let count = await added.count
            #expect(count > 2)
            #expect(try TestDatabase.count(backup.file("one.db")) == 2000 + count)
            // The owner can still close it: nothing of the copy is left.
            try queue.close()
        }
    }

    private actor Added {
        private(set) var count = 0

        func next() -> Int {
            count += 1
            return count
        }
    }

    @Test func `a copy that is cancelled leaves nothing, and its database can be closed`() async throws {
        try await withTemporaryFolder { folder in
            let database = try TestDatabase(folder.path("one.db"), isLocked: true)
            try database.add(0..<2000)
            let queue = database.queue
            let steps = Added()
            let source = DatabaseSource(name: "one.db", path: database.path) { work in
                if await steps.next() == 3 { throw CancellationError() }
                return try Self.perform(work, on: queue)
            }
            await #expect(throws: BackupError.cancelled) {
                try await BackupWriter().write([source], to: folder.path("b"), depth: .full, at: Self.now)
            }
            let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
            #expect(names.allSatisfy { $0.hasPrefix("one.db") })
            try queue.close()
        }
    }

    @Test func `a database that is opened anew while it is copied ends the copy`() async throws {
        try await withTemporaryFolder { folder in
            let path = folder.path("one.db")
            let databases = [try TestDatabase(path), try TestDatabase(path)]
            try databases[0].add(0..<2000)
            let (first, second) = (databases[0].queue, databases[1].queue)
            let added = Added()
            let source = DatabaseSource(name: "one.db", path: path) { work in
                let queue = await added.next() == 1 ? first : second
                return try Self.perform(work, on: queue)
            }
            await #expect(throws: BackupError.self) {
                try await BackupWriter().write([source], to: folder.path("b"), depth: .quick, at: Self.now)
            }
            #expect(FileStatus(path: folder.path("b")) == nil)
        }
    }

    @Test func `a damaged database gives no backup`() async throws {
        try await withTemporaryFolder { folder in
            let database = try TestDatabase(folder.path("one.db"))
            try database.add(0..<300)
            try database.queue.close()
            try TestDatabase.damage(database.path)
            let source = DatabaseSource(name: "one.db", path: database.path)
            await #expect(throws: BackupError.self) {
                try await BackupWriter().write([source], to: folder.path("b"), depth: .full, at: Self.now)
            }
            #expect(
                try FileManager.default.contentsOfDirectory(atPath: folder.path).allSatisfy {
                    $0.hasPrefix("one.db")
                }
            )
        }
    }

    @Test func `a place that is taken is refused, also by an empty folder`() async throws {
        try await withTemporaryFolder { folder in
            let database = try TestDatabase(folder.path("one.db"))
            let source = DatabaseSource(name: "one.db", path: database.path)
            let place = folder.path("b")
            try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: false)
            await #expect(throws: BackupError.exists(path: place)) {
                try await BackupWriter().write([source], to: place, depth: .full, at: Self.now)
            }
        }
    }

    @Test(.enabled { await OwnDisk.canMount() })
    func `a full disk gives no backup, and leaves nothing of it`() async throws {
        try await withTemporaryFolder { folder in
            let database = try TestDatabase(folder.path("one.db"))
            try database.add(0..<3000)
            let source = DatabaseSource(name: "one.db", path: database.path)
            try await OwnDisk.with("size=2m", at: folder.path("disk")) {
                let error = await #expect(throws: BackupError.self) {
                    try await BackupWriter().write(
                        [source],
                        to: folder.path("disk/b"),
                        depth: .full,
                        at: Self.now
                    )
                }
                guard case .noRoom = error else {
                    Issue.record("\(String(describing: error))")
                    return
                }
                let left = try? FileManager.default.contentsOfDirectory(atPath: folder.path("disk"))
                #expect(left == [])
            }
        }
    }

    // MARK: Another folder

    private func deliver(to target: String, from folder: TemporaryFolder) async throws {
        let database = try TestDatabase(folder.path("one.db"))
        try database.add(0..<300)
        let source = DatabaseSource(name: "one.db", path: database.path)
        let writer = try BackupWriter()
        let made = try await writer.write(
            [source],
            to: folder.path("copied"),
            depth: .full,
            at: Self.now,
            installation: "aaaa"
        )
        let collection = BackupCollection(folder.path("disk"), installation: "aaaa", isShared: true)
        let backup = try await writer.deliver(made, to: target, in: collection, at: Self.now)
        #expect(backup.path == target && backup.files == made.files && backup.installation == "aaaa")
        try backup.verify(.full)
        #expect(try TestDatabase.count(backup.file("one.db")) == 300)
        #expect(permissions(target) == 0o700 && permissions(target + "/one.db") == 0o600)
        #expect(FileStatus(path: made.path) == nil)
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path("disk"))
        #expect(names == ["b"])
    }

    @Test func `a backup is moved to a folder on the same disk`() async throws {
        try await withTemporaryFolder { folder in
            try await deliver(to: folder.path("disk/b"), from: folder)
        }
    }

    @Test(.enabled { await OwnDisk.canMount() })
    func `a backup is copied to a folder on another disk`() async throws {
        try await withTemporaryFolder { folder in
            try await OwnDisk.with("size=100m", at: folder.path("disk")) {
                try await deliver(to: folder.path("disk/b"), from: folder)
            }
        }
    }

    // MARK: Reading

    @Test(arguments: [
        "", "{}", "[1]", #"{"program":"1","made":"x","databases":{"one.db":{"bytes":1}}}"#,
        #"{"program":"1","made":"2026-11-27T22:00:00.000Z","databases":{}}"#,
        #"{"program":"1","made":"2026-11-27T22:00:00.000Z","databases":{"../one.db":{"bytes":1}}}"#,
        #"{"program":"1","made":"2026-11-27T22:00:00.000Z","databases":{"one.txt":{"bytes":1}}}"#,
    ])
    func `a folder that does not describe a backup is none`(text: String) async throws {
        try await withTemporaryFolder { folder in
            try folder.write(text, to: "backup.json")
            let error = #expect(throws: BackupError.self) { try Backup(reading: folder.path) }
            #expect(error?.description.hasPrefix("\(folder.path) is no backup of trilateral: ") == true)
        }
    }

    @Test func `the folder of the backups is none, and says that they are in it`() async throws {
        try await withTemporaryFolder { folder in
            let inner = folder.url.appending(path: "trilateral-1")
            try FileManager.default.createDirectory(at: inner, withIntermediateDirectories: true)
            try folder.write("{}", to: "trilateral-1/backup.json")
            let error = #expect(throws: BackupError.self) { try Backup(reading: folder.path) }
            #expect(error?.description.hasSuffix("name one of them") == true)
        }
    }

    @Test func `a folder that describes itself by a pipe is no backup, and is not waited for`() async throws {
        try await withTemporaryFolder { folder in
            let pipe = folder.path("backup.json")
            #expect(mkfifo(pipe, 0o600) == 0)
            // Who reads it would wait for a minute while somebody has it open.
            let writer = open(pipe, O_RDWR | O_NONBLOCK | O_CLOEXEC)
            defer { close(writer) }
            let error = #expect(throws: BackupError.self) { try Backup(reading: folder.path) }
            #expect(error == .notABackup(path: folder.path, why: "backup.json is no plain file"))
        }
    }

    @Test func `a backup with a file that is missing or damaged is not good`() async throws {
        try await withTemporaryFolder { folder in
            let database = try TestDatabase(folder.path("one.db"))
            try database.add(0..<300)
            let source = DatabaseSource(name: "one.db", path: database.path)
            let backup = try await BackupWriter().write([source], to: folder.path("b"), depth: .full, at: 0)
            try TestDatabase.damage(backup.file("one.db"))
            let damage = #expect(throws: BackupError.self) { try backup.verify(.quick) }
            #expect(damage?.description.contains("\n") == false, "a log has a line for each message")
            try FileManager.default.removeItem(atPath: backup.file("one.db"))
            #expect(throws: BackupError.system(path: backup.file("one.db"), code: ENOENT)) {
                try backup.verify(.quick)
            }
        }
    }
}
