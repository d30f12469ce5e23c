import Glibc
import OperatingSystem

/// Puts copies of databases in the place of those in a state folder, which no process has open.
package struct StateReplacement: Sendable {
    private static let suffixes = ["", "-wal", "-shm", "-journal"]

    private let folder: String
    private let backup: Backup

    package init(of folder: String, from backup: Backup) { (self.folder, self.backup) = (folder, backup) }

    /// Replaces databases: all of them, or none if it fails.
    ///
    /// - Parameters:
    ///   - names: Which; each is in the backup.
    ///   - aside: Where the present file goes, by its name: a path on the same file system.
    package func replace(_ names: [String], aside: (String) -> String) throws(BackupError) {
        var ready: [(name: String, path: String)] = []
        var (moved, placed): ([String], [String]) = ([], [])
        do throws(BackupError) {
            for name in names {
                let number = String(UInt32.random(in: 0 ... .max), radix: 36)
                let path = Backup.joined(folder, ".\(name).restored-\(number)")
                try Self.copy(backup.file(name), to: path)
                ready.append((name, path))
            }
            for (name, path) in ready {
                let place = Backup.joined(folder, name)
                moved.append(name)
                try Self.move(place, to: aside(name))
                guard rename(path, place) == 0 else { throw .system(path: place, code: errno) }
                placed.append(place)
            }
        } catch {
            for (_, path) in ready { unlink(path) }
            for place in placed { unlink(place) }
            for name in moved { try? Self.move(aside(name), to: Backup.joined(folder, name)) }
            throw error
        }
        try DatabaseCopy.synchronize(folder)
    }

    /// Renames a database with the files that SQLite keeps beside it, if there is one.
    package static func move(_ path: String, to target: String) throws(BackupError) {
        for suffix in suffixes where FileStatus(path: path + suffix, followsLinks: false) != nil {
            guard rename(path + suffix, target + suffix) == 0 else {
                throw .system(path: target + suffix, code: errno)
            }
        }
    }

    /// Copies a file to a new one for its owner only, which is on the disk then.
    package static func copy(_ path: String, to target: String) throws(BackupError) {
        // Neither a link, which may lead to a file that only root reads, nor a pipe, at which this would wait.
        let source = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
        guard source >= 0 else { throw .system(path: path, code: errno) }
        defer { close(source) }
        guard FileStatus(descriptor: source)?.kind == .file else { throw .system(path: path, code: EINVAL) }
        let descriptor = open(target, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw .system(path: target, code: errno) }
        var code = transfer(source, to: descriptor)
        if code == 0, fsync(descriptor) != 0 { code = errno }
        close(descriptor)
        guard code == 0 else {
            unlink(target)
            throw .system(path: target, code: code)
        }
    }

    /// - Returns: The system's error number; 0 if all of it was copied.
    private static func transfer(_ source: Int32, to target: Int32) -> Int32 {
        var chunk = [UInt8](repeating: 0, count: 262_144)
        while true {
            let count = read(source, &chunk, chunk.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return count < 0 ? errno : 0 }
            let code = writeAll(Array(chunk.prefix(count)), to: target)
            guard code == 0 else { return code }
        }
    }
}
