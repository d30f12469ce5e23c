import Foundation
import Threading

/// Plain TCP on 127.0.0.1, for tests that need to see or say bytes.
package final class LoopbackSocket: Sendable {
    package struct Failure: Error {
        package let code: Int32
    }

    package let descriptor: Int32

    private init(descriptor: Int32) { self.descriptor = descriptor }

    deinit { close(descriptor) }

    /// A listener on the port, or on one that the system chooses.
    package static func listening(port: Int = 0) throws -> LoopbackSocket {
        let socket = try opened()
        try check(socket.withAddress(port: port) { Glibc.bind(socket.descriptor, $0, $1) })
        try check(Glibc.listen(socket.descriptor, 16))
        return socket
    }

    package static func connected(to port: Int) throws -> LoopbackSocket {
        let socket = try opened()
        try check(socket.withAddress(port: port) { Glibc.connect(socket.descriptor, $0, $1) })
        return socket
    }

    /// A port that nobody listens on at the moment, and that no other test was given.
    ///
    /// Not of the range from which the system gives ports to clients: there another connection of this busy
    /// machine may take it before it is listened on.
    package static func freePort() throws -> Int {
        for _ in 0..<1000 {
            let port = Int.random(in: 10_000..<32_000)
            // All suites start their brokers at once: two with one port would share the broker of the one that listens first.
            guard given.withLock({ $0.insert(port).inserted }) else { continue }
            if let socket = try? listening(port: port) { return socket.port }
        }
        return try listening().port
    }

    private static let given = Locked<Set<Int>>([])

    /// The local port.
    package var port: Int {
        var address = sockaddr_in()
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        _ = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &length) }
        }
        return Int(UInt16(bigEndian: address.sin_port))
    }

    /// The next client of a listener; waits for it, at most 10 seconds.
    package func accept() throws -> LoopbackSocket {
        let client = Glibc.accept(descriptor, nil, nil)
        try Self.check(client)
        return Self.limited(LoopbackSocket(descriptor: client))
    }

    package func send(_ bytes: [UInt8]) throws {
        guard Glibc.send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL)) == bytes.count else {
            throw Failure(code: errno)
        }
    }

    /// What has arrived, waiting for the first byte; empty at the end of the connection or after 10 seconds.
    package func receive() -> [UInt8] {
        var buffer = [UInt8](repeating: 0, count: 65_536)
        let count = recv(descriptor, &buffer, buffer.count, 0)
        return Array(buffer.prefix(max(count, 0)))
    }

    /// Ends it with a reset, as a peer that crashed.
    package func reset() {
        var hard = linger(l_onoff: 1, l_linger: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &hard, socklen_t(MemoryLayout<linger>.size))
        shutdown(descriptor, Int32(SHUT_RDWR))
    }

    /// Wakes whoever waits in ``accept()`` or ``receive()``.
    package func shut() { shutdown(descriptor, Int32(SHUT_RDWR)) }

    private static func opened() throws -> LoopbackSocket {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        try check(descriptor)
        var yes: Int32 = 1
        setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))
        return limited(LoopbackSocket(descriptor: descriptor))
    }

    private static func limited(_ socket: LoopbackSocket) -> LoopbackSocket {
        var limit = timeval(tv_sec: 30, tv_usec: 0)
        let size = socklen_t(MemoryLayout<timeval>.size)
        setsockopt(socket.descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, size)
        setsockopt(socket.descriptor, SOL_SOCKET, SO_SNDTIMEO, &limit, size)
        return socket
    }

    private func withAddress<Result>(port: Int, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Result)
        -> Result
    {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = UInt16(truncatingIfNeeded: port).bigEndian
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        return withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                body($0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
    }

    private static func check(_ result: Int32) throws {
        if result < 0 { throw Failure(code: errno) }
    }
}
