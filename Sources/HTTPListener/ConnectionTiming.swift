import NIOCore

/// How long the peer of one connection may take, and how much it may send before its request is understood.
///
/// A connection waits for a request, reads its head, reads its body, and lets the answer be written; several
/// requests may be under way one after the other. An answer that takes its time (a long poll, a stream of
/// events) is our own doing and has no limit here; one that the peer does not take has.
struct ConnectionTiming {
    struct Limits: Sendable {
        var first: TimeAmount
        var head: TimeAmount
        var body: TimeAmount
        var idle: TimeAmount
        var send: TimeAmount
        var headBytes: Int
        /// How long what a refused peer still sends is thrown away, so that it gets to read the answer.
        static let farewell = TimeAmount.seconds(2)
        /// How long a shutdown waits for what the peer has yet to send or to take.
        static let shutdown = TimeAmount.seconds(1)

        var shortest: TimeAmount { min(first, head, body, idle, send, Self.shutdown) }
    }

    enum Verdict: Equatable {
        /// Nothing is due; look again then.
        case wait(until: NIODeadline)
        /// Nothing comes due before the peer stops taking what it is sent, or is refused.
        case rest
        /// Answer with this status, as no answer to the request has begun, and close.
        case refuse(status: Int)
        case close
    }

    private let limits: Limits
    /// Since when no request is under way.
    private(set) var idleSince: NIODeadline
    private var hasAnswered = false
    private var headSince: NIODeadline?
    private var headBytes = 0
    private var bodySince: NIODeadline?
    private var blockedSince: NIODeadline?
    private var refusedSince: NIODeadline?
    private var stoppingSince: NIODeadline?
    private var isWebSocket = false
    private var requestsInProgress = 0
    private var answerHasBegun = false

    init(limits: Limits, now: NIODeadline) {
        self.limits = limits
        idleSince = now
    }

    var isRefused: Bool { refusedSince != nil }
    /// Whether the peer may be told something outside of an answer.
    var canInterrupt: Bool {
        !answerHasBegun && !isRefused && !isWebSocket
            && (requestsInProgress == 0 || bodySince != nil && requestsInProgress == 1)
    }

    /// Whether nothing would be lost if the connection ended now: no request has been read that is not answered.
    var isIdle: Bool { requestsInProgress == 0 && !isWebSocket && !isRefused }

    mutating func bytesArrived(_ count: Int, at now: NIODeadline) {
        guard bodySince == nil, !isWebSocket else { return }
        if headSince == nil { headSince = now }
        headBytes += count
    }

    /// Whether more has come than a head may have; to be asked when the bytes have been looked at.
    var headIsTooLong: Bool { headSince != nil && headBytes > limits.headBytes }

    mutating func headWasRead(at now: NIODeadline) {
        headSince = nil
        headBytes = 0
        bodySince = now
        requestsInProgress += 1
    }

    mutating func requestWasRead() {
        bodySince = nil
        headSince = nil
        headBytes = 0
    }

    mutating func answerBegan() {
        answerHasBegun = true
    }

    mutating func answerEnded(at now: NIODeadline) {
        answerHasBegun = false
        hasAnswered = true
        requestsInProgress = max(0, requestsInProgress - 1)
        idleSince = now
    }

    mutating func writability(_ isWritable: Bool, at now: NIODeadline) {
        blockedSince = isWritable ? nil : blockedSince ?? now
    }

    /// The peer is waited for without end: what speaks through the socket has its own time-outs.
    mutating func becameWebSocket() {
        isWebSocket = true
        requestWasRead()
        requestsInProgress = 0
        answerHasBegun = false
    }

    mutating func wasRefused(at now: NIODeadline) {
        refusedSince = now
    }

    /// The listener stops: a peer that is slow is not waited for any longer.
    mutating func stops(at now: NIODeadline) {
        stoppingSince = now
    }

    /// What is due.
    func verdict(at now: NIODeadline) -> Verdict {
        let stop = stoppingSince.map { $0 + Limits.shutdown } ?? .distantFuture
        if let refusedSince {
            let end = min(refusedSince + Limits.farewell, stop)
            return due(end, now) ? .close : wait(end, now)
        }
        let sending = blockedSince.map { min($0 + limits.send, stop) }
        if let sending, due(sending, now) { return .close }
        let reading = (headSince.map { $0 + limits.head } ?? bodySince.map { $0 + limits.body })
            .map { min($0, stop) }
        if let reading, due(reading, now) { return canInterrupt ? .refuse(status: 408) : .close }
        if isWebSocket, sending == nil { return .rest }
        let idling =
            isIdle && reading == nil ? idleSince + (hasAnswered ? limits.idle : limits.first) : nil
        if let idling, due(idling, now) { return .close }
        let next = [sending, reading, idling]
        return wait(next.compactMap(\.self).min() ?? .distantFuture, now)
    }

    private func due(_ deadline: NIODeadline, _ now: NIODeadline) -> Bool { deadline <= now }

    /// No span is shorter than `shortest`: who looks that often misses nothing that begins meanwhile.
    private func wait(_ deadline: NIODeadline, _ now: NIODeadline) -> Verdict {
        .wait(until: min(deadline, now + limits.shortest))
    }
}

extension TimeAmount {
    /// At least a millisecond, at most a day.
    init(bounded duration: Duration) {
        let bounded = min(max(duration, .milliseconds(1)), .seconds(86_400))
        self = .nanoseconds(
            bounded.components.seconds * 1_000_000_000 + bounded.components.attoseconds / 1_000_000_000
        )
    }
}
