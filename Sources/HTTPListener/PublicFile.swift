import Glibc
import Threading

/// A regular file below a folder, open for reading.
///
/// The resolved path is checked after opening, through the descriptor, so that a symbolic link cannot lead out of the
/// folder, even if it is created at that moment.
package final class PublicFile: Sendable {
    package enum Entry {
        case file(PublicFile)
        case folder
    }

    package let size: Int
    /// Seconds since 1970-01-01 UTC.
    package let modified: Int
    /// The entity tag.
    package let tag: String
    private let descriptor: Int32

    private init(_ descriptor: Int32, _ status: FileStatus) {
        self.descriptor = descriptor
        size = status.size
        modified = status.modified.seconds
        let parts = [
            status.modified.seconds, status.modified.nanoseconds, size,
            Int(truncatingIfNeeded: status.identity.inode),
        ]
        tag = "\"" + parts.map { String($0, radix: 16) }.joined(separator: "-") + "\""
    }

    deinit {
        close(descriptor)
    }

    /// Opens a path below a folder; `nil` when there is nothing that may be served.
    ///
    /// Hidden files, and files in hidden folders, are not served.
    package static func open(_ path: String, in folder: String) -> Entry? {
        let root = Glibc.open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard root >= 0 else { return nil }
        defer { close(root) }
        let parts = path.split(separator: "/")
        let inner = parts.isEmpty ? "." : parts.joined(separator: "/")
        // Opening a pipe must not block, and opening a terminal must not make it our controlling terminal.
        let descriptor = openat(root, inner, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        guard let status = FileStatus(descriptor: descriptor), isBeneath(descriptor, root) else {
            close(descriptor)
            return nil
        }
        switch status.kind {
        case .file: return .file(PublicFile(descriptor, status))
        case .folder:
            close(descriptor)
            return .folder
        case .pipe, .other:
            close(descriptor)
            return nil
        }
    }

    private static func isBeneath(_ descriptor: Int32, _ root: Int32) -> Bool {
        guard let path = resolvedPath(descriptor), let folder = resolvedPath(root) else { return false }
        let prefix = folder == "/" ? "/" : folder + "/"
        guard path == folder || path.hasPrefix(prefix) else { return false }
        return !path.dropFirst(folder.utf8.count == 1 ? 0 : folder.count).split(separator: "/")
            .contains { $0.hasPrefix(".") }
    }

    /// The path of an open file or folder, without symbolic links.
    private static func resolvedPath(_ descriptor: Int32) -> String? {
        var bytes = [UInt8](repeating: 0, count: Int(PATH_MAX) + 1)
        let count = bytes.withUnsafeMutableBytes { buffer -> Int in
            guard let start = buffer.bindMemory(to: CChar.self).baseAddress else { return 0 }
            return readlink("/proc/self/fd/\(descriptor)", start, buffer.count - 1)
        }
        guard count > 0, count < bytes.count - 1 else { return nil }
        return String(validating: bytes[..<count], as: UTF8.self)
    }

    /// Reads bytes of the file; fewer if it was truncated.
    package func read(from offset: Int, count: Int) throws -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        var done = 0
        while done < count {
            let read = bytes.withUnsafeMutableBytes { buffer in
                pread(descriptor, buffer.baseAddress?.advanced(by: done), count - done, off_t(offset + done))
            }
            if read < 0, errno == EINTR { continue }
            guard read > 0 else { break }
            done += read
        }
        bytes.removeSubrange(done...)
        return bytes
    }
}
