import Controller
import Daemon
import Databases
import Foundation
import GRDB
import HTTPListener
import JSON
import OperatingSystem
import TestSupport
import Testing
import Threading

struct BackupServiceTests {
    private static let hour: Int64 = 3_600_000
    private static let start: Int64 = 1_795_816_800_000

    /// A state folder with one database, a clock that the test sets, and a schedule that the test runs.
    private final class TestBackups: Sendable {
        let folder: TemporaryFolder
        let store: StateStore
        let service: BackupService
        let now = Locked<Int64>(BackupServiceTests.start)
        private let events = Locked<[ControllerEvent]>([])
        private let pauses = Locked<[Duration]>([])

        init(
            _ folder: TemporaryFolder,
            _ settings: BackupSettings = BackupSettings(),
            rounds: Int = 0,
            sources: (@Sendable () -> [DatabaseSource])? = nil,
            writer: BackupWriter? = nil
        ) throws {
            let (now, events, pauses) = (now, events, pauses)
            self.folder = folder
            store = try StateStore(folder: folder.url)
            service = BackupService(
                store,
                in: folder.url,
                settings,
                sources: sources ?? { StateDatabase.allCases.map { $0.source(in: folder.url) } },
                clock: { now.withLock { $0 } },
                sleep: { pause in
                    let count = pauses.withLock { pauses in
                        pauses.append(pause)
                        return pauses.count
                    }
                    guard count <= rounds else { throw CancellationError() }
                    let milliseconds = Int64(pause / .milliseconds(1))
                    now.withLock { $0 += milliseconds }
                },
                // With a writer of the test the time is always up.
                patience: { if writer == nil { try await Task.sleep(for: $0) } },
                writer: writer,
                send: { event in events.withLock { $0.append(event) } },
                logger: .silent
            )
        }

        var path: String { folder.path("backups") }
        var backups: [Backup] { BackupCollection(path).backups }
        var waited: [Duration] { pauses.withLock { $0 } }

        /// How often the alert about backups was ended.
        var ends: Int {
            events.withLock { $0 }.count { if case .alertCleared("backup") = $0 { true } else { false } }
        }

        /// The alerts that are raised, by name.
        var alerts: [String: String] {
            events.withLock { $0 }.reduce(into: [:]) { alerts, event in
                switch event {
                case .alertRaised(let name, _, let message): alerts[name] = message
                case .alertCleared(let name): alerts[name] = nil
                default: break
                }
            }
        }
    }

    private func withBackups(
        _ settings: BackupSettings = BackupSettings(),
        rounds: Int = 0,
        _ body: (TestBackups) async throws -> Void
    ) async throws {
        try await withTemporaryFolder { folder in
            let backups = try TestBackups(folder, settings, rounds: rounds)
            try await body(backups)
            backups.store.close()
        }
    }

    private func settings(every hours: Int = 24, keep: Int = 3, in folder: String? = nil) -> BackupSettings {
        var settings = BackupSettings()
        (settings.everyHours, settings.keep, settings.folder) = (hours, keep, folder)
        return settings
    }

    // MARK: The schedule

    @Test func `the first backup comes ten minutes after a start, and then one each period`() async throws {
        try await withBackups(rounds: 3) { backups in
            await backups.service.run()
            #expect(backups.waited == [.seconds(600), .seconds(86_400), .seconds(86_400), .seconds(86_400)])
            let first = Self.start + 600_000
            #expect(backups.backups.map(\.made) == [2, 1, 0].map { first + $0 * 24 * Self.hour })
            #expect(backups.service.health.lastBackup == first + 48 * Self.hour)
            #expect(backups.alerts.isEmpty)
        }
    }

    @Test func `a start waits until the last backup is old enough`() async throws {
        try await withBackups(rounds: 1) { backups in
            #expect(await backups.service.makeDue())
            backups.now.withLock { $0 += 10 * Self.hour }
            await backups.service.run()
            #expect(backups.waited == [.seconds(14 * 3600), .seconds(86_400)])
        }
    }

    @Test func `only as many backups as configured stay`() async throws {
        try await withBackups(settings(every: 6, keep: 2), rounds: 5) { backups in
            await backups.service.run()
            #expect(backups.backups.count == 2)
        }
    }

    @Test func `a full check is made once a week, and remembered`() async throws {
        try await withBackups(rounds: 8) { backups in
            await backups.service.run()
            let (first, days) = (Self.start + 600_000, 24 * Self.hour)
            #expect((try? backups.store.lastCheck()) == first + 7 * days)
            #expect(backups.service.health.lastCheck == first + 7 * days)
        }
    }

    @Test func `without a schedule there is a check each week, and no backup`() async throws {
        try await withBackups(settings(every: 0), rounds: 2) { backups in
            await backups.service.run()
            #expect(backups.waited == [.seconds(600), .seconds(604_800), .seconds(604_800)])
            #expect(backups.backups.isEmpty)
            #expect(try backups.store.lastCheck() == Self.start + 600_000 + 168 * Self.hour)
            let names = try FileManager.default.contentsOfDirectory(atPath: backups.folder.path)
            #expect(names.allSatisfy { $0.hasPrefix("trilateral.db") })
        }
    }

    @Test func `no backup and no check is known before the first`() async throws {
        try await withBackups { backups in
            let health = backups.service.health
            #expect(health.lastBackup == nil && health.lastCheck == nil)
        }
    }

    // MARK: Failures

    @Test func `a backup that fails is an alert, and tried again within an hour`() async throws {
        try await withTemporaryFolder { folder in
            // A file where the folder should be.
            try folder.write("", to: "taken")
            let backups = try TestBackups(folder, settings(in: folder.path("taken/backups")), rounds: 2)
            await backups.service.run()
            #expect(backups.waited == [.seconds(600), .seconds(3600), .seconds(3600)])
            let message = try #require(backups.alerts["backup"])
            #expect(message.hasPrefix("No backup was made: "))
            #expect(message.hasSuffix("It is tried again. There is no good one yet."))
            backups.store.close()
        }
    }

    @Test func `the alert of a backup that failed ends with the next good one`() async throws {
        try await withTemporaryFolder { folder in
            try folder.write("", to: "taken")
            let backups = try TestBackups(folder, settings(in: folder.path("taken/backups")))
            #expect(await !backups.service.makeDue())
            #expect(backups.alerts["backup"] != nil)
            try FileManager.default.removeItem(atPath: folder.path("taken"))
            #expect(await backups.service.makeDue())
            #expect(backups.alerts.isEmpty)
            backups.store.close()
        }
    }

    /// Runs the body while the thread of the writer waits, as in a call that the disk does not answer.
    ///
    /// - Parameter body: Calls its parameter when the disk is to answer.
    private func withHangingDisk(_ body: (BackupWriter, () -> Void) async throws -> Void) async throws {
        let writer = try BackupWriter()
        let (hanging, port) = AsyncStream.makeStream(of: Never.self)
        let answer = DispatchSemaphore(value: 0)
        let disk = Task {
            await writer.perform {
                port.finish()
                answer.wait()
            }
        }
        for await _ in hanging {}
        do {
            try await body(writer) { answer.signal() }
        } catch {
            answer.signal()
            throw error
        }
        await disk.value
    }

    @Test(.timeLimit(.minutes(1)))
    func `a folder that does not answer is an alert, and the backup goes on when it answers`() async throws {
        try await withTemporaryFolder { folder in
            try await withHangingDisk { writer, answer in
                let backups = try TestBackups(folder, settings(in: folder.path("elsewhere")), writer: writer)
                let isDone = Task { await backups.service.makeDue() }
                #expect(await eventually { backups.alerts["backup"] != nil })
                let message = try #require(backups.alerts["backup"])
                #expect(message.contains("elsewhere has not answered for 30 minutes; look at its disk"))
                #expect(message.hasSuffix("There is no good one yet."))
                answer()
                #expect(await isDone.value)
                #expect(backups.alerts["backup"]?.contains("has not answered") != true)
                backups.store.close()
            }
        }
    }

    @Test(.timeLimit(.minutes(1)))
    func `the answer of a folder does not end the alert while the backup fails`() async throws {
        try await withTemporaryFolder { folder in
            try folder.write("", to: "taken")
            try await withHangingDisk { writer, answer in
                let backups = try TestBackups(
                    folder,
                    settings(in: folder.path("taken/backups")),
                    writer: writer
                )
                let isDone = Task { await backups.service.makeDue() }
                #expect(await eventually { backups.alerts["backup"] != nil })
                answer()
                #expect(await !isDone.value)
                #expect(backups.alerts["backup"]?.hasPrefix("No backup was made: ") == true)
                #expect(backups.ends == 0)
                backups.store.close()
            }
        }
    }

    @Test(.timeLimit(.minutes(1)))
    func `the alert of a folder that does not answer at the start ends with its answer`() async throws {
        try await withTemporaryFolder { folder in
            try await withHangingDisk { writer, answer in
                let backups = try TestBackups(folder, settings(in: folder.path("elsewhere")), writer: writer)
                let run = Task { await backups.service.run() }
                #expect(await eventually { backups.alerts["backup"] != nil })
                answer()
                await run.value
                #expect(backups.ends == 1)
                backups.store.close()
            }
        }
    }

    @Test func `older backups stay while no new one is good`() async throws {
        try await withBackups(settings(keep: 1)) { backups in
            #expect(await backups.service.makeDue())
            let good = backups.backups
            let flare = backups.folder.path("flare.db")
            try Data(repeating: 0x5A, count: 8192).write(to: URL(filePath: flare))
            backups.now.withLock { $0 += 24 * Self.hour }
            #expect(await !backups.service.makeDue())
            #expect(backups.backups == good)
            #expect(backups.service.health.lastBackup == Self.start)
            #expect(backups.alerts.count == 1)
        }
    }

    // MARK: Requests

    @Test func `a backup for a verb is in the state folder, and the next start removes what nobody took`()
        async throws
    {
        try await withBackups { backups in
            let made = try await backups.service.makeToHandOver().get()
            #expect(made.path.hasPrefix(backups.folder.path(BackupService.handedOver)))
            try Backup(reading: made.path).verify(.full)
            #expect(backups.backups.isEmpty)
            await backups.service.run()
            #expect(FileStatus(path: made.path) == nil)
        }
    }

    /// Files have the time of this machine, and not that of the test.
    private func setAge(_ seconds: Int64, of backup: Backup, _ backups: TestBackups) throws {
        let time = Double(backups.now.withLock { $0 } / 1000 - seconds)
        try FileManager.default.setAttributes(
            [.modificationDate: Date(timeIntervalSince1970: time)],
            ofItemAtPath: backup.path
        )
    }

    private func handOver(_ backups: TestBackups, secondsAgo seconds: Int64) async throws -> Backup {
        let backup = try await backups.service.makeToHandOver().get()
        try setAge(seconds, of: backup, backups)
        return backup
    }

    @Test func `what nobody has taken within an hour goes before the next backup`() async throws {
        try await withBackups { backups in
            let made = [
                try await handOver(backups, secondsAgo: 3500), try await handOver(backups, secondsAgo: 3500),
            ]
            try setAge(3700, of: made[0], backups)
            #expect(await backups.service.makeDue())
            #expect(FileStatus(path: made[0].path) == nil)
            #expect(FileStatus(path: made[1].path) != nil)
            backups.now.withLock { $0 += 200_000 }
            _ = try await backups.service.makeToHandOver().get()
            #expect(FileStatus(path: made[1].path) == nil)
        }
    }

    // MARK: Other folders

    private static func perform(_ work: (Database) throws -> Bool, on queue: DatabaseQueue) throws -> Bool {
        try queue.writeWithoutTransaction(work)
    }

    @Test func `a database is not held while its copy is brought to another folder`() async throws {
        try await withTemporaryFolder { folder in
            let elsewhere = folder.path("elsewhere")
            let queue = try DatabaseQueue(path: folder.path("history.db"))
            try await queue.write { try $0.execute(sql: "CREATE TABLE thing (n)") }
            let source = DatabaseSource(name: "history.db", path: folder.path("history.db")) { work in
                #expect(FileStatus(path: elsewhere) == nil)
                return try Self.perform(work, on: queue)
            }
            let backups = try TestBackups(folder, settings(in: elsewhere), sources: { [source] })
            #expect(await backups.service.makeDue())
            let id = try backups.store.installationID()
            let own = BackupCollection(elsewhere, installation: id, isShared: true).backups
            #expect(own.count == 1 && own.first?.files.map(\.name) == ["history.db"])
            #expect(BackupRecord(in: folder.path)?.databases == ["history.db"])
            let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
            #expect(!names.contains { $0.contains(BackupService.handedOver) })
            backups.store.close()
            try queue.close()
        }
    }

    @Test func `two daemons have one folder, and each keeps its own backups`() async throws {
        try await withTemporaryFolder { shared in
            try await withTemporaryFolder { one in
                try await withTemporaryFolder { two in
                    let settings = settings(keep: 1, in: shared.path("b"))
                    let both = [try TestBackups(one, settings), try TestBackups(two, settings)]
                    for _ in 0..<2 {
                        for backups in both {
                            #expect(await backups.service.makeDue())
                            backups.now.withLock { $0 += 24 * Self.hour }
                        }
                    }
                    let ids = Set(BackupCollection(shared.path("b")).backups.map(\.installation))
                    #expect(try ids == Set(both.map { try $0.store.installationID() }))
                    #expect(BackupCollection(shared.path("b")).backups.count == 2)
                    for backups in both { backups.store.close() }
                }
            }
        }
    }

    @Test func `a clock that was ahead neither puts a backup off nor removes the new one`() async throws {
        try await withBackups(settings(keep: 1), rounds: 1) { backups in
            backups.now.withLock { $0 += 9000 * Self.hour }
            #expect(await backups.service.makeDue())
            backups.now.withLock { $0 -= 9000 * Self.hour }
            await backups.service.run()
            #expect(backups.waited.first == .seconds(600))
            #expect(backups.backups.map(\.made) == [Self.start + 600_000])
        }
    }

    @Test func `after the end no backup is begun`() async throws {
        try await withBackups { backups in
            await backups.service.run()
            #expect(await backups.service.makeToHandOver() == .failure(.cancelled))
        }
    }
}
