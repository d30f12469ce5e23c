import Foundation
import OperatingSystem

/// A path of a Unix socket that is short enough: the system allows 107 bytes.
package struct LocalSocketAddress {
    private static let longest = 90

    /// The folder of the socket; for a long path its name as an open file, until ``close()``.
    ///
    /// - Source: proc(5), /proc/self/fd.
    package let folder: String
    package let name: String
    private let descriptor: Int32?

    /// - Parameter socket: The path of a socket, in a folder that exists.
    /// - Throws: ``LocalSocketError``.
    package init(of socket: String) throws(LocalSocketError) {
        let folder = (socket as NSString).deletingLastPathComponent
        name = (socket as NSString).lastPathComponent
        guard socket.utf8.count > Self.longest else {
            (self.folder, descriptor) = (folder.isEmpty ? "." : folder, nil)
            return
        }
        let descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw LocalSocketError(path: socket, code: errno) }
        (self.folder, self.descriptor) = ("/proc/self/fd/\(descriptor)", descriptor)
    }

    /// Ends the short path; a socket that is bound or connected stays so.
    ///
    /// Must be called once.
    package func close() {
        if let descriptor { _ = Foundation.close(descriptor) }
    }
}

/// Why there can be no socket at a path, with the system's error number.
package struct LocalSocketError: Error, Sendable, Hashable, CustomStringConvertible {
    package let path: String
    package let code: Int32

    package init(path: String, code: Int32) { (self.path, self.code) = (path, code) }

    package var description: String { "there can be no socket \(path): \(systemMessage(code))" }
}
