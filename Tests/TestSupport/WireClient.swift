import Dispatch
import Glibc

/// An HTTP client that sends exactly the bytes it is told to, over one connection.
///
/// Those of its calls that read block, so they belong into ``onThread(_:)``.
// @unchecked: a test awaits each call before the next one.
package final class WireClient: @unchecked Sendable {
    package struct Reply: Sendable {
        package var status = 0
        /// By name in lower case.
        package var headers: [String: String] = [:]
        package var body = ""
    }

    package struct Failure: Error {
        package let what: String

        package init(what: String) { self.what = what }
    }

    private static let repeated: Set = ["set-cookie", "vary", "www-authenticate"]
    private let socket: Int32
    private var received: [UInt8] = []

    /// - Parameter address: IPv4, in four numbers.
    package init(_ address: String = "127.0.0.1", port: Int) throws {
        socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var patience = timeval(tv_sec: 20, tv_usec: 0)
        setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
        setsockopt(socket, SOL_SOCKET, SO_SNDTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
        var name = sockaddr_in()
        name.sin_family = sa_family_t(AF_INET)
        name.sin_port = in_port_t(port).bigEndian
        name.sin_addr.s_addr = inet_addr(address)
        let result = withUnsafePointer(to: &name) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(socket, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard result == 0 else { throw Failure(what: "connect: \(errno)") }
    }

    deinit {
        close(socket)
    }

    /// Sends everything; what the peer no longer takes is lost.
    package func send(_ bytes: some Sequence<UInt8>) {
        let bytes = Array(bytes)
        var sent = 0
        while sent < bytes.count {
            let count = bytes.withUnsafeBytes {
                Glibc.send(
                    socket,
                    $0.baseAddress?.advanced(by: sent),
                    bytes.count - sent,
                    Int32(MSG_NOSIGNAL)
                )
            }
            guard count > 0 else { return }
            sent += count
        }
    }

    package func send(_ text: String) {
        send(text.utf8)
    }

    /// More bytes; false at the end of the connection.
    private func receive() throws -> Bool {
        var buffer = [UInt8](repeating: 0, count: 65536)
        let count = recv(socket, &buffer, buffer.count, 0)
        if count < 0, errno == EAGAIN { throw Failure(what: "no answer within 20 s") }
        guard count > 0 else { return false }
        received += buffer[..<count]
        return true
    }

    /// The next answer; `nil` when the connection ends before its head is complete.
    @available(*, noasync)
    package func reply(toHead: Bool = false) throws -> Reply? {
        var end = headEnd()
        while end == nil {
            guard try receive() else { return nil }
            end = headEnd()
        }
        guard let end else { return nil }
        let lines = String(decoding: received[..<end], as: UTF8.self).split(separator: "\r\n")
        received.removeFirst(end + 4)
        var reply = Reply()
        reply.status = lines.first?.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
        for line in lines.dropFirst() {
            guard let colon = line.firstIndex(of: ":") else { continue }
            let value = line[line.index(after: colon)...].drop { $0 == " " }
            let name = line[..<colon].lowercased()
            // Only a few fields may stand in a head more than once (RFC 9110, section 5.3).
            guard
                reply.headers.updateValue(String(value), forKey: name) == nil || Self.repeated.contains(name)
            else { throw Failure(what: "the answer has the field \(name) twice") }
        }
        guard !toHead, reply.status >= 200, reply.status != 304 else { return reply }
        let length = reply.headers["content-length"].flatMap { Int($0) } ?? 0
        while received.count < length {
            guard try receive() else { throw Failure(what: "the connection ended within a body") }
        }
        reply.body = String(decoding: received.prefix(length), as: UTF8.self)
        received.removeFirst(length)
        return reply
    }

    private func headEnd() -> Int? {
        guard received.count >= 4 else { return nil }
        return (0...(received.count - 4)).first { received[$0..<($0 + 4)].elementsEqual([13, 10, 13, 10]) }
    }

    /// The next bytes of what is no answer; `nil` when the connection ends before them.
    @available(*, noasync)
    package func bytes(_ count: Int) throws -> [UInt8]? {
        while received.count < count {
            guard try receive() else { return nil }
        }
        defer { received.removeFirst(count) }
        return Array(received.prefix(count))
    }

    /// All bytes until the connection ends.
    @available(*, noasync)
    package func rest() throws -> [UInt8] {
        while try receive() {}
        return received
    }

    /// Says that nothing more is sent; answers are still read.
    package func finish() {
        shutdown(socket, Int32(SHUT_WR))
    }

    /// Whether the peer closes, with nothing more to say.
    @available(*, noasync)
    package func isClosed() throws -> Bool {
        while try receive() {}
        return received.isEmpty
    }
}

/// Runs what blocks on a thread of its own, away from those on which the server answers.
package func onThread<Result: Sendable>(_ body: @escaping @Sendable () throws -> Result) async throws
    -> Result
{
    try await withCheckedThrowingContinuation { continuation in
        // A queue of its own: the global ones have hardly more threads than the machine has cores.
        DispatchQueue(label: "client").async {
            continuation.resume(with: Swift.Result { try body() })
        }
    }
}

/// One request over a connection of its own.
package func request(
    _ method: String,
    _ path: String,
    address: String = "127.0.0.1",
    port: Int,
    host: String? = "localhost",
    connection: String = "close",
    headers: [String] = [],
    body: String = ""
) async throws -> WireClient.Reply {
    try await onThread {
        let client = try WireClient(address, port: port)
        var head = ["\(method) \(path) HTTP/1.1", "Connection: \(connection)"] + headers
        if let host { head.append("Host: \(host)") }
        if !body.isEmpty { head.append("Content-Length: \(body.utf8.count)") }
        client.send(head.joined(separator: "\r\n") + "\r\n\r\n" + body)
        guard let reply = try client.reply(toHead: method == "HEAD") else {
            throw WireClient.Failure(what: "closed without an answer")
        }
        return reply
    }
}
