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
    /// SQLite gives the files beside it the same rights. What cannot be done is left to SQLite, which says why.
    package static func makePrivate(_ path: String) {
        let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NONBLOCK, 0o600)
        if descriptor >= 0 { close(descriptor) }
        for suffix in ["", "-wal", "-shm", "-journal"] {
            var status = stat()
            guard lstat(path + suffix, &status) == 0, status.st_mode & S_IFMT == S_IFREG,
                status.st_mode & 0o077 != 0
            else { continue }
            chmod(path + suffix, 0o600)
        }
    }
}
