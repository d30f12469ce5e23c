import Controller
import Daemon
import Databases
import Flare
import Foundation
import Glibc
import OperatingSystem
import TestSupport
import Testing

struct StateRepairTests {
    private let home = FlareID(high: 1, low: 1)

    /// Overwrites all but the first page of a file, as a bad disk does.
    private func damage(_ path: String) throws {
        let size = try #require(FileStatus(path: path)?.size)
        let file = try #require(FileHandle(forUpdatingAtPath: path))
        defer { try? file.close() }
        try file.seek(toOffset: 4096)
        try file.write(contentsOf: Data(repeating: 0x5A, count: size - 4096))
    }

    /// A state folder whose database was backed up and then changed.
    private func withState(_ body: (TemporaryFolder, BackupCollection) async throws -> Void) async throws {
        try await withTemporaryFolder { folder in
            let store = try StateStore(folder: folder.url)
            try store.save([.environment(home)])
            let backups = BackupCollection(folder.path("backups"))
            _ = try await BackupWriter().write(
                StateDatabase.allCases.map { $0.source(in: folder.url) },
                to: backups.place(at: 1000),
                depth: .full,
                at: 1000
            )
            try store.save([.environment(FlareID(high: 1, low: 2))])
            store.close()
            try await body(folder, backups)
        }
    }

    @Test func `sound databases are left alone`() async throws {
        try await withState { folder, backups in
            let before = try Data(contentsOf: URL(filePath: folder.path("trilateral.db")))
            #expect(StateRepair.run(in: folder.url, backups, at: 5) == [])
            #expect(try Data(contentsOf: URL(filePath: folder.path("trilateral.db"))) == before)
        }
    }

    @Test func `a damaged database is moved aside, and the last good backup takes its place`() async throws {
        try await withState { folder, backups in
            try damage(folder.path("trilateral.db"))
            let reports = StateRepair.run(in: folder.url, backups, at: 5)
            let report = try #require(reports.first)
            #expect(reports.count == 1 && report.path == folder.path("trilateral.db"))
            let damaged = folder.path("trilateral.db.damaged-5")
            #expect(report.description.contains("was restored from the backup of 1970-01-01T00:00:01Z"))
            #expect(report.description.hasSuffix("The damaged file is \(damaged)."))
            #expect(FileStatus(path: damaged) != nil)
            let store = try StateStore(folder: folder.url)
            #expect(try store.memory().environment == home)
            store.close()
        }
    }

    @Test func `of several damaged files the last one is kept`() async throws {
        try await withState { folder, backups in
            for time: Int64 in [5, 6] {
                try damage(folder.path("trilateral.db"))
                #expect(StateRepair.run(in: folder.url, backups, at: time).count == 1)
            }
            #expect(FileStatus(path: folder.path("trilateral.db.damaged-5")) == nil)
            #expect(FileStatus(path: folder.path("trilateral.db.damaged-6")) != nil)
        }
    }

    @Test func `without a good backup a damaged database stays where it is`() async throws {
        try await withState { folder, backups in
            for name in ["backups/trilateral-19700101T000001Z/trilateral.db", "trilateral.db"] {
                try damage(folder.path(name))
            }
            let before = try Data(contentsOf: URL(filePath: folder.path("trilateral.db")))
            let report = try #require(StateRepair.run(in: folder.url, backups, at: 5).first)
            #expect(report.outcome == .noBackup(in: backups.path))
            #expect(try Data(contentsOf: URL(filePath: folder.path("trilateral.db"))) == before)
            #expect(throws: StateStoreError.self) {
                let store = try StateStore(folder: folder.url)
                _ = try store.memory()
            }
        }
    }

    @Test func `a file that is no database is damaged`() async throws {
        try await withState { folder, backups in
            try folder.write(String(repeating: "no database ", count: 1000), to: "flare.db")
            let report = try #require(StateRepair.run(in: folder.url, backups, at: 5).first)
            #expect(report.path == folder.path("flare.db"))
            #expect(report.outcome == .noBackup(in: backups.path))
        }
    }

    @Test(arguments: [false, true])
    func `a database that is missing or empty comes from the backup that has it`(isEmpty: Bool) async throws {
        try await withState { folder, backups in
            for suffix in ["", "-wal", "-shm"]
            where FileStatus(path: folder.path("trilateral.db" + suffix)) != nil {
                try FileManager.default.removeItem(atPath: folder.path("trilateral.db" + suffix))
            }
            if isEmpty { try folder.write("", to: "trilateral.db") }
            let reports = StateRepair.run(in: folder.url, backups, at: 5)
            #expect(reports.count == 1)
            #expect(
                reports.first?.description.contains("trilateral.db was missing or empty and was restored")
                    == true
            )
            let store = try StateStore(folder: folder.url)
            #expect(try store.memory().environment == home)
            store.close()
        }
    }

    @Test(arguments: ["aaaa", "bbbb"])
    func `another folder has only the backups of this installation`(id: String) async throws {
        try await withState { folder, backups in
            let path = folder.path("elsewhere")
            let shared = BackupCollection(path, installation: "aaaa", isShared: true)
            _ = try await BackupWriter().write(
                [StateDatabase.daemon.source(in: folder.url)],
                to: shared.place(at: 2000),
                depth: .full,
                at: 2000,
                installation: "aaaa"
            )
            try BackupRecord(installation: id, databases: ["trilateral.db"]).write(in: folder.path)
            try damage(folder.path("trilateral.db"))
            let report = try #require(StateRepair.run(in: folder.url, BackupCollection(path), at: 5).first)
            guard id == "aaaa" else {
                #expect(report.outcome == .noBackup(in: path))
                return
            }
            let backup = try #require(shared.backups.first)
            #expect(
                report.outcome
                    == .restored(from: backup, damaged: folder.path("trilateral.db.damaged-5"))
            )
        }
    }

    @Test func `a database that is missing with its backups is reported if the last backup had it`()
        async throws
    {
        try await withTemporaryFolder { folder in
            let backups = BackupCollection(folder.path("elsewhere"))
            try BackupRecord(installation: "aaaa", databases: ["flare.db"]).write(in: folder.path)
            let reports = StateRepair.run(in: folder.url, backups, at: 5)
            #expect(reports.map(\.path) == [folder.path("flare.db")])
            #expect(reports.first?.outcome == .noBackup(in: backups.path))
            #expect(reports.first?.what == nil)
        }
    }

    @Test func `a copy that is too large for a start is left to the verb`() async throws {
        try await withState { folder, backups in
            let backup = try #require(backups.backups.first)
            try damage(folder.path("trilateral.db"))
            let file = try #require(FileHandle(forUpdatingAtPath: backup.file("trilateral.db")))
            try file.truncate(atOffset: 80_000_000)
            try file.close()
            let report = try #require(StateRepair.run(in: folder.url, backups, at: 5).first)
            #expect(report.outcome == .tooLarge(backup))
            #expect(report.description.hasSuffix("run: trilateral restore \(backup.path)"))
            #expect(FileStatus(path: folder.path("trilateral.db.damaged-5")) == nil)
        }
    }

    @Test func `what a crash left of a repair is removed`() async throws {
        try await withState { folder, backups in
            try folder.write("", to: ".trilateral.db.restored-1")
            #expect(StateRepair.run(in: folder.url, backups, at: 5) == [])
            #expect(FileStatus(path: folder.path(".trilateral.db.restored-1")) == nil)
        }
    }

    @Test func `nothing is touched while another process has a database`() async throws {
        try await withState { folder, backups in
            try damage(folder.path("trilateral.db"))
            try folder.write("", to: ".trilateral.db.restored-1")
            try folder.write("locked", to: "flare.db")
            let file = try #require(FileHandle(forUpdatingAtPath: folder.path("flare.db")))
            // A lock of the open file, which this process sees as another one's; fcntl(2), F_OFD_SETLK.
            var lock = flock()
            lock.l_type = Int16(F_WRLCK)
            try #require(fcntl(file.fileDescriptor, 37, &lock) == 0)
            #expect(StateRepair.run(in: folder.url, backups, at: 5) == [])
            #expect(FileStatus(path: folder.path("trilateral.db.damaged-5")) == nil)
            #expect(FileStatus(path: folder.path(".trilateral.db.restored-1")) != nil)
            try file.close()
            #expect(
                StateRepair.run(in: folder.url, backups, at: 5).map(\.path).contains(
                    folder.path("trilateral.db")
                )
            )
        }
    }

    @Test func `an empty folder has nothing to repair`() async throws {
        try await withTemporaryFolder { folder in
            #expect(StateRepair.run(in: folder.url, BackupCollection(folder.path("x")), at: 5) == [])
        }
    }
}
