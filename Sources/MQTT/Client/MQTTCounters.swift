/// Counters of a client since its creation, for health and diagnosis.
package struct MQTTCounters: Sendable, Hashable {
    /// Publications written (QoS 0) or acknowledged (QoS 1).
    package var sent = 0
    /// Messages received.
    package var received = 0
    /// Dropped publications of QoS 0: no link, or too many unwritten.
    package var dropped = 0
    /// Publications refused with an error to the caller.
    package var refused = 0
    /// Publications received and then refused by the broker.
    package var refusedByBroker = 0
    /// Messages lost because a subscription's reader was too slow.
    package var lost = 0
    /// Publications of QoS 1 that are unacknowledged at present.
    package var queued = 0
    /// Links established.
    package var connects = 0
    /// Attempts and links that ended.
    package var failures = 0

    package init() {}
}
