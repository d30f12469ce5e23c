import Glibc

/// A database's file on disk, and the files that SQLite keeps beside it.
package enum DatabaseFile {
    /// Device and number of a file, which are the same however its path is written; `nil` when it is not there.
    package static func identity(of path: String) -> String? {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        return "\(status.st_dev)-\(status.st_ino)"
    }

    /// Makes the file, if it is missing, and sees to it that only its owner may read and write what is there.
    ///
    /// SQLite gives the files beside it the same rights. What cannot be done is left to SQLite, which says why. Not
    /// while this process has the database open: closing a file releases the process's locks on it.
    package static func makePrivate(_ path: String) {
        let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NONBLOCK, 0o600)
        if descriptor >= 0 { close(descriptor) }
        for suffix in ["", "-wal", "-shm", "-journal"] {
            var status = stat()
            guard lstat(path + suffix, &status) == 0, isOpenToOthers(status) else { continue }
            // What stands there now may be another file: only what was opened is looked at again and changed.
            let file = open(path + suffix, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK)
            guard file >= 0 else { continue }
            defer { close(file) }
            if fstat(file, &status) == 0, isOpenToOthers(status) { fchmod(file, 0o600) }
        }
    }

    private static func isOpenToOthers(_ status: stat) -> Bool {
        status.st_mode & S_IFMT == S_IFREG && status.st_mode & 0o077 != 0
    }

    /// Has a new file written, which only its owner may read and write; nothing is left of one that failed.
    ///
    /// - Parameter write: Writes the database into the file, which is there and empty.
    /// - Throws: What `write` throws.
    package static func make(_ path: String, _ write: () throws -> Void) throws {
        let descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        if descriptor >= 0 { close(descriptor) }
        do {
            try write()
        } catch {
            // Somebody else's file stays.
            if descriptor >= 0 { unlink(path) }
            throw error
        }
    }
}
