import CMosquitto
import COpenSSL
import Glibc
import SystemPackage

/// The received data of a connection: read from the socket and validated here.
///
/// Publications and acknowledgements are decoded here, too; the rest is what the library reads.
///
/// The library reads from its own descriptor as much as it likes, and more may have arrived since the check.
/// While it reads, its descriptor is therefore one end of a socket pair that contains exactly the validated
/// data. With TLS the pair is empty: the library then gets the one record that OpenSSL has decrypted. It cannot read
/// a part of it, so it also answers the publications among other packets.
///
/// Used by one thread at a time, while the connection's traffic lock is held.
final class ValidatedInput {
    /// A duplicate of the connection's socket, which the library does not replace while it reads.
    let socket: Int32
    private let libraryDescriptor: Int32
    private let feed: (ours: Int32, librarys: Int32)
    private let handle: OpaquePointer
    private let configuration: MQTTConfiguration
    private let receive: (IncomingPacket) -> Connection.Failure?
    private var validator: PacketValidator
    private var splitter = PacketSplitter()
    private let isV5: Bool
    private var buffer: UnsafeMutableRawBufferPointer

    /// Publications that the library has acknowledged since it had last written everything.
    private var libraryAcknowledgements = 0

    /// Two TLS records.
    private static let bufferBytes = 32_768
    /// Without TLS, until this is too little for what comes.
    private static let bufferBytesAtRest = 4096
    /// Most consecutive TLS records: a flood must not keep the client from writing or closing.
    private static let maximumRecordsPerRead = 4

    /// - Parameter receive: Called with what is decoded here; returns why the link ends.
    /// - Throws: ``MQTTError/configuration(_:)`` when the process has no descriptors left.
    init(
        _ handle: OpaquePointer,
        _ configuration: MQTTConfiguration,
        version: MQTTProtocolChoice,
        receive: @escaping (IncomingPacket) -> Connection.Failure?
    ) throws(MQTTError) {
        self.handle = handle
        self.receive = receive
        isV5 = version == .v5
        self.configuration = configuration
        validator = PacketValidator(version: version)
        isHandshaking = configuration.tls.isEnabled
        libraryDescriptor = mosquitto_socket(handle)
        var pair: [Int32] = [-1, -1]
        let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
        let isPaired = socketpair(AF_UNIX, kind, 0, &pair) == 0
        let own = isPaired ? fcntl(libraryDescriptor, F_DUPFD_CLOEXEC, 0) : -1
        let code = errno
        (socket, feed) = (own, (pair[0], pair[1]))
        let bytes = configuration.tls.isEnabled ? Self.bufferBytes : Self.bufferBytesAtRest
        buffer = .allocate(byteCount: own < 0 ? 0 : bytes, alignment: 1)
        guard own < 0 else { return }
        throw .configuration("cannot read from the broker: \(Errno(rawValue: code))")
    }

    deinit {
        for descriptor in [socket, feed.ours, feed.librarys] where descriptor >= 0 { close(descriptor) }
        buffer.deallocate()
    }

    /// The library's TLS, if it uses it.
    private var tls: OpaquePointer? { mosquitto_ssl_get(handle).map { OpaquePointer($0) } }

    // MARK: TLS handshake

    /// Whether the TLS handshake is not finished: until then the library has nothing to read or write.
    private(set) var isHandshaking: Bool

    /// Whether the handshake waits for the broker rather than for room in the socket.
    var isAwaitingHandshakeInput: Bool { tls.map { SSL_want($0) == SSL_READING } ?? false }

    /// Continues the handshake and finally verifies the broker's certificate; returns why it failed.
    ///
    /// The library's own verification is disabled, because it gives no reason. The library has written
    /// nothing before this is complete.
    func continueHandshake() -> Connection.Failure? {
        guard let tls else { return .init(MOSQ_ERR_TLS, reason: "libmosquitto has not started TLS") }
        ERR_clear_error()
        errno = 0
        let result = SSL_do_handshake(tls)
        guard result == 1 else { return failure(tls, result) }
        if let reason = TLSReason.verificationError(of: tls, configuration) {
            return .init(MOSQ_ERR_TLS, reason: reason)
        }
        isHandshaking = false
        // The library notices by reading, and does not write before.
        if let failure = feedLibrary({ 0 }) { return failure }
        // A broker that refuses our certificate says so now; writing would only end the connection.
        return read(tls)
    }

    // MARK: Reading

    /// Reads available data and passes it on; returns why the link ended.
    func read() -> Connection.Failure? {
        if let tls { return read(tls) }
        errno = 0
        let count = recv(socket, buffer.baseAddress, buffer.count, Int32(MSG_DONTWAIT))
        guard count > 0 else {
            if count == 0 || errno == ECONNRESET { return .init(MOSQ_ERR_CONN_LOST) }
            return errno == EAGAIN || errno == EINTR ? nil : .init(MOSQ_ERR_ERRNO, errno)
        }
        let bytes = UnsafeRawBufferPointer(rebasing: buffer[..<count])
        if let malformed = check(bytes) { return malformed }
        // What was read is used before.
        defer { if count == buffer.count { resize(to: Self.bufferBytes) } }
        return splitter.split(bytes) { part in
            // The library has closed the link, and its descriptor may be another file by now.
            guard mosquitto_socket(handle) == libraryDescriptor else { return .init(MOSQ_ERR_NO_CONN) }
            return switch part {
            case .own(let packet): decode(packet)
            case .library(let bytes): feedLibrary(bytes)
            }
        }
    }

    /// Whether PINGRESP was read since the last call.
    func takePingAnswer() -> Bool { validator.takePingAnswer() }

    /// Gives back the memory that a link at rest does not need.
    func release() {
        if !configuration.tls.isEnabled { resize(to: Self.bufferBytesAtRest) }
    }

    private func resize(to bytes: Int) {
        guard buffer.count != bytes else { return }
        buffer.deallocate()
        buffer = .allocate(byteCount: bytes, alignment: 1)
    }

    private func decode(_ packet: UnsafeRawBufferPointer) -> Connection.Failure? {
        do throws(MalformedPacket) {
            return receive(
                try IncomingPacket(packet, isV5: isV5, payloadLimit: configuration.maximumPayload)
            )
        } catch {
            return .init(MOSQ_ERR_MALFORMED_PACKET, reason: error.description)
        }
    }

    private func feedLibrary(_ bytes: UnsafeRawBufferPointer) -> Connection.Failure? {
        // Nothing is left unread: the pair is empty and has room for more than the buffer.
        guard send(feed.ours, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL)) == bytes.count else {
            return .init(MOSQ_ERR_ERRNO, errno)
        }
        return feedLibrary { [feed] in
            var waiting: Int32 = 0
            return ioctl(feed.librarys, UInt(FIONREAD), &waiting) == 0 ? waiting : 0
        }
    }

    private func read(_ tls: OpaquePointer) -> Connection.Failure? {
        for _ in 0..<Self.maximumRecordsPerRead {
            if !mosquitto_want_write(handle) { libraryAcknowledgements = 0 }
            ERR_clear_error()
            errno = 0
            let count = SSL_peek(tls, buffer.baseAddress, Int32(buffer.count))
            guard count > 0 else { return failure(tls, count) }
            if let malformed = check(UnsafeRawBufferPointer(rebasing: buffer[..<Int(count)])) {
                return malformed
            }
            let bytes = UnsafeRawBufferPointer(rebasing: buffer[..<Int(count)])
            let isOwn = splitter.hasOnlyOwn(bytes)
            let failure = splitter.split(bytes) { part -> Connection.Failure? in
                guard case .own(let packet) = part else { return nil }
                if isOwn || !IncomingPacket.isPublish(packet) { return decode(packet) }
                if IncomingPacket.isAcknowledged(packet) { libraryAcknowledgements += 1 }
                return nil
            }
            if let failure { return failure }
            guard libraryAcknowledgements <= Connection.maximumAcknowledgements else {
                return Connection.unread
            }
            if isOwn {
                // What was looked at is there.
                SSL_read(tls, buffer.baseAddress, count)
                continue
            }
            if let failure = feedLibrary({ SSL_pending(tls) }) { return failure }
            guard mosquitto_socket(handle) == libraryDescriptor else { return nil }
        }
        // OpenSSL has no record left: the next one is in the socket and is read later.
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

    /// Lets the library read exactly the validated data.
    ///
    /// - Parameter waiting: The number of bytes left to read.
    private func feedLibrary(_ waiting: () -> Int32) -> Connection.Failure? {
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
            // The library ended the link and closed its descriptor.
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

    // MARK: Writing

    /// Writes beside the library.
    ///
    /// - Returns: The number of bytes written: none if there is no room, or why the link ended. With TLS the same
    ///   bytes must be written then, before anything else.
    func write(_ bytes: UnsafeRawBufferPointer) -> Result<Int, Connection.Failure> {
        errno = 0
        if let tls {
            ERR_clear_error()
            let count = SSL_write(tls, bytes.baseAddress, Int32(clamping: bytes.count))
            guard count <= 0, let failure = failure(tls, count) else { return .success(max(0, Int(count))) }
            return .failure(failure)
        }
        let count = send(socket, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT))
        if count >= 0 { return .success(count) }
        if errno == EAGAIN || errno == EINTR { return .success(0) }
        return .failure(errno == ECONNRESET ? .init(MOSQ_ERR_CONN_LOST) : .init(MOSQ_ERR_ERRNO, errno))
    }

    /// Sends a TCP acknowledgement at once: a broker that waits for it with its next packet waits 40 ms.
    ///
    /// The system resets this option, so it is set after each read; what is written after it acknowledges as well.
    func acknowledgeQuickly() {
        var yes: Int32 = 1
        setsockopt(socket, Int32(IPPROTO_TCP), TCP_QUICKACK, &yes, socklen_t(MemoryLayout<Int32>.size))
    }

    /// The meaning of an OpenSSL result; `nil` when there is just nothing to do at present.
    private func failure(_ tls: OpaquePointer, _ result: Int32) -> Connection.Failure? {
        let code = errno
        switch SSL_get_error(tls, result) {
        case SSL_ERROR_NONE, SSL_ERROR_WANT_READ, SSL_ERROR_WANT_WRITE: return nil
        case SSL_ERROR_ZERO_RETURN: return .init(MOSQ_ERR_CONN_LOST)
        case SSL_ERROR_SYSCALL where code != 0 && code != ECONNRESET: return .init(MOSQ_ERR_ERRNO, code)
        case SSL_ERROR_SYSCALL: return .init(MOSQ_ERR_CONN_LOST)
        default:
            return TLSReason.isUnexpectedEOF(ERR_peek_error())
                ? .init(MOSQ_ERR_CONN_LOST) : .init(MOSQ_ERR_TLS, reason: TLSReason.fromErrorQueue())
        }
    }
}
