import COpenSSL
import Foundation
import TestSupport

/// Takes connections one after the other on a thread of its own, plain or with TLS, and says on each what it is told to.
final class HostileBroker: Sendable {
    /// One connection, on the broker's thread.
    final class Connection {
        private let socket: LoopbackSocket
        private let tls: OpaquePointer?

        fileprivate init?(_ socket: LoopbackSocket, _ context: OpaquePointer?) {
            self.socket = socket
            tls = context.flatMap { SSL_new($0) }
            var yes: Int32 = 1
            setsockopt(socket.descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &yes, 4)
            guard let tls else { return }
            SSL_set_fd(tls, socket.descriptor)
            if SSL_accept(tls) != 1 { return nil }
        }

        deinit { SSL_free(tls) }

        func send(_ bytes: [UInt8]) -> Bool {
            guard let tls else { return (try? socket.send(bytes)) != nil }
            return SSL_write(tls, bytes, Int32(bytes.count)) == Int32(bytes.count)
        }

        /// What has come; empty at the end.
        func receive() -> [UInt8] {
            guard let tls else { return socket.receive() }
            var buffer = [UInt8](repeating: 0, count: 16_384)
            let count = SSL_read(tls, &buffer, Int32(buffer.count))
            return Array(buffer.prefix(max(0, Int(count))))
        }
    }

    let port: Int
    private let listener: LoopbackSocket

    /// - Parameters:
    ///   - isNarrow: Whether the system keeps little of what is sent and not read, and not megabytes.
    ///   - body: Called for each connection, after its CONNECT was read; at its end the connection is closed.
    init(
        _ certificates: TestCertificates?,
        isNarrow: Bool = false,
        _ body: @escaping @Sendable (_ version: UInt8, Connection) -> Void
    )
        throws
    {
        listener = try LoopbackSocket.listening()
        port = listener.port
        if isNarrow {
            // The sender keeps a multiple of the longest segment, which is 64 KB on loopback.
            var (buffer, segment): (Int32, Int32) = (4096, 536)
            setsockopt(listener.descriptor, SOL_SOCKET, SO_RCVBUF, &buffer, 4)
            setsockopt(listener.descriptor, Int32(IPPROTO_TCP), TCP_MAXSEG, &segment, 4)
        }
        let thread = Thread { [listener] in
            signal(SIGPIPE, SIG_IGN)
            let context = certificates.flatMap(Self.context)
            defer { SSL_CTX_free(context) }
            while let socket = try? listener.accept() {
                guard let connection = Connection(socket, context) else { continue }
                let connect = connection.receive()
                if connect.count > 8 { body(connect[8], connection) }
            }
        }
        thread.start()
    }

    /// A broker that grants the first subscription, and then floods it.
    ///
    /// - Parameter publish: The packet that it sends again and again.
    convenience init(flooding number: Int, _ publish: @escaping @Sendable (_ isV5: Bool) -> [UInt8]) throws {
        try self.init(nil) { version, connection in
            let isV5 = version == 5
            _ = connection.send(BrokerPackets.connack(isV5 ? .v5 : .v311))
            let subscribe = connection.receive()
            guard subscribe.count > 4, subscribe[0] == 0x82 else { return }
            _ = connection.send(
                BrokerPackets.packet(0x90, [subscribe[2], subscribe[3]] + (isV5 ? [0, 0] : [0]))
            )
            let packet = publish(isV5)
            for _ in 0..<number where !connection.send(packet) { return }
            while !connection.receive().isEmpty {}
        }
    }

    func stop() { listener.shut() }

    private static func context(_ certificates: TestCertificates) -> OpaquePointer? {
        guard let context = SSL_CTX_new(TLS_server_method()) else { return nil }
        SSL_CTX_use_certificate_chain_file(context, certificates.serverCertificate)
        SSL_CTX_use_PrivateKey_file(context, certificates.serverKey, SSL_FILETYPE_PEM)
        // A ticket after the handshake would only cost time.
        SSL_CTX_set_num_tickets(context, 0)
        return context
    }
}
