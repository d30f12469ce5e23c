import Glibc

/// What the system says about a file: which one it is, its kind, permissions, size and times.
///
/// Use it instead of the C structure `stat`. Which C module the compiler finds the members of `stat` and `timespec` in
/// depends on the imports of the other files of a module. This module imports neither Foundation nor Dispatch.
/// SystemPackage's `Stat` is no way out: its times are of type `timespec`.
///
/// - Source: POSIX.1-2017, `<sys/stat.h>`.
package struct FileStatus: Sendable, Hashable {
    /// Which file it is, however its path is written.
    package struct Identity: Sendable, Hashable {
        package let device: UInt64
        package let inode: UInt64
    }

    package enum Kind: Sendable, Hashable {
        case file, folder, pipe, other
    }

    /// A time since 1970-01-01 UTC.
    package struct Time: Sendable, Hashable {
        package let seconds: Int
        /// 0…999,999,999.
        package let nanoseconds: Int

        fileprivate init(_ time: timespec) { (seconds, nanoseconds) = (time.tv_sec, time.tv_nsec) }
    }

    package let identity: Identity
    package let kind: Kind
    /// The permission bits of the mode, 0…0o777.
    package let permissions: UInt32
    /// The ids of the user and the group that it belongs to.
    package let owner: UInt32
    package let group: UInt32
    /// How many names it has.
    package let links: UInt64
    /// Bytes.
    package let size: Int
    /// When the content was last written.
    package let modified: Time
    /// When the content, the permissions, the owner or the links were last changed.
    package let changed: Time

    /// - Parameter followsLinks: Whether a symbolic link at the path stands for what it leads to.
    /// - Returns: `nil` if there is no such file, or it cannot be reached; `errno` says why.
    package init?(path: String, followsLinks: Bool = true) {
        var status = stat()
        guard (followsLinks ? stat(path, &status) : lstat(path, &status)) == 0 else { return nil }
        self.init(status)
    }

    /// - Returns: `nil` if the descriptor is not open.
    package init?(descriptor: Int32) {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { return nil }
        self.init(status)
    }

    private init(_ status: stat) {
        identity = Identity(device: UInt64(status.st_dev), inode: UInt64(status.st_ino))
        kind =
            switch status.st_mode & S_IFMT {
            case S_IFREG: .file
            case S_IFDIR: .folder
            case S_IFIFO: .pipe
            default: .other
            }
        permissions = UInt32(status.st_mode) & 0o777
        (owner, group) = (status.st_uid, status.st_gid)
        links = UInt64(status.st_nlink)
        size = max(0, Int(status.st_size))
        (modified, changed) = (Time(status.st_mtim), Time(status.st_ctim))
    }
}
