import NIOCore

/// Timeouts and limits of one connection, until its request is parsed.
///
/// A connection waits for a request, reads its head and body, and writes the answer; several requests may
/// follow one another. A delayed answer (a long poll, an event stream) has no limit here; an answer that the
/// peer does not read has one.
struct ConnectionTiming {
    /// How long further input of a refused peer is discarded, so that it can read the answer.
    private static let linger = Duration.seconds(2)
    /// How long a shutdown waits for peers to send or read.
    private static let shutdown = Duration.seconds(1)

    enum Verdict: Equatable {
        /// Nothing is due; check again then.
        case wait(until: NIODeadline)
        /// Nothing becomes due before writing stalls, or the peer is refused.
        case none
        /// Answer with this status, because no answer has begun, and close.
        case refuse(status: Int)
        case close
    }

    private let limits: HTTPListenerConfiguration
    /// Since when no request is pending.
    private var idleSince: NIODeadline
    /// Since when the TLS handshake has been under way.
    private var handshakeSince: NIODeadline?
    private var hasAnswered = false
    private var headSince: NIODeadline?
    private var headBytes = 0
    private var bodySince: NIODeadline?
    private var blockedSince: NIODeadline?
    private var refusedSince: NIODeadline?
    private var stoppingSince: NIODeadline?
    private var isWebSocket = false
    private var requestsInProgress = 0
    private var isResponding = false
    /// Those that are complete, and that the system has not taken in full yet.
    private var answersBeingSent = 0

    init(_ limits: HTTPListenerConfiguration, now: NIODeadline) {
        self.limits = limits
        idleSince = now
        handshakeSince = limits.tls == nil ? nil : now
    }

    var isRefused: Bool { refusedSince != nil }
    /// Whether a message other than an answer may be sent.
    var canRespond: Bool {
        !isResponding && !isRefused && !isWebSocket
            && requestsInProgress == (isReadingBody ? 1 : 0)
    }

    /// Whether the body of a request is not complete, which may have been answered already.
    var isReadingBody: Bool { bodySince != nil }

    /// Whether closing now loses nothing: every parsed request has been answered.
    private var isIdle: Bool { requestsInProgress == 0 && !isWebSocket && !isRefused }

    /// Since when the connection may be closed for another one; `nil` while it may not.
    ///
    /// It may while it is idle, and while its peer keeps it waiting: with the rest of a body, or with an answer that it does
    /// not read. Otherwise whoever opens many connections and stops in the middle of a request would keep out all others.
    var replaceableSince: NIODeadline? {
        if isIdle, answersBeingSent == 0 { return idleSince }
        guard !isWebSocket, !isRefused else { return nil }
        return blockedSince ?? (canRespond ? bodySince : nil)
    }

    mutating func handshakeCompleted() {
        handshakeSince = nil
    }

    mutating func receivedBytes(_ count: Int, at now: NIODeadline) {
        guard bodySince == nil, !isWebSocket else { return }
        if headSince == nil { headSince = now }
        headBytes += count
    }

    /// Whether a head is too long; to be checked after the bytes were parsed.
    var isHeadTooLong: Bool { headSince != nil && headBytes > limits.maximumHeadBytes }

    mutating func receivedHead(at now: NIODeadline) {
        headSince = nil
        headBytes = 0
        bodySince = now
        requestsInProgress += 1
    }

    mutating func receivedEnd() {
        bodySince = nil
        headSince = nil
        headBytes = 0
    }

    mutating func responseStarted() {
        isResponding = true
    }

    mutating func responseEnded(at now: NIODeadline) {
        isResponding = false
        hasAnswered = true
        answersBeingSent += 1
        requestsInProgress = max(0, requestsInProgress - 1)
        idleSince = now
    }

    /// The system has all of an answer, or the connection has ended.
    mutating func responseSent() {
        answersBeingSent = max(0, answersBeingSent - 1)
    }

    mutating func writability(_ isWritable: Bool, at now: NIODeadline) {
        blockedSince = isWritable ? nil : blockedSince ?? now
    }

    /// The read timeouts end: a WebSocket has its own.
    mutating func becameWebSocket() {
        isWebSocket = true
        receivedEnd()
        requestsInProgress = 0
        isResponding = false
    }

    mutating func refused(at now: NIODeadline) {
        refusedSince = now
    }

    /// The listener stops: slow peers are not awaited any longer.
    mutating func shutdownStarted(at now: NIODeadline) {
        stoppingSince = now
    }

    /// The next action.
    func verdict(at now: NIODeadline) -> Verdict {
        let stop = stoppingSince.map { $0 + Self.shutdown } ?? .distantFuture
        func end(_ since: NIODeadline?, _ limit: Duration) -> NIODeadline? {
            since.map { min($0 + limit, stop) }
        }
        if let end = end(refusedSince, Self.linger) { return end <= now ? .close : wait(end, now) }
        let securing = end(handshakeSince, limits.handshakeTimeout)
        if let securing, securing <= now { return .close }
        let sending = end(blockedSince, limits.sendTimeout)
        if let sending, sending <= now { return .close }
        let reading = end(headSince, limits.headTimeout) ?? end(bodySince, limits.bodyTimeout)
        if let reading, reading <= now { return canRespond ? .refuse(status: 408) : .close }
        if isWebSocket, sending == nil { return .none }
        let patience = hasAnswered ? limits.idleTimeout : limits.firstRequestTimeout
        let idling = isIdle && reading == nil ? idleSince + patience : nil
        if let idling, idling <= now { return .close }
        let next = [securing, sending, reading, idling]
        return wait(next.compactMap(\.self).min() ?? .distantFuture, now)
    }

    /// No wait is longer than the shortest limit, so that nothing that starts meanwhile is missed.
    private func wait(_ deadline: NIODeadline, _ now: NIODeadline) -> Verdict {
        let shortest = min(
            limits.handshakeTimeout,
            limits.firstRequestTimeout,
            limits.headTimeout,
            limits.bodyTimeout,
            limits.idleTimeout,
            limits.sendTimeout,
            Self.shutdown
        )
        return .wait(until: min(deadline, now + shortest))
    }
}

extension NIODeadline {
    /// At least a millisecond later, at most a day.
    fileprivate static func + (start: NIODeadline, limit: Duration) -> NIODeadline {
        start + TimeAmount(min(max(limit, .milliseconds(1)), .seconds(86_400)))
    }
}
