import Foundation

/// The folder and the name of a Unix socket, by a path that is short enough: the system allows 107 bytes.
package struct LocalSocketAddress {
    private static let longest = 90

    /// The folder; for a long path by its descriptor.
    package let path: String
    package let name: String
    private let descriptor: Int32?

    /// - Parameter socket: The path of a socket, in a folder that exists.
    /// - Throws: ``LocalSocketError``.
    package init(folderOf socket: String) throws(LocalSocketError) {
        let folder = (socket as NSString).deletingLastPathComponent
        name = (socket as NSString).lastPathComponent
        guard socket.utf8.count > Self.longest else {
            (path, descriptor) = (folder.isEmpty ? "." : folder, nil)
            return
        }
        let descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw LocalSocketError(path: socket, code: errno) }
        (path, self.descriptor) = ("/proc/self/fd/\(descriptor)", descriptor)
    }

    package func close() {
        if let descriptor { _ = Foundation.close(descriptor) }
    }
}

/// Why there can be no socket at a path, with the system's error number.
package struct LocalSocketError: Error, Sendable, Hashable, CustomStringConvertible {
    package let path: String
    package let code: Int32

    package init(path: String, code: Int32) { (self.path, self.code) = (path, code) }

    package var description: String { "there can be no socket \(path): \(String(cString: strerror(code)))" }
}
