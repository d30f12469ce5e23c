/// What a client has done since it was made; for health and diagnosis.
package struct MQTTCounters: Sendable, Hashable {
    /// Publications that were written (QoS 0) or acknowledged (QoS 1 and 2).
    package var sent = 0
    /// Messages that arrived.
    package var received = 0
    /// Publications of QoS 0 that were given up: no link, or more than the limit waiting for the socket.
    package var dropped = 0
    /// Publications that a caller was told would not be sent.
    package var refused = 0
    /// Publications that the broker took and then refused.
    package var refusedByBroker = 0
    /// Messages that a subscription's reader was too slow for.
    package var lost = 0
    /// Publications of QoS 1 and 2 that wait for their acknowledgement now.
    package var queued = 0
    /// Links that came up.
    package var connects = 0
    /// Attempts and links that ended.
    package var failures = 0

    package init() {}
}
