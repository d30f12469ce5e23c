import CMosquitto
import Glibc
import Logging
import Threading

/// Reading and writing, one thread at a time.
extension Connection {
    struct Traffic {
        /// What ended the link.
        var failure: Failure?
        /// What is being written.
        var batch = PacketBuffer()
        var lastRead = SuspendingClock.now
        var lastWritten = SuspendingClock.now
        /// Publications of QoS 0 that were written since they were last reported.
        var publications = 0

        /// Since when nothing has passed in one of the directions.
        var last: SuspendingClock.Instant { min(lastRead, lastWritten) }

        /// - Returns: Those publications, once.
        mutating func takePublications() -> Int {
            defer { publications = 0 }
            return publications
        }
    }

    /// Writes pending data, or leaves it to the thread when that is active or the socket is full.
    ///
    /// From any thread.
    func flush() {
        while true {
            let result = traffic.withLockIfFree { traffic -> (isDone: Bool, publications: Int) in
                guard traffic.failure == nil else { return (true, 0) }
                traffic.failure = write(&traffic)
                return (traffic.failure == nil && !wantsWrite(&traffic), traffic.takePublications())
            }
            let publications = result?.publications ?? 0
            if publications > 0 { events.written(publications) }
            guard result?.isDone == true else { return wakeUp.signal() }
            // Others may follow when there is room again.
            if publications == 0 || output.withLock({ $0.buffer.isEmpty }) { return }
        }
    }

    // MARK: - On the thread

    /// Waits until there is something to do, and does it.
    func poll(milliseconds: Int32) -> Failure? {
        guard let input else { return Failure(MOSQ_ERR_NO_CONN) }
        let socket = mosquitto_socket(handle) < 0 ? -1 : input.socket
        let wantsWrite =
            input.isHandshaking ? !input.isAwaitingHandshakeInput : traffic.withLock { self.wantsWrite(&$0) }
        let ready = wakeUp.wait(
            for: socket,
            reading: !backlog.isFull,
            writing: wantsWrite,
            milliseconds: socket < 0 ? 0 : milliseconds
        )
        isTracing = logger.logLevel <= .trace
        if input.isHandshaking, socket >= 0 {
            let failure = process { _ in input.continueHandshake() }
            // Until then the library has nothing to write, and would only repeat the same OpenSSL call.
            guard failure == nil, !input.isHandshaking else { return failure }
        } else if ready.toRead {
            // What this causes is written after it, together with the acknowledgements.
            aroundRead {
                _ = process { traffic in
                    traffic.lastRead = .now
                    guard mosquitto_socket(handle) >= 0 else { return nil }
                    return input.read() ?? missingAcknowledgement(input)
                }
            }
        }
        let failure = process { traffic in
            if let failure = write(&traffic) { return failure }
            // What is written acknowledges as well.
            if ready.toRead, traffic.lastWritten < traffic.lastRead { input.acknowledgeQuickly() }
            return keepAlive(&traffic)
        }
        let publications = traffic.withLock { $0.takePublications() }
        if publications > 0 { events.written(publications) }
        return failure
    }

    /// Reads or writes, unless the link has ended already.
    private func process(_ body: (inout Traffic) -> Failure?) -> Failure? {
        traffic.withLock { traffic in
            if traffic.failure == nil { traffic.failure = body(&traffic) }
            return traffic.failure
        }
    }

    /// Writes what waits, and never a packet between the bytes of another: the library writes only when nothing of ours
    /// is cut in two, and we only when nothing of the library waits.
    private func write(_ traffic: inout Traffic) -> Failure? {
        guard let input, !input.isHandshaking else { return nil }
        while mosquitto_socket(handle) >= 0 {
            if traffic.batch.isEmpty, mosquitto_want_write(handle) {
                errno = 0
                let result = mosquitto_loop_write(handle, 1)
                if result > MOSQ_ERR_SUCCESS.rawValue { return Failure(result: result, systemError: errno) }
                if mosquitto_want_write(handle) { return nil }
                traffic.lastWritten = .now
            }
            if traffic.batch.isEmpty { output.withLock { swap(&traffic.batch, &$0.buffer) } }
            guard !traffic.batch.isEmpty else { return nil }
            var failure: Failure?
            let written = traffic.batch.write {
                switch input.write($0) {
                case .success(let count): return count
                case .failure(let reason):
                    failure = reason
                    return 0
                }
            }
            guard written.bytes > 0 else { return failure }
            traffic.lastWritten = .now
            traffic.publications += written.publications
        }
        return nil
    }

    private func wantsWrite(_ traffic: inout Traffic) -> Bool {
        mosquitto_want_write(handle) || !traffic.batch.isEmpty || output.withLock { !$0.buffer.isEmpty }
    }

    var isEverythingWritten: Bool {
        traffic.withLock { $0.batch.isEmpty } && output.withLock { $0.buffer.isEmpty }
    }

    /// Milliseconds until the keep-alive has passed, if nothing passes before; `nil` once it has.
    var untilKeepAlive: Int32? {
        let last = traffic.withLock { $0.last }
        return Self.wait(from: last, for: progress.keepAlive, at: .now)
    }

    /// Milliseconds until an acknowledgement is missed; `nil` while none is expected.
    ///
    /// Asks the broker with a ping when one is missed.
    ///
    /// A publisher does not wake this thread, so it may look later: when something is read, or for the keep-alive.
    var untilOverdue: Int32? {
        let patience = configuration.acknowledgementPatience
        let (next, asks) = output.withLock { output in
            guard output.isOpen, output.watch.next(after: patience) != nil else {
                return (SuspendingClock.Instant?.none, false)
            }
            let asks = output.watch.asks(after: patience, at: .now)
            if asks { output.buffer.appendPing() }
            return (output.watch.next(after: patience), asks)
        }
        if asks { logger.debug("nothing was acknowledged for \(patience): sending PINGREQ") }
        return next.map { Self.wait(from: $0, for: .zero, at: .now) ?? 0 }
    }

    /// The broker has answered a ping, and acknowledged nothing that was sent long before it.
    private func missingAcknowledgement(_ input: ValidatedInput) -> Failure? {
        guard input.takePingAnswer(), output.withLock({ $0.watch.isOverdue }) else { return nil }
        var failure = Failure(MOSQ_ERR_TIMEOUT)
        failure.error = .unacknowledged(
            address: configuration.address,
            seconds: Int(configuration.acknowledgementPatience.components.seconds)
        )
        return failure
    }

    /// A link at rest wakes nobody up in between.
    static func wait(
        from last: SuspendingClock.Instant,
        for keepAlive: Duration,
        at now: SuspendingClock.Instant
    ) -> Int32? {
        let rest = keepAlive - (now - last)
        guard rest > .zero else { return nil }
        // Rounded up, so that it has passed then.
        return Int32(clamping: Int((rest / .milliseconds(1)).rounded(.up)))
    }

    /// Lets the library send PINGREQ, or end the link, when nothing has passed for long: it does not know what passes
    /// beside it.
    private func keepAlive(_ traffic: inout Traffic) -> Failure? {
        guard .now - traffic.last >= progress.keepAlive || mosquitto_socket(handle) < 0 else { return nil }
        // A link at rest keeps no memory for what it had to read and to write.
        input?.release()
        traffic.batch.release()
        output.withLock { $0.buffer.release() }
        errno = 0
        let result = mosquitto_loop_misc(handle)
        return result > MOSQ_ERR_SUCCESS.rawValue ? Failure(result: result, systemError: errno) : nil
    }
}
