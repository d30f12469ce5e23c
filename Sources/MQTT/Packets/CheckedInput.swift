import CMosquitto
import COpenSSL
import Glibc

/// What one connection receives: taken from the socket by us, checked, and only then read by the library.
///
/// The library reads from its own descriptor, as often and as much as it likes, and between a look and its reading
/// more may have come. So while it reads, its descriptor is the end of a pair of sockets that holds exactly what was
/// checked. With TLS that pair is empty: the library then gets the one record that OpenSSL has decrypted for us.
///
/// Used by one thread at a time, with the lock on the connection's traffic held.
final class CheckedInput {
    /// The connection's socket under a descriptor of our own, which the library's reading does not take away.
    let socket: Int32
    private let libraryDescriptor: Int32
    private let feed: (ours: Int32, librarys: Int32)
    private let handle: OpaquePointer
    private let configuration: MQTTConfiguration
    private var validator: PacketValidator
    private var buffer: UnsafeMutableRawBufferPointer

    /// Two records of TLS.
    private static let most = 32_768
    /// TLS records read in a row: a flood must not stop the client from writing or closing.
    private static let recordsAtOnce = 4

    /// - Throws: ``MQTTError/configuration(_:)`` when the process may have no more descriptors.
    init(
        _ handle: OpaquePointer,
        _ configuration: MQTTConfiguration,
        version: MQTTProtocolChoice
    ) throws(MQTTError) {
        self.handle = handle
        self.configuration = configuration
        validator = PacketValidator(version: version)
        isShakingHands = configuration.tls != nil
        libraryDescriptor = mosquitto_socket(handle)
        var pair: [Int32] = [-1, -1]
        let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
        let isPaired = socketpair(AF_UNIX, kind, 0, &pair) == 0
        let own = isPaired ? fcntl(libraryDescriptor, F_DUPFD_CLOEXEC, 0) : -1
        let code = errno
        (socket, feed) = (own, (pair[0], pair[1]))
        buffer = .allocate(byteCount: own < 0 ? 0 : Self.most, alignment: 1)
        guard own < 0 else { return }
        throw .configuration("cannot read from the broker: \(String(cString: strerror(code)))")
    }

    deinit {
        for descriptor in [socket, feed.ours, feed.librarys] where descriptor >= 0 { close(descriptor) }
        buffer.deallocate()
    }

    /// The library's TLS, if it speaks it.
    private var tls: OpaquePointer? { mosquitto_ssl_get(handle).map { OpaquePointer($0) } }

    // MARK: TLS handshake

    /// Whether TLS is still to be agreed on: until then the library has nothing to read or write.
    private(set) var isShakingHands: Bool

    /// Whether the handshake waits for the broker, and not for room in the socket.
    var isAwaitingHand: Bool { tls.map { SSL_want($0) == SSL_READING } ?? false }

    /// Goes on with the handshake, and checks the broker's certificate at its end; why it failed.
    ///
    /// The library is told not to check: it could only say no, without a reason. It has written nothing yet, since
    /// that happens only when this is over.
    func shakeHands() -> Connection.Failure? {
        guard let tls else { return .init(MOSQ_ERR_TLS, reason: "the MQTT library has not begun TLS") }
        ERR_clear_error()
        errno = 0
        let result = SSL_do_handshake(tls)
        guard result == 1 else { return failure(tls, result) }
        if let reason = TLSReason.objection(to: tls, configuration) {
            return .init(MOSQ_ERR_TLS, reason: reason)
        }
        isShakingHands = false
        // The library learns of it by a reading, and does not write before.
        if let failure = letLibraryRead({ 0 }) { return failure }
        // A broker that refuses our certificate says so now, and a message to it would only end the connection.
        return read(tls)
    }

    // MARK: Reading

    /// Takes what has come and has the library read it; why the link is over.
    func read() -> Connection.Failure? {
        if let tls { return read(tls) }
        errno = 0
        let count = recv(socket, buffer.baseAddress, buffer.count, Int32(MSG_DONTWAIT))
        acknowledgeQuickly()
        guard count > 0 else {
            if count == 0 || errno == ECONNRESET { return .init(MOSQ_ERR_CONN_LOST) }
            return errno == EAGAIN || errno == EINTR ? nil : .init(MOSQ_ERR_ERRNO, errno)
        }
        let bytes = UnsafeRawBufferPointer(rebasing: buffer[..<count])
        if let malformed = check(bytes) { return malformed }
        // What it has not read is nothing: the pair is empty, and has room for more than the buffer.
        guard send(feed.ours, bytes.baseAddress, count, Int32(MSG_NOSIGNAL)) == count else {
            return .init(MOSQ_ERR_ERRNO, errno)
        }
        return letLibraryRead { [feed] in
            var waiting: Int32 = 0
            return ioctl(feed.librarys, UInt(FIONREAD), &waiting) == 0 ? waiting : 0
        }
    }

    private func read(_ tls: OpaquePointer) -> Connection.Failure? {
        for _ in 0..<Self.recordsAtOnce {
            ERR_clear_error()
            errno = 0
            let count = SSL_peek(tls, buffer.baseAddress, Int32(buffer.count))
            acknowledgeQuickly()
            guard count > 0 else { return failure(tls, count) }
            if let malformed = check(UnsafeRawBufferPointer(rebasing: buffer[..<Int(count)])) {
                return malformed
            }
            if let failure = letLibraryRead({ SSL_pending(tls) }) { return failure }
            guard mosquitto_socket(handle) == libraryDescriptor else { return nil }
        }
        // OpenSSL has no record left: the next one is in the socket, and its turn comes.
        return nil
    }

    private func check(_ bytes: UnsafeRawBufferPointer) -> Connection.Failure? {
        do throws(MalformedPacket) {
            try validator.check(bytes)
            return nil
        } catch {
            return .init(MOSQ_ERR_MALFORMED_PACKET, reason: error.description)
        }
    }

    /// Has the library read what was checked, and nothing else.
    ///
    /// - Parameter waiting: How many bytes it has still to read.
    private func letLibraryRead(_ waiting: () -> Int32) -> Connection.Failure? {
        guard dup3(feed.librarys, libraryDescriptor, O_CLOEXEC) >= 0 else {
            return .init(MOSQ_ERR_ERRNO, errno)
        }
        var result = MOSQ_ERR_SUCCESS.rawValue
        var code: Int32 = 0
        var left = waiting()
        var idle = 0
        repeat {
            errno = 0
            result = mosquitto_loop_read(handle, 1)
            code = errno
            // The library has ended the link, and closed its descriptor.
            guard mosquitto_socket(handle) == libraryDescriptor else { break }
            let now = waiting()
            idle = now < left ? 0 : idle + 1
            left = now
        } while left > 0 && result <= MOSQ_ERR_SUCCESS.rawValue && idle < 3
        if mosquitto_socket(handle) == libraryDescriptor,
            dup3(socket, libraryDescriptor, O_CLOEXEC) < 0
        {
            return .init(MOSQ_ERR_ERRNO, errno)
        }
        if result > MOSQ_ERR_SUCCESS.rawValue { return Connection.Failure(result: result, systemError: code) }
        return idle < 3 ? nil : .init(MOSQ_ERR_PROTOCOL)
    }

    /// Acknowledges at once what has come: a broker that waits for that with its next packet waits 40 ms.
    ///
    /// The system forgets it again by itself, so it is said after each reading.
    private func acknowledgeQuickly() {
        var yes: Int32 = 1
        setsockopt(socket, Int32(IPPROTO_TCP), TCP_QUICKACK, &yes, socklen_t(MemoryLayout<Int32>.size))
    }

    /// What OpenSSL's result means; `nil` when there is only nothing to do now.
    private func failure(_ tls: OpaquePointer, _ result: Int32) -> Connection.Failure? {
        let code = errno
        switch SSL_get_error(tls, result) {
        case SSL_ERROR_NONE, SSL_ERROR_WANT_READ, SSL_ERROR_WANT_WRITE: return nil
        case SSL_ERROR_ZERO_RETURN: return .init(MOSQ_ERR_CONN_LOST)
        case SSL_ERROR_SYSCALL where code != 0 && code != ECONNRESET: return .init(MOSQ_ERR_ERRNO, code)
        case SSL_ERROR_SYSCALL: return .init(MOSQ_ERR_CONN_LOST)
        default:
            return TLSReason.isUnexpectedEnd(ERR_peek_error())
                ? .init(MOSQ_ERR_CONN_LOST) : .init(MOSQ_ERR_TLS, reason: TLSReason.ofQueue())
        }
    }
}
