import Foundation

/// The socket of a supervisor, such as systemd, for what a program reports to it.
package final class NotifySocket: Sendable {
    package struct Failure: Error {
        package let code: Int32
    }

    /// As `NOTIFY_SOCKET` has it.
    package let name: String
    private let descriptor: Int32

    /// - Parameter name: A path, or `@` and a name without a file.
    package init(_ name: String) throws {
        self.name = name
        descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { throw Failure(code: errno) }
        var limit = timeval(tv_sec: 30, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let bytes = name.hasPrefix("@") ? [0] + name.utf8.dropFirst() : Array(name.utf8)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
        // A path ends with the zero that is there already.
        let length = socklen_t(2 + bytes.count + (name.hasPrefix("@") ? 0 : 1))
        let bound = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, length) }
        }
        guard bound == 0 else { throw Failure(code: errno) }
    }

    deinit { close(descriptor) }

    /// The lines of the next datagram, waiting for it; `nil` after 30 seconds without one.
    package func receive() -> [String]? {
        var buffer = [UInt8](repeating: 0, count: 4096)
        let count = recv(descriptor, &buffer, buffer.count, 0)
        guard count >= 0 else { return nil }
        return String(decoding: buffer.prefix(count), as: UTF8.self).components(separatedBy: "\n")
    }

    /// Waits for a datagram that has a line, and returns it; skips others.
    package func receive(until isMeant: (String) -> Bool) -> [String]? {
        while let lines = receive() {
            if lines.contains(where: isMeant) { return lines }
        }
        return nil
    }
}
