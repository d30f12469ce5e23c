import Glibc
import OperatingSystem

/// A regular file below a folder, open for reading.
///
/// Symbolic links may lead to other places inside the folder, and never out of it.
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
        let inner = path.split(separator: "/").joined(separator: "/")
        guard let root = resolved(folder), let target = resolved(inner.isEmpty ? root : "\(root)/\(inner)"),
            let parts = parts(of: target, below: root), let descriptor = descend(parts, from: root)
        else { return nil }
        let status = FileStatus(descriptor: descriptor)
        if let status, status.kind == .file { return .file(PublicFile(descriptor, status)) }
        close(descriptor)
        return status?.kind == .folder ? .folder : nil
    }

    /// A path without symbolic links.
    private static func resolved(_ path: String) -> String? {
        guard let found = realpath(path, nil) else { return nil }
        defer { free(found) }
        return String(validatingCString: found)
    }

    /// The names that lead from a folder to something in it; `nil` for what is not in it, or hidden.
    private static func parts(of target: String, below root: String) -> [String]? {
        let prefix = Array((root == "/" ? root : root + "/").utf8)
        if target == root { return [] }
        guard target.utf8.starts(with: prefix) else { return nil }
        let parts = target.utf8.dropFirst(prefix.count).split(separator: UInt8(ascii: "/")).compactMap {
            String($0)
        }
        return parts.contains { $0.hasPrefix(".") } ? nil : parts
    }

    /// Opens what some names lead to, following no link: one that is made at this moment cannot lead out of the folder.
    private static func descend(_ parts: [String], from root: String) -> Int32? {
        var descriptor = Glibc.open(root, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
        for part in parts {
            guard descriptor >= 0 else { return nil }
            let above = descriptor
            // Opening a pipe must not block, and opening a terminal must not make it our controlling terminal.
            descriptor = openat(above, part, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)
            close(above)
        }
        return descriptor >= 0 ? descriptor : nil
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
