import Foundation
import JSON
import OperatingSystem
import SystemPackage
import Threading

/// Makes backups, on a thread of its own, which ends with it: nobody else waits for a disk.
package actor BackupWriter {
    /// In the name of a folder that is not complete, which begins with a dot.
    package static let unfinishedMark = ".unfinished-"
    /// What must be free besides the size of the copies: as much as the largest of them, within limits; bytes.
    private static let reserve = 67_108_864...1_073_741_824

    private let executor: LoopExecutor

    nonisolated package var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    /// - Throws: ``BackupError`` if the system allows no further thread.
    package init() throws(BackupError) {
        do { executor = try LoopExecutor() } catch { throw .system(path: "a thread", code: error.rawValue) }
    }

    /// Copies databases to a new folder, which is there whole and checked or not at all.
    ///
    /// - Parameters:
    ///   - sources: Those that have no file are left out.
    ///   - path: Of the new folder; the one above it is made if it is missing.
    ///   - depth: How the copies are checked.
    ///   - now: Milliseconds since 1970, UTC.
    ///   - installation: Whose it is, if it is of a schedule.
    ///   - collection: Whose older backups go if there is no room; on the same disk.
    package func write(
        _ sources: [DatabaseSource],
        to path: String,
        depth: DatabaseCheck.Depth,
        at now: Int64,
        installation: String? = nil,
        makingRoomIn collection: BackupCollection? = nil
    ) async throws(BackupError) -> Backup {
        let place = URL(filePath: path, directoryHint: .notDirectory).absoluteURL.standardized
        let target = place.path(percentEncoded: false)
        let above = place.deletingLastPathComponent().path(percentEncoded: false)
        guard FileStatus(path: target, followsLinks: false) == nil else { throw .exists(path: target) }
        try Self.makeFolder(above)
        let there = sources.filter { FileStatus(path: $0.path) != nil }
        try Self.requireRoom(for: there.map(\.bytes), in: above, collection, at: now)
        let unfinished = try Self.makeUnfinished(place.lastPathComponent, in: above)
        do throws(BackupError) {
            var files: [Backup.File] = []
            for source in there {
                files.append(try await Self.copy(source, to: unfinished, depth))
            }
            let program = ProgramVersion.current.description
            let backup = Backup(
                path: target,
                made: now,
                program: program,
                files: files,
                installation: installation
            )
            try Self.describe(backup, in: unfinished)
            try Self.move(unfinished, to: target, in: above)
            return backup
        } catch {
            Backup.remove(unfinished)
            throw error
        }
    }

    /// Moves a backup to another folder, or copies its files where that is on another disk.
    ///
    /// - Parameters:
    ///   - collection: Whose older backups go if there is no room.
    ///   - now: Milliseconds since 1970, UTC.
    package func deliver(
        _ backup: Backup,
        to target: String,
        in collection: BackupCollection,
        at now: Int64
    ) throws(BackupError) -> Backup {
        let place = URL(filePath: target, directoryHint: .notDirectory)
        let above = place.deletingLastPathComponent().path(percentEncoded: false)
        try Self.makeFolder(above)
        do throws(BackupError) {
            try Self.move(backup.path, to: target, in: above)
            return try Backup(reading: target)
        } catch {
            guard error == .system(path: target, code: EXDEV) else { throw error }
        }
        try Self.requireRoom(for: backup.files.map(\.bytes), in: above, collection, at: now)
        let unfinished = try Self.makeUnfinished(place.lastPathComponent, in: above)
        do throws(BackupError) {
            for name in backup.files.map(\.name) + [Backup.description] {
                guard !Task.isCancelled else { throw .cancelled }
                try StateReplacement.copy(backup.file(name), to: Backup.joined(unfinished, name))
            }
            try DatabaseCopy.synchronize(unfinished)
            try Self.move(unfinished, to: target, in: above)
        } catch {
            Backup.remove(unfinished)
            throw error
        }
        Backup.remove(backup.path)
        return try Backup(reading: target)
    }

    /// Does other work with the folders of backups, whose disk may be slow or not answer at all.
    package func perform<Value: Sendable>(_ work: @Sendable () -> Value) -> Value { work() }

    private static func makeUnfinished(_ name: String, in above: String) throws(BackupError) -> String {
        let number = String(UInt32.random(in: 0 ... .max), radix: 36)
        let unfinished = Backup.joined(above, "." + name + unfinishedMark + number)
        guard mkdir(unfinished, 0o700) == 0 else { throw .system(path: unfinished, code: errno) }
        return unfinished
    }

    private static func copy(
        _ source: DatabaseSource,
        to folder: String,
        _ depth: DatabaseCheck.Depth
    ) async throws(BackupError) -> Backup.File {
        let file = Backup.joined(folder, source.name)
        do {
            try await DatabaseCopy.make(of: source, to: file)
        } catch is CancellationError {
            throw .cancelled
        } catch {
            throw BackupError(error, of: source.path)
        }
        switch DatabaseCheck.run(depth, on: file) {
        case .sound: break
        // What is wrong in the copy is wrong in the original.
        case .damaged(let what): throw .damaged(path: source.path, what: what)
        case .unknown(let what): throw .database(name: file, code: 1, message: what)
        }
        return Backup.File(name: source.name, bytes: FileStatus(path: file)?.size ?? 0)
    }

    private static func describe(_ backup: Backup, in folder: String) throws(BackupError) {
        let path = Backup.joined(folder, Backup.description)
        do throws(FileWriteError) {
            try AtomicFile.write(backup.json.bytes + [0x0A], to: path, permissions: 0o600)
        } catch {
            throw .system(path: path, code: error.code)
        }
    }

    /// Gives a complete folder its name.
    package static func move(_ folder: String, to target: String, in above: String) throws(BackupError) {
        // An empty folder would be replaced.
        guard FileStatus(path: target, followsLinks: false) == nil else { throw .exists(path: target) }
        guard rename(folder, target) == 0 else { throw .system(path: target, code: errno) }
        try DatabaseCopy.synchronize(above)
    }

    /// Makes a folder for its owner only, and those above it.
    private static func makeFolder(_ path: String) throws(BackupError) {
        guard FileStatus(path: path) == nil else { return }
        do {
            try FileManager.default.createDirectory(
                atPath: path,
                withIntermediateDirectories: true,
                attributes: [.posixPermissions: 0o700]
            )
        } catch {
            throw .system(path: path, code: errno == 0 ? EIO : errno)
        }
    }

    private static func requireRoom(
        for sizes: [Int],
        in folder: String,
        _ collection: BackupCollection?,
        at now: Int64
    ) throws(BackupError) {
        let largest = sizes.max() ?? 0
        let needed = sizes.reduce(min(max(largest, reserve.lowerBound), reserve.upperBound)) { sum, size in
            let (sum, isHuge) = sum.addingReportingOverflow(max(size, 0))
            return isHuge ? .max : sum
        }
        // A file system that does not say what is free says it when it is full.
        let free = { FileSystemSpace(path: folder).map { Int(clamping: $0.freeBytes) } ?? .max }
        guard free() < needed else { return }
        collection?.makeRoom(at: now) { free() >= needed }
        let left = free()
        guard left < needed else { return }
        throw .noRoom(path: folder, needed: needed, free: left)
    }
}

extension DatabaseSource {
    /// The size of the file and its log.
    fileprivate var bytes: Int {
        ["", "-wal"].reduce(0) { sum, suffix in
            let (sum, isHuge) = sum.addingReportingOverflow(FileStatus(path: path + suffix)?.size ?? 0)
            return isHuge ? .max : sum
        }
    }
}
