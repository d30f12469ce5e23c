import Glibc
import SystemPackage

/// Why a file is not on the disk.
package struct FileWriteError: Error, CustomStringConvertible {
    /// The system's error number.
    package let code: Int32
    /// Whether there can be no such file; else it cannot be filled.
    package let isAboutName: Bool

    /// There can be no such file.
    package init(name code: Int32) { (self.code, isAboutName) = (code, true) }

    fileprivate init(contents code: Int32) { (self.code, isAboutName) = (code, false) }

    package var description: String { systemMessage(code) }
}

/// Writes files as a whole or not at all: beside their place first, which they take when the disk has all of it.
package enum AtomicFile {
    /// - Parameters:
    ///   - permissions: The bits of the mode.
    ///   - isMasked: Whether the user's mask applies to them.
    ///   - unfinished: The path until all of it is written, where something left over is removed; `nil` for a name that
    ///     nobody has.
    package static func write(
        _ bytes: [UInt8],
        to path: String,
        permissions: UInt32,
        isMasked: Bool = false,
        unfinished: String? = nil
    ) throws(FileWriteError) {
        let target = FilePath(path)
        let folder = target.removingLastComponent()
        let beside: FilePath
        if let unfinished {
            beside = FilePath(unfinished)
            unlink(unfinished)
        } else {
            let name = target.lastComponent?.string ?? ""
            let number = String(UInt64.random(in: 0 ... .max), radix: 36)
            beside = folder.appending(".\(name.prefix(64)).\(number)")
        }
        do throws(FileWriteError) {
            try fill(beside, bytes, permissions, isMasked)
            guard rename(beside.string, path) == 0 else { throw FileWriteError(name: errno) }
        } catch {
            if error.code != EEXIST { unlink(beside.string) }
            throw error
        }
        // The name counts when its folder is on the disk too.
        let parent = open(folder.isEmpty ? "." : folder.string, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard parent >= 0 else { return }
        fsync(parent)
        close(parent)
    }

    /// Writes all of a new file to the disk.
    private static func fill(
        _ path: FilePath,
        _ bytes: [UInt8],
        _ permissions: UInt32,
        _ isMasked: Bool
    ) throws(FileWriteError) {
        let flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC
        let descriptor = open(path.string, flags, permissions)
        guard descriptor >= 0 else { throw FileWriteError(name: errno) }
        var code: Int32 = 0
        if !isMasked, fchmod(descriptor, permissions) != 0 { code = errno }
        if code == 0 { code = writeAll(bytes, to: descriptor) }
        // A pipe has no disk.
        if code == 0, fsync(descriptor) != 0, errno != EINVAL { code = errno }
        if close(descriptor) != 0, errno != EINTR, code == 0 { code = errno }
        if code != 0 { throw FileWriteError(contents: code) }
    }
}

/// Writes everything to a descriptor, however slow its reader is.
///
/// - Returns: The system's error number; 0 if all of it was taken.
package func writeAll(_ bytes: [UInt8], to descriptor: Int32) -> Int32 {
    var rest = bytes[...]
    while !rest.isEmpty {
        let written = rest.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
        if written < 0, errno == EINTR { continue }
        if written < 0, errno == EAGAIN {
            var wait = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
            poll(&wait, 1, 1000)
            continue
        }
        guard written > 0 else { return written < 0 ? errno : EIO }
        rest = rest.dropFirst(written)
    }
    return 0
}
