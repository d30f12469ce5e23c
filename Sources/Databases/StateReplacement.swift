import Glibc
import OperatingSystem

/// Puts copies of databases in the place of those in a state folder, which no process has open.
package struct StateReplacement: Sendable {
    private static let suffixes = ["", "-wal", "-shm", "-journal"]
    /// In the name of a new file that is not at its place yet.
    private static let mark = ".restored-"

    private let folder: String
    private let backup: Backup

    package init(of folder: String, from backup: Backup) { (self.folder, self.backup) = (folder, backup) }

    /// Replaces databases: all of them, or none if it fails.
    ///
    /// A place is never without its file, also when the machine stops meanwhile: a daemon would begin an empty one there.
    ///
    /// - Parameters:
    ///   - names: Which; each is in the backup.
    ///   - aside: Where the present file goes, by its name: a path on the same file system, where nothing is.
    package func replace(_ names: [String], aside: (String) -> String) throws(BackupError) {
        var ready: [(name: String, path: String)] = []
        var (kept, placed): ([String], Set<String>) = ([], [])
        do throws(BackupError) {
            for name in names {
                let number = String(UInt32.random(in: 0 ... .max), radix: 36)
                let path = Backup.joined(folder, ".\(name)\(Self.mark)\(number)")
                try Self.copy(backup.file(name), to: path)
                ready.append((name, path))
            }
            for (name, path) in ready {
                let place = Backup.joined(folder, name)
                try Self.requireFree(aside(name))
                kept.append(name)
                try Self.keep(place, as: aside(name))
                try Self.removeLogs(place)
                // In this order on the disk as well.
                try DatabaseCopy.synchronize(folder)
                guard rename(path, place) == 0 else { throw .system(path: place, code: errno) }
                placed.insert(name)
            }
        } catch {
            for (_, path) in ready { unlink(path) }
            for name in kept {
                Self.takeBack(aside(name), to: Backup.joined(folder, name), isReplaced: placed.contains(name))
            }
            throw error
        }
        try DatabaseCopy.synchronize(folder)
    }

    /// Gives a database and its logs second names, which are on the disk then; their places keep them too.
    ///
    /// So there is a whole database at the place, and at the other name, whenever the machine stops.
    private static func keep(_ place: String, as target: String) throws(BackupError) {
        for suffix in suffixes where FileStatus(path: place + suffix, followsLinks: false) != nil {
            guard link(place + suffix, target + suffix) != 0 else { continue }
            let code = errno
            // Not every file system has second names.
            guard [EPERM, EOPNOTSUPP, ENOSYS, EMLINK].contains(code) else {
                throw .system(path: target + suffix, code: code)
            }
            // It may be put back, and must be its owner's then, also if root restores.
            try copy(place + suffix, to: target + suffix, keepsOwner: true)
        }
        let above = target.lastIndex(of: "/").map { String(target[...$0]) } ?? "."
        try DatabaseCopy.synchronize(above)
    }

    /// Removes the logs of the file that goes: SQLite would bring them into the one that comes.
    private static func removeLogs(_ place: String) throws(BackupError) {
        for suffix in suffixes.dropFirst() where FileStatus(path: place + suffix, followsLinks: false) != nil
        {
            guard unlink(place + suffix) == 0 else { throw .system(path: place + suffix, code: errno) }
        }
    }

    private static func requireFree(_ path: String) throws(BackupError) {
        for suffix in suffixes where FileStatus(path: path + suffix, followsLinks: false) != nil {
            throw .exists(path: path + suffix)
        }
    }

    /// Ends a replacement that was broken off, by a crash too: the file at the place has its logs again, and one name.
    package static func takeBack(_ aside: String, to place: String) {
        guard let kept = FileStatus(path: aside, followsLinks: false),
            kept.identity == FileStatus(path: place, followsLinks: false)?.identity
        else { return }
        takeBack(aside, to: place, isReplaced: false)
    }

    private static func takeBack(_ aside: String, to place: String, isReplaced: Bool) {
        // The logs belong to the file that was there before, and to no other.
        if isReplaced, rename(aside, place) != 0 {
            guard errno == ENOENT else { return }
            unlink(place)
        }
        for suffix in suffixes.dropFirst() {
            if FileStatus(path: place + suffix, followsLinks: false) == nil {
                rename(aside + suffix, place + suffix)
            } else {
                unlink(aside + suffix)
            }
        }
        // Last, so that a crash before leaves what tells that there is something to take back.
        unlink(aside)
    }

    /// Removes the new files of a replacement that a crash has broken off.
    package static func removeUnfinished(_ name: String, in folder: String) {
        for other in (try? Folder.names(in: folder)) ?? [] where other.hasPrefix(".\(name)\(mark)") {
            unlink(Backup.joined(folder, other))
        }
    }

    /// Copies a file to a new one for its owner only, which is on the disk then.
    ///
    /// - Parameter keepsOwner: Whether the new one gets the owner, as far as that is allowed, and the permissions of the other.
    package static func copy(
        _ path: String,
        to target: String,
        keepsOwner: Bool = false
    ) throws(BackupError) {
        // Neither a link, which may lead to a file that only root reads, nor a pipe, at which this would wait.
        let source = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
        guard source >= 0 else { throw .system(path: path, code: errno) }
        defer { close(source) }
        guard let status = FileStatus(descriptor: source), status.kind == .file else {
            throw .system(path: path, code: EINVAL)
        }
        let descriptor = open(target, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw .system(path: target, code: errno) }
        if keepsOwner {
            // A file system without second names often has no owners either. The permissions come last: a change of the owner
            // may remove some.
            _ = fchown(descriptor, status.owner, status.group)
            _ = fchmod(descriptor, mode_t(status.permissions))
        }
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
