import Glibc

/// The file of a database, and the files that SQLite keeps beside it.
package enum DatabaseFile {
    /// The device and inode number of a file, which do not depend on the spelling of its path; `nil` without a file.
    package static func identity(of path: String) -> String? {
        FileStatus(path: path).map { "\($0.identity.device)-\($0.identity.inode)" }
    }

    /// Creates the file if needed, and restricts all files of the database to their owner.
    ///
    /// SQLite gives its other files the same permissions, and reports errors when it opens them. Must not be called
    /// while this process has the database open: closing a file releases the process's locks on it.
    package static func makePrivate(_ path: String) {
        let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NONBLOCK, 0o600)
        if descriptor >= 0 { close(descriptor) }
        for suffix in ["", "-wal", "-shm", "-journal"] {
            guard isOpenToOthers(FileStatus(path: path + suffix, followsLinks: false)) else { continue }
            // The file may have been replaced meanwhile: check and change the opened one only.
            let file = open(path + suffix, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK)
            guard file >= 0 else { continue }
            defer { close(file) }
            if isOpenToOthers(FileStatus(descriptor: file)) { fchmod(file, 0o600) }
        }
    }

    /// Whether another process has the database open.
    ///
    /// Must not be called while this process has the database open, as ``makePrivate(_:)``.
    package static func isHeld(_ path: String) -> Bool {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        return lockHolder(descriptor) != nil
    }

    /// The process that has locked an open file.
    ///
    /// - Source: fcntl(2), F_GETLK.
    private static func lockHolder(_ descriptor: Int32) -> pid_t? {
        // The whole file.
        var lock = flock()
        lock.l_type = Int16(F_WRLCK)
        guard fcntl(descriptor, F_GETLK, &lock) == 0, lock.l_type != Int16(F_UNLCK) else { return nil }
        return lock.l_pid
    }

    /// The program and the arguments of another process that has locked the database; `nil` if there is none, or its
    /// process cannot be seen from here, as from a container.
    ///
    /// Must not be called while this process has the database open, as ``makePrivate(_:)``.
    ///
    /// - Source: proc(5).
    package static func holder(of path: String) -> [String]? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        guard let process = lockHolder(descriptor) else { return nil }
        let words = open("/proc/\(process)/cmdline", O_RDONLY | O_CLOEXEC)
        guard words >= 0 else { return nil }
        defer { close(words) }
        var bytes = [UInt8](repeating: 0, count: 4096)
        let count = read(words, &bytes, bytes.count)
        return bytes.prefix(max(count, 0)).split(separator: 0).map { String(decoding: $0, as: UTF8.self) }
    }

    private static func isOpenToOthers(_ status: FileStatus?) -> Bool {
        guard let status else { return false }
        return status.kind == .file && status.permissions & 0o077 != 0
    }

    /// Creates a file that only its owner can access, and removes it if writing fails.
    ///
    /// - Parameter write: Writes the database into the empty file.
    /// - Throws: The error of `write`.
    package static func make(_ path: String, _ write: () throws -> Void) throws {
        let descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        if descriptor >= 0 { close(descriptor) }
        do {
            try write()
        } catch {
            // An existing file is not removed.
            if descriptor >= 0 { unlink(path) }
            throw error
        }
    }
}
