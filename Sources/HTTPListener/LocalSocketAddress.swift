import Foundation
import OperatingSystem

/// A path of a Unix socket that is short enough: the system allows 107 bytes.
package struct LocalSocketAddress {
    private static let longest = 90

    /// The folder of the socket; for a long path a symbolic link to it, until ``close()``.
    package let folder: String
    package let name: String
    /// The folder that has the link; only its user can look into it.
    private let shelter: String?

    /// - Parameter socket: The path of a socket, in a folder that exists.
    /// - Throws: ``LocalSocketError``.
    package init(of socket: String) throws(LocalSocketError) {
        let folder = (socket as NSString).deletingLastPathComponent
        name = (socket as NSString).lastPathComponent
        guard socket.utf8.count > Self.longest else {
            (self.folder, shelter) = (folder.isEmpty ? "." : folder, nil)
            return
        }
        guard let resolved = realpath(folder, nil) else { throw LocalSocketError(path: socket, code: errno) }
        defer { free(resolved) }
        var template = Array("/tmp/trilateral-XXXXXX".utf8CString)
        // Without a folder for short names the path is too long.
        guard let made = mkdtemp(&template) else { throw LocalSocketError(path: socket, code: ENAMETOOLONG) }
        let shelter = String(cString: made)
        guard symlink(resolved, shelter + "/f") == 0 else {
            let code = errno
            rmdir(shelter)
            throw LocalSocketError(path: socket, code: code)
        }
        (self.folder, self.shelter) = (shelter + "/f", shelter)
    }

    /// Removes the link; a socket that is bound or connected stays so.
    package func close() {
        guard let shelter else { return }
        unlink(folder)
        rmdir(shelter)
    }
}

/// Why there can be no socket at a path, with the system's error number.
package struct LocalSocketError: Error, Sendable, Hashable, CustomStringConvertible {
    package let path: String
    package let code: Int32

    package init(path: String, code: Int32) { (self.path, self.code) = (path, code) }

    package var description: String { "there can be no socket \(path): \(systemMessage(code))" }
}
