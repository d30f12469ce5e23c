import Foundation
import JSON
import OperatingSystem
import SystemPackage
import Threading

/// Makes backups, on a thread of its own, which ends with it: nobody else waits for a disk.
package actor BackupWriter {
    /// In the name of a folder that is not complete, which begins with a dot.
    package static let unfinishedMark = ".unfinished-"
    /// What must be free besides the size of the copies, bytes.
    private static let reserve = 67_108_864

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
    package func write(
        _ sources: [DatabaseSource],
        to path: String,
        depth: DatabaseCheck.Depth,
        at now: Int64
    ) async throws(BackupError) -> Backup {
        let place = URL(filePath: path, directoryHint: .notDirectory).absoluteURL.standardized
        let target = place.path(percentEncoded: false)
        let above = place.deletingLastPathComponent().path(percentEncoded: false)
        guard FileStatus(path: target, followsLinks: false) == nil else { throw .exists(path: target) }
        try Self.makeFolder(above)
        let there = sources.filter { FileStatus(path: $0.path) != nil }
        try Self.requireRoom(for: there, in: above)
        let number = String(UInt32.random(in: 0 ... .max), radix: 36)
        let unfinished = Backup.joined(above, "." + place.lastPathComponent + Self.unfinishedMark + number)
        guard mkdir(unfinished, 0o700) == 0 else { throw .system(path: unfinished, code: errno) }
        do throws(BackupError) {
            var files: [Backup.File] = []
            for source in there {
                files.append(try await Self.copy(source, to: unfinished, depth))
            }
            let program = ProgramVersion.current.description
            let backup = Backup(path: target, made: now, program: program, files: files)
            try Self.describe(backup, in: unfinished)
            try Self.move(unfinished, to: target, in: above)
            return backup
        } catch {
            Backup.remove(unfinished)
            throw error
        }
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

    private static func requireRoom(for sources: [DatabaseSource], in folder: String) throws(BackupError) {
        var needed = reserve
        for source in sources {
            for suffix in ["", "-wal"] {
                needed =
                    needed.addingReportingOverflow(FileStatus(path: source.path + suffix)?.size ?? 0)
                    .partialValue
            }
        }
        var system = statvfs()
        guard statvfs(folder, &system) == 0 else { return }
        let (free, isHuge) = UInt64(system.f_bavail).multipliedReportingOverflow(by: UInt64(system.f_frsize))
        guard !isHuge, free < UInt64(clamping: needed) else { return }
        throw .noRoom(path: folder, needed: needed, free: Int(clamping: free))
    }
}
