import Glibc
import NIOCore
import Threading

/// A bound socket that outlives the listener on it, so that no other program gets its address before the next one.
///
/// Connections that arrive between two listeners wait for the next one.
package final class ListeningSocket: Sendable {
    private let descriptor = Locked<CInt?>(nil)

    package init() {}

    deinit { close() }

    /// Gives the address up once the listener on it has ended.
    package func close() {
        descriptor.withLock { descriptor in
            if let descriptor { Glibc.close(descriptor) }
            descriptor = nil
        }
    }

    /// Binds the address before there is a listener, for work beforehand that would be wasted without it.
    ///
    /// - Throws: ``HTTPListenerError``, as the listener would.
    package func bind(_ configuration: HTTPListenerConfiguration) throws {
        do {
            _ = try Glibc.close(duplicate(host: configuration.host, port: configuration.port))
        } catch {
            throw HTTPListenerError(error, configuration) ?? error
        }
    }

    /// Another descriptor of the socket, for one listener; the first one binds it.
    func duplicate(host: String, port: Int) throws -> CInt {
        try descriptor.withLock { descriptor in
            let bound = try descriptor ?? Self.bind(host, port)
            descriptor = bound
            return try Self.check(fcntl(bound, F_DUPFD_CLOEXEC, 0), "fcntl")
        }
    }

    private static func bind(_ host: String, _ port: Int) throws -> CInt {
        let address = try SocketAddress.makeAddressResolvingHost(host, port: port)
        let type = CInt(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
        let descriptor = try check(socket(CInt(address.protocol.rawValue), type, 0), "socket")
        do {
            var on: CInt = 1
            let size = socklen_t(MemoryLayout<CInt>.size)
            try check(setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &on, size), "setsockopt")
            _ = try address.withSockAddr { try check(Glibc.bind(descriptor, $0, socklen_t($1)), "bind") }
            // Two bound sockets may share an address until one listens.
            try check(listen(descriptor, 128), "listen")
        } catch {
            Glibc.close(descriptor)
            throw error
        }
        return descriptor
    }

    @discardableResult
    private static func check(_ result: CInt, _ call: String) throws -> CInt {
        guard result >= 0 else { throw IOError(errnoCode: errno, reason: call) }
        return result
    }
}
