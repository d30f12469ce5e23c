import CMosquitto
import Glibc
import Logging
import SystemPackage
import Threading

/// One connection: a libmosquitto handle and the thread that drives it.
///
/// A thread of our own, because `mosquitto_loop_start` ends permanently and silently after TLS, name
/// resolution or protocol errors, and its reconnect delay has no jitter. This thread ends with the connection
/// and reports the reason. Publishers write to the socket themselves unless another thread is about to, so
/// that messages need not wait for the thread to wake up.
///
/// The library makes and keeps the link. Publications, and their acknowledgements, pass beside it.
final class Connection: Sendable {
    let number: UInt64
    let configuration: MQTTConfiguration
    let version: MQTTProtocolChoice
    let will: MQTTWillStrength
    let events: ConnectionEvents
    let logger: Logger
    let aroundRead: MQTTReadHook
    let backlog: ReceiveBacklog

    // Set on the connection's thread; used there, or while `traffic` is held.
    nonisolated(unsafe) var input: ValidatedInput?
    // Never changes, and the library locks the data it points to.
    nonisolated(unsafe) let handle: OpaquePointer
    // Used only on the connection's thread, where the library reads and calls back.
    nonisolated(unsafe) var progress = Progress()
    // Whether received packets are logged, asked once for all that are read together. Used only on the connection's
    // thread.
    nonisolated(unsafe) var isTracing = false
    // The reason given by the library or the broker when the link ended. Set by a callback while `traffic` is
    // held, by the reading or writing thread, and read after both have ended.
    nonisolated(unsafe) var ending: (code: Int32, reason: String?)?

    /// Held while something reads or writes.
    let traffic = Locked(Traffic())
    /// What is encoded and not yet being written.
    let output = Locked(Output())
    let wakeUp: EventFD
    /// The requests to the thread.
    private let request = Locked(Request.none)
    /// Lines of the library's log that explain a failed attempt.
    private let libraryErrors = Locked([String]())
    private let thread = Locked(POSIXThread?.none)
    let rounds = ConnectionRounds()

    enum Request { case none, close, drop }

    /// What ended the link: the library's code, the system's, and an additional reason.
    struct Failure: Error {
        let result: Int32
        let systemError: Int32
        var reason: String?
        /// Instead of an interpretation of the codes.
        var error: MQTTError?

        init(result: Int32, systemError: Int32) {
            self.result = result
            self.systemError = systemError
        }

        init(_ result: mosq_err_t, _ systemError: Int32 = 0, reason: String? = nil) {
            self.init(result: result.rawValue, systemError: systemError)
            self.reason = reason
        }
    }

    struct Output {
        var buffer = PacketBuffer()
        /// Whether packets may still be added.
        var isOpen = false
        /// Begins with what is added to the buffer.
        var watch = AcknowledgementWatch()
    }

    struct Progress {
        enum Stage { case connecting, subscribing, up }

        var stage = Stage.connecting
        var session: MQTTSession?
        /// The answer to CONNECT if it was refused.
        var refusal: (code: Int32, reason: String?)?
        /// Subscriptions of this connect that are not answered yet.
        var unanswered: [Int32: Subscriptions.Request] = [:]
        /// The highest QoS that a subscription was granted at less than it asked for, if none got what it asked for.
        var reducedQoS: MQTTQoS?
        var hasFullGrant = false
        var refusedFilters: [String] = []
        var deadline = ContinuousClock.now
        /// What the broker accepts, as far as it has said.
        var limits = MQTTLimits()
        /// The keep-alive of the link.
        var keepAlive = Duration.zero
    }

    /// - Throws: ``MQTTError/configuration(_:)`` for values that the library rejects.
    init(
        number: UInt64,
        configuration: MQTTConfiguration,
        version: MQTTProtocolChoice,
        will: MQTTWillStrength = .full,
        events: ConnectionEvents,
        aroundRead: @escaping MQTTReadHook,
        backlog: ReceiveBacklog,
        logger: Logger
    ) throws(MQTTError) {
        self.number = number
        self.configuration = configuration
        self.version = version
        self.will = will
        self.events = events
        self.aroundRead = aroundRead
        self.backlog = backlog
        self.logger = logger
        do throws(Errno) { wakeUp = try EventFD() } catch {
            throw .configuration("cannot wait for the broker: \(error)")
        }
        backlog.attach(wakeUp)
        handle = try LibraryHandle.make(configuration, version: version)
        mosquitto_user_data_set(handle, Unmanaged.passUnretained(self).toOpaque())
        setCallbacks()
    }

    deinit {
        mosquitto_log_callback_set(handle, nil)
        mosquitto_destroy(handle)
    }

    /// Starts the thread, which runs the connection and finally calls `ended`.
    func start() {
        do throws(Errno) {
            let thread = try POSIXThread { [self] in events.ended(runConnection()) }
            self.thread.withLock { $0 = thread }
        } catch {
            events.ended(.failed(.configuration("cannot start a thread: \(error)")))
        }
    }

    /// Joins the thread; to be called after `ended`, so that it does not block.
    func join() {
        thread.withLock { $0.take() }?.join()
    }

    /// Detaches a thread that does not end because the system's resolver blocks it.
    func abandon() {
        thread.withLock { $0.take() }?.detach()
    }

    /// Ends the connection with DISCONNECT, so that the broker discards the will; at the latest after a
    /// second.
    ///
    /// What was sent before is written first.
    func close() {
        request.withLock { $0 = .close }
        wakeUp.signal()
    }

    /// Ends the connection without DISCONNECT, so that the broker publishes the will.
    func drop() {
        request.withLock { $0 = .drop }
        wakeUp.signal()
    }

    func recordLibraryError(_ line: String) {
        libraryErrors.withLock { if $0.count < 3, !$0.contains(line) { $0.append(line) } }
    }

    // MARK: - On the thread

    private func runConnection() -> ConnectionEnd {
        let families: [AddressFamily]
        do {
            families = try AddressFamily.families(of: configuration.host)
        } catch {
            let reason = "the name \"\(configuration.host)\" has no address (\(error.reason))"
            return .failed(.unreachable(address: configuration.address, reason: reason))
        }
        var end = ConnectionEnd.closed
        for family in families {
            guard request.withLock({ $0 }) == .none else { return .closed }
            // In non-blocking mode the library tries one address; binding selects its family.
            end = attempt(from: families.count > 1 ? family.anyAddress : nil)
            guard case .failed(.unreachable) = end else { return end }
        }
        return end
    }

    private func attempt(from source: String?) -> ConnectionEnd {
        progress = Progress()
        ending = nil
        traffic.withLock { $0 = Traffic() }
        progress.deadline = .now + .seconds(max(configuration.connectTimeoutSeconds, 1))
        output.withLock { $0 = Output(isOpen: true) }
        let keepAlive = Int32(min(max(configuration.keepAliveSeconds, 5), 65_535))
        let port = Int32(min(max(configuration.port, 0), 65_535))
        // While the broker does not answer a ping, which the library looks at when it is called.
        let idle = min(max(keepAlive * 100, 500), 3000)
        progress.keepAlive = .seconds(Int(keepAlive))
        var wasReached = false
        var (isClosing, isDisconnecting) = (false, false)
        errno = 0
        let result = mosquitto_connect_bind_async(handle, configuration.host, port, keepAlive, source)
        var failure = result > MOSQ_ERR_SUCCESS.rawValue ? Failure(result: result, systemError: errno) : nil
        // The broker sees the end only when both descriptors of the socket are closed.
        defer {
            output.withLock { $0 = Output() }
            traffic.withLock { _ in input = nil }
        }
        if failure == nil {
            do {
                // Released at the end of this attempt.
                let new = try ValidatedInput(handle, configuration, version: version) { [unowned self] in
                    receive($0)
                }
                traffic.withLock { _ in input = new }
            } catch { return .failed(error) }
        }
        rounds.begin()
        defer { rounds.end() }
        while failure == nil {
            rounds.next()
            let isLate = ContinuousClock.now >= progress.deadline
            switch request.withLock({ $0 }) {
            case .drop: return .closed
            case .close where isClosing && isLate: return .closed
            case .close where !isClosing:
                isClosing = true
                progress.deadline = .now + .seconds(1)
                output.withLock { $0.isOpen = false }
            case .close where !isDisconnecting && isEverythingWritten:
                isDisconnecting = true
                mosquitto_disconnect(handle)
            case .close: break
            case .none where isLate && progress.stage == .connecting:
                return timedOut(wasReached: wasReached)
            case .none where isLate && progress.stage == .subscribing:
                finishSubscribing()
            case .none: break
            }
            // Only for the keep-alive and for what is under way: whatever else there is wakes the thread.
            failure = poll(
                milliseconds: isClosing || progress.stage != .up
                    ? 50 : min(untilKeepAlive ?? idle, untilOverdue ?? .max)
            )
            wasReached = wasReached || isReached
        }
        guard let failure, request.withLock({ $0 }) == .none else { return .closed }
        return end(failure, wasReached: wasReached)
    }

    /// The subscriptions are answered, or timed out.
    func finishSubscribing() {
        guard progress.stage == .subscribing, var session = progress.session else { return }
        progress.stage = .up
        if !progress.unanswered.isEmpty {
            let filters = progress.unanswered.values.map(\.filter).sorted().joined(separator: ", ")
            logger.warning("the broker did not answer these subscriptions: \(filters)")
        }
        session.refusedFilters = progress.refusedFilters.sorted()
        if !session.refusedFilters.isEmpty {
            let filters = session.refusedFilters.joined(separator: ", ")
            logger.warning("the broker refused these subscriptions: \(filters)")
        }
        progress.limits.maximumQoS = min(session.maximumQoS, inferredQoS)
        session.maximumQoS = progress.limits.maximumQoS
        events.up(session, progress.limits)
    }

    /// What 3.1.1 does not say, but its answers to the subscriptions and to the will tell.
    ///
    /// A publication above the broker's QoS would end the link.
    private var inferredQoS: MQTTQoS {
        guard version == .v311 else { return .atLeastOnce }
        if configuration.will != nil, !will.isAcknowledged { return .atMostOnce }
        return progress.hasFullGrant ? .atLeastOnce : progress.reducedQoS ?? .atLeastOnce
    }

    /// Whether the socket is connected.
    private var isReached: Bool {
        let socket = mosquitto_socket(handle)
        guard socket >= 0 else { return false }
        var peer = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        return withUnsafeMutablePointer(to: &peer) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { getpeername(socket, $0, &length) == 0 }
        }
    }

    private func timedOut(wasReached: Bool) -> ConnectionEnd {
        let seconds = max(configuration.connectTimeoutSeconds, 1)
        guard wasReached else {
            return .failed(
                .unreachable(address: configuration.address, reason: "no answer within \(seconds) s")
            )
        }
        return .unanswered(.noAnswer(address: configuration.address, seconds: seconds))
    }

    private func end(_ failure: Failure, wasReached: Bool) -> ConnectionEnd {
        if let error = failure.error { return .failed(error) }
        let reason = DisconnectReason(
            address: configuration.address,
            user: configuration.username,
            version: version,
            hasTLS: configuration.tls.isEnabled,
            wasReached: wasReached,
            isAccepted: progress.session != nil,
            refusal: progress.refusal,
            ending: ending,
            result: failure.result,
            systemError: failure.systemError,
            failureReason: failure.reason,
            libraryErrors: libraryErrors.withLock { $0 }
        )
        return reason.end
    }
}

/// The events of a connection, all on its thread; `written` also on that of a publisher.
struct ConnectionEvents: Sendable {
    /// The broker accepted the connection; returns the subscriptions.
    var accepted:
        @Sendable (Connection, MQTTSession, _ hasSubscriptionIdentifiers: Bool) -> [Subscriptions.Request]
    /// Accepted, and the subscriptions are answered.
    var up: @Sendable (MQTTSession, MQTTLimits) -> Void
    var received: @Sendable (MQTTMessage, _ subscriptions: [UInt32]) -> Void
    var acknowledged: @Sendable (_ id: UInt16, _ reasonCode: Int32) -> Void
    /// The oldest publications of QoS 0 are written.
    var written: @Sendable (_ count: Int) -> Void
    var ended: @Sendable (ConnectionEnd) -> Void
}
