/// Whether the broker still acknowledges publications of QoS 1.
///
/// A broker may lose acknowledgements and keep the link: mosquitto drops every packet for a client for which more than
/// `max_queued_messages` packets wait. What is under way then fills the window for good. So when nothing was
/// acknowledged for long, the broker is asked with a ping. Packets keep their order, so once the ping is answered, no
/// acknowledgement is on its way behind a slow link. A broker that does not answer it is left to the keep-alive.
/// - Source: mosquitto 2.0.20, lib/packet_mosq.c, packet__queue.
struct AcknowledgementWatch {
    /// Sent and not acknowledged.
    private var pending = 0
    /// When the broker last acknowledged one, was given the first one, or was asked.
    private var last = SuspendingClock.now
    private var isAsked = false

    /// Whether it was asked, and has acknowledged nothing since.
    var isOverdue: Bool { pending > 0 && isAsked }

    /// - Parameter now: Asked only when it matters.
    mutating func sent(at now: @autoclosure () -> SuspendingClock.Instant) {
        if pending == 0 { (last, isAsked) = (now(), false) }
        pending += 1
    }

    mutating func acknowledged(at now: SuspendingClock.Instant) {
        pending = max(pending - 1, 0)
        (last, isAsked) = (now, false)
    }

    /// Whether to ask the broker now, which is once in each such time.
    mutating func asks(after patience: Duration, at now: SuspendingClock.Instant) -> Bool {
        guard pending > 0, now - last >= patience else { return false }
        (last, isAsked) = (now, true)
        return true
    }

    /// When to look again; `nil` while nothing is under way.
    func next(after patience: Duration) -> SuspendingClock.Instant? { pending > 0 ? last + patience : nil }
}
