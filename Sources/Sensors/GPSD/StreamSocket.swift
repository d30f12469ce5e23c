import CBluetooth
import Glibc
import OperatingSystem

/// A TCP connection used by one thread, whose waits a signal can end.
final class StreamSocket {
    struct ConnectionError: Error, Sendable, Hashable {
        let text: String

        init(_ text: String) { self.text = text }
        init(code: Int32) { text = systemMessage(code) }
    }

    enum Received {
        case bytes([UInt8])
        case timedOut
        case stopped
        /// The reason why the connection ended.
        case ended(String)
    }

    private let descriptor: Int32

    private init(descriptor: Int32) { self.descriptor = descriptor }

    deinit { close(descriptor) }

    /// Connects to the first address of a host that answers.
    static func connected(
        to host: String,
        port: Int,
        within seconds: Double,
        unless signal: StopSignal
    ) -> Result<StreamSocket, ConnectionError> {
        var hints = addrinfo()
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        hints.ai_flags = AI_NUMERICSERV
        var list: UnsafeMutablePointer<addrinfo>?
        let failure = getaddrinfo(host, String(port), &hints, &list)
        guard failure == 0 else { return .failure(ConnectionError(String(cString: gai_strerror(failure)))) }
        defer { freeaddrinfo(list) }
        var error = ConnectionError("the host name has no address")
        var next = list
        while let address = next?.pointee {
            next = address.ai_next
            switch connect(address, within: seconds, unless: signal) {
            case .success(let socket): return .success(socket)
            case .failure(let next): error = next
            }
            if signal.isStopped { break }
        }
        return .failure(error)
    }

    private static func connect(
        _ address: addrinfo,
        within seconds: Double,
        unless signal: StopSignal
    ) -> Result<StreamSocket, ConnectionError> {
        let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
        let descriptor = socket(address.ai_family, kind, address.ai_protocol)
        guard descriptor >= 0 else { return .failure(ConnectionError(code: errno)) }
        let connection = StreamSocket(descriptor: descriptor)
        // Detects a peer that was switched off.
        var yes: Int32 = 1
        setsockopt(descriptor, SOL_SOCKET, SO_KEEPALIVE, &yes, socklen_t(MemoryLayout<Int32>.size))
        guard Glibc.connect(descriptor, address.ai_addr, address.ai_addrlen) != 0 else {
            return .success(connection)
        }
        guard errno == EINPROGRESS || errno == EINTR else { return .failure(ConnectionError(code: errno)) }
        switch connection.wait(for: POLLOUT, within: seconds, unless: signal) {
        case .ready: break
        case .timedOut: return .failure(ConnectionError(code: ETIMEDOUT))
        case .stopped: return .failure(ConnectionError(code: ECANCELED))
        }
        var code: Int32 = 0
        var size = socklen_t(MemoryLayout<Int32>.size)
        getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &code, &size)
        return code == 0 ? .success(connection) : .failure(ConnectionError(code: code))
    }

    /// Sends a short text; `false` when it cannot be sent at once.
    func send(_ text: String) -> Bool {
        let bytes = Array(text.utf8)
        return Glibc.send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL)) == bytes.count
    }

    func receive(upTo limit: Int, within seconds: Double, unless signal: StopSignal) -> Received {
        switch wait(for: POLLIN, within: seconds, unless: signal) {
        case .ready: break
        case .timedOut: return .timedOut
        case .stopped: return .stopped
        }
        var count = 0
        var code: Int32 = 0
        let bytes = [UInt8](unsafeUninitializedCapacity: limit) { buffer, filled in
            count = recv(descriptor, buffer.baseAddress, limit, 0)
            code = errno
            filled = max(count, 0)
        }
        if count > 0 { return .bytes(bytes) }
        if count == 0 { return .ended("it closed the connection") }
        return [EAGAIN, EINTR].contains(code) ? .bytes([]) : .ended(ConnectionError(code: code).text)
    }

    private enum WaitResult { case ready, timedOut, stopped }

    private func wait(for event: Int32, within seconds: Double, unless signal: StopSignal) -> WaitResult {
        var waited = [
            pollfd(fd: descriptor, events: Int16(event), revents: 0),
            pollfd(fd: signal.descriptor, events: Int16(POLLIN), revents: 0),
        ]
        guard poll(&waited, 2, StopSignal.milliseconds(seconds)) > 0 else { return .timedOut }
        if waited[1].revents != 0 { return .stopped }
        return .ready
    }
}
