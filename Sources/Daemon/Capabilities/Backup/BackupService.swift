package import Controller
package import Databases
package import Foundation
package import Logging
import OperatingSystem
import Text
import Threading

/// Makes backups on a schedule and when somebody asks, and checks the databases once a week.
///
/// The full check is of a copy, so that nobody who uses the database waits for it: what is wrong in the original is wrong in the
/// copy too. Copies are made in the state folder, and then brought to the folder of the backups on a thread of its own: the disk
/// of that folder may not answer, and the databases are not held meanwhile.
package actor BackupService {
    static let backupAlert = "backup"
    static let checkAlert = "database-damaged"
    /// How long after a start the first backup is made, if one is due: many starts must not be many backups.
    private static let first = Duration.seconds(600)
    /// How long after a failure it is tried again, at the latest.
    private static let retry = Duration.seconds(3600)
    private static let week: Int64 = 7 * 86_400_000
    /// How long a verb may leave a backup that it asked for, seconds.
    private static let patience: Int64 = 3600
    /// How long one piece of work in the folder of the backups may take before an alert says so.
    ///
    /// A gigabyte takes as long at half a megabyte a second.
    private static let limit = Duration.seconds(1800)
    /// What comes before the number in the name of a folder that a verb takes over.
    package static let handedOver = ".backup-"

    private let store: StateStore
    private let folder: URL
    private let settings: BackupSettings
    private let sources: @Sendable () -> [DatabaseSource]
    /// Milliseconds since 1970, UTC.
    private let clock: @Sendable () -> Int64
    private let sleep: @Sendable (Duration) async throws -> Void
    /// Waits for ``limit``; a parameter, so that tests need not wait.
    private let patience: @Sendable (Duration) async throws -> Void
    private let send: @Sendable (ControllerEvent) -> Void
    private let logger: Logger
    private nonisolated let times = Locked<(backup: Int64?, check: Int64?)>((nil, nil))
    /// The copy that is made now, in the state folder.
    private var running: Task<Result<Backup, BackupError>, Never>?
    /// The thread that uses the folder of the backups, and what it brings there now.
    private var writer: BackupWriter?
    private var delivered: String?
    private var isEnded = false

    /// - Parameters:
    ///   - folder: The state folder.
    ///   - sources: The databases; asked at each backup.
    ///   - patience: Returns when the folder of the backups has had the given time.
    ///   - writer: The thread that uses the folder of the backups; without it one is made when it is needed.
    ///   - send: Receives alerts.
    package init(
        _ store: StateStore,
        in folder: URL,
        _ settings: BackupSettings,
        sources: @escaping @Sendable () -> [DatabaseSource],
        clock: @escaping @Sendable () -> Int64,
        sleep: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) },
        patience: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) },
        writer: BackupWriter? = nil,
        send: @escaping @Sendable (ControllerEvent) -> Void,
        logger: Logger
    ) {
        (self.store, self.folder, self.settings, self.sources) = (store, folder, settings, sources)
        (self.clock, self.sleep, self.patience, self.writer) = (clock, sleep, patience, writer)
        (self.send, self.logger) = (send, logger)
    }

    /// Own backups only: the folder may be that of several daemons.
    private var collection: BackupCollection {
        let path = Self.backups(in: folder, settings)
        return BackupCollection(
            path,
            installation: installation,
            isShared: !Self.isOwn(path, in: folder)
        )
    }

    private var installation: String? { try? store.installationID() }

    /// Whether a folder of backups is the one in the state folder, which no other daemon has.
    static func isOwn(_ backups: String, in folder: URL) -> Bool {
        let own = Self.backups(in: folder, BackupSettings())
        return URL(filePath: backups, directoryHint: .isDirectory).standardized.path
            == URL(filePath: own, directoryHint: .isDirectory).standardized.path
    }

    /// Where the backups of the schedule are.
    package static func backups(in folder: URL, _ settings: BackupSettings) -> String {
        settings.folder ?? folder.appending(path: "backups").path(percentEncoded: false)
    }

    /// What is known now; may be asked from anywhere.
    package nonisolated var health: DataHealth {
        let times = times.withLock { $0 }
        return DataHealth(lastBackup: times.backup, lastCheck: times.check)
    }

    // MARK: The schedule

    /// Runs until the task is cancelled; a backup that is being made is broken off then.
    package func run() async {
        removeLeftOver(all: true)
        let (collection, now) = (collection, clock())
        // One of a clock that was ahead does not count.
        let last = try? await apart { writer throws(BackupError) in
            await writer.perform { collection.backups.first { $0.made <= now }?.made }
        }
        // Until now there is none but that of a folder that did not answer.
        send(.alertCleared(Self.backupAlert))
        let known = (last, try? store.lastCheck())
        times.withLock { $0 = known }
        var pause = max(Self.first, min(untilDue, period))
        while (try? await sleep(pause)) != nil {
            pause = await makeDue() ? period : min(period, Self.retry)
        }
        isEnded = true
        running?.cancel()
        _ = await running?.value
    }

    private var period: Duration {
        settings.everyHours > 0 ? .seconds(settings.everyHours * 3600) : .milliseconds(Self.week)
    }

    private var untilDue: Duration {
        let times = times.withLock { $0 }
        guard let last = settings.everyHours > 0 ? times.backup : times.check else { return .zero }
        return period - .milliseconds(max(0, clock() - last))
    }

    private var isCheckDue: Bool {
        guard let last = times.withLock({ $0.check }) else { return true }
        // A clock that was set back must not put it off; an hour less, so that a daily one does not wait a day longer.
        return !(0..<Self.week - 3_600_000).contains(clock() - last)
    }

    /// Makes the backup that is due; without a schedule only the check.
    ///
    /// - Returns: Whether it was good.
    package func makeDue() async -> Bool {
        removeLeftOver(all: false)
        let now = clock()
        let isBackup = settings.everyHours > 0
        let depth: DatabaseCheck.Depth = isCheckDue ? .full : .quick
        do throws(BackupError) {
            let copied = try await make(depth, isScheduled: isBackup).get()
            if isBackup {
                let backup = try await deliver(copied, at: now)
                record(backup)
                times.withLock { $0.backup = now }
                send(.alertCleared(Self.backupAlert))
                let bytes = backup.files.reduce(0) { $0 + $1.bytes }
                logger.info("backup made", metadata: ["path": "\(backup.path)", "bytes": "\(bytes)"])
            } else {
                Backup.remove(copied.path)
            }
            if depth == .full { recordCheck(now) }
            send(.alertCleared(Self.checkAlert))
            return true
        } catch {
            if error != .cancelled, error != .busy { report(error) }
            return false
        }
    }

    /// Brings a copy to the folder of the backups, and removes the oldest ones there.
    private func deliver(_ copied: Backup, at now: Int64) async throws(BackupError) -> Backup {
        let (collection, count) = (collection, settings.keep)
        delivered = copied.path
        defer { delivered = nil }
        return try await apart { writer throws(BackupError) in
            let backup: Backup
            do throws(BackupError) {
                let place = collection.place(at: now)
                backup = try await writer.deliver(copied, to: place, in: collection, at: now)
            } catch {
                Backup.remove(copied.path)
                throw error
            }
            await writer.perform { collection.keep(count, new: backup, at: now) }
            return backup
        }
    }

    /// Does work on the thread that uses the folder of the backups; a task that is cancelled does not wait for the disk.
    private func apart<Value: Sendable>(
        _ work: @escaping @Sendable (BackupWriter) async throws(BackupError) -> Value
    ) async throws(BackupError) -> Value {
        let writer: BackupWriter
        if let known = self.writer { writer = known } else { writer = try BackupWriter() }
        self.writer = writer
        let (answers, port) = AsyncStream.makeStream(of: Result<Value, BackupError>.self)
        let task = Task {
            do throws(BackupError) {
                port.yield(.success(try await work(writer)))
            } catch {
                port.yield(.failure(error))
            }
            port.finish()
        }
        let watch = Task {
            guard (try? await patience(Self.limit)) != nil, !Task.isCancelled else { return }
            reportHanging()
        }
        defer { watch.cancel() }
        for await answer in answers {
            return try answer.get()
        }
        task.cancel()
        throw .cancelled
    }

    /// The disk of the backups has not answered for so long that somebody should look at it; it is waited for all the same.
    ///
    /// The alert ends as any about backups: with a good one, or with the answer to the question at the start.
    private func reportHanging() {
        let (path, minutes) = (Self.backups(in: folder, settings), Self.limit.components.seconds / 60)
        logger.warning("the folder of the backups does not answer", metadata: ["path": "\(path)"])
        let message =
            "No backup is made: \(path) has not answered for \(minutes) minutes; look at its disk, or at the network."
            + " It goes on as soon as it answers. \(lastGood)"
        send(.alertRaised(Self.backupAlert, .warning, message: message))
    }

    /// Remembers what is in the last backup, for a start that finds no databases.
    private func record(_ backup: Backup) {
        guard let installation = backup.installation else { return }
        let record = BackupRecord(installation: installation, databases: backup.files.map(\.name))
        do throws(BackupError) {
            try record.write(in: folder.path(percentEncoded: false))
        } catch {
            logger.warning("\(error)")
        }
    }

    private func recordCheck(_ now: Int64) {
        times.withLock { $0.check = now }
        do { try store.setLastCheck(now) } catch { logger.warning("\(error)") }
    }

    private var lastGood: String {
        times.withLock { $0.backup }
            .map { "The last good one is of \(CivilTime(milliseconds: $0).shortText)." }
            ?? "There is no good one yet."
    }

    private func report(_ error: BackupError) {
        if case .damaged = error {
            logger.error("a database is damaged", metadata: ["error": "\(error)"])
            let advice = "Stop the daemon and restore a backup (trilateral restore). \(lastGood)"
            send(.alertRaised(Self.checkAlert, .error, message: "\(error). \(advice)"))
        } else {
            logger.warning("no backup was made", metadata: ["error": "\(error)"])
            let message = "No backup was made: \(error). It is tried again. \(lastGood)"
            send(.alertRaised(Self.backupAlert, .warning, message: message))
        }
    }

    // MARK: Requests

    /// Makes a backup in the state folder; the verb that asked for it moves it from there.
    package func makeToHandOver() async -> Result<Backup, BackupError> {
        removeLeftOver(all: false)
        return await make(.full, isScheduled: false)
    }

    private var placeToHandOver: String {
        let number = String(UInt32.random(in: 0 ... .max), radix: 36)
        return folder.appending(path: Self.handedOver + number).path(percentEncoded: false)
    }

    /// Removes what nobody has taken.
    ///
    /// - Parameter all: Whether also what was made within an hour, as nobody takes it after a start.
    private func removeLeftOver(all: Bool) {
        let (path, now) = (folder.path(percentEncoded: false), clock() / 1000)
        for name in (try? Folder.names(in: path)) ?? []
        where name.hasPrefix(Self.handedOver) || name.hasPrefix("." + Self.handedOver) {
            let place = folder.appending(path: name).path(percentEncoded: false)
            guard running == nil, place != delivered,
                let status = FileStatus(path: place, followsLinks: false)
            else { continue }
            if all || now - Int64(status.modified.seconds) > Self.patience { Backup.remove(place) }
        }
    }

    private func make(
        _ depth: DatabaseCheck.Depth,
        isScheduled: Bool
    ) async -> Result<Backup, BackupError> {
        guard !isEnded else { return .failure(.cancelled) }
        guard running == nil else { return .failure(.busy) }
        let (sources, now, place) = (sources(), clock(), placeToHandOver)
        let installation = isScheduled ? installation : nil
        // Only backups in the state folder are on its disk for sure.
        let isOwn = isScheduled && Self.isOwn(Self.backups(in: folder, settings), in: folder)
        let collection = isOwn ? collection : nil
        // A task of its own: the daemon cancels it when it ends, also if a verb waits for it.
        let task = Task<Result<Backup, BackupError>, Never> {
            do throws(BackupError) {
                return .success(
                    try await BackupWriter().write(
                        sources,
                        to: place,
                        depth: depth,
                        at: now,
                        installation: installation,
                        makingRoomIn: collection
                    )
                )
            } catch {
                return .failure(error)
            }
        }
        running = task
        defer { running = nil }
        return await withTaskCancellationHandler {
            await task.value
        } onCancel: {
            task.cancel()
        }
    }
}
