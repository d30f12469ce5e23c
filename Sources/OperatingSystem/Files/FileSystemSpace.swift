import Glibc

/// What is free on the file system that a path is on.
/// - Source: POSIX.1-2017, `<sys/statvfs.h>`.
package struct FileSystemSpace: Sendable, Hashable {
    /// Bytes that this user may still write.
    package var freeBytes: UInt64
    package var totalBytes: UInt64
    /// Files that this user may still make.
    package var freeFiles: UInt64
    /// 0 on a file system without such a limit.
    package var totalFiles: UInt64
    package var isReadOnly: Bool

    package init(
        freeBytes: UInt64,
        totalBytes: UInt64,
        freeFiles: UInt64,
        totalFiles: UInt64,
        isReadOnly: Bool = false
    ) {
        (self.freeBytes, self.totalBytes) = (freeBytes, totalBytes)
        (self.freeFiles, self.totalFiles) = (freeFiles, totalFiles)
        self.isReadOnly = isReadOnly
    }

    /// - Returns: `nil` if the path cannot be reached.
    package init?(path: String) {
        var system = statvfs()
        guard statvfs(path, &system) == 0 else { return nil }
        let unit = UInt64(system.f_frsize)
        func bytes(_ blocks: UInt64) -> UInt64 {
            let (product, isTooLarge) = blocks.multipliedReportingOverflow(by: unit)
            return isTooLarge ? .max : product
        }
        self.init(
            freeBytes: bytes(UInt64(system.f_bavail)),
            totalBytes: bytes(UInt64(system.f_blocks)),
            freeFiles: UInt64(system.f_favail),
            totalFiles: UInt64(system.f_files),
            // ST_RDONLY.
            isReadOnly: system.f_flag & 1 != 0
        )
    }
}
