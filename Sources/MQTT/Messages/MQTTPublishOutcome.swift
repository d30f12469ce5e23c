/// The result of publishing.
package enum MQTTPublishOutcome: Sendable, Equatable {
    /// It will be sent; QoS 1 until it is acknowledged, over any number of links.
    case queued
    /// QoS 0 only: there is no link, or the socket is too slow. Counted in ``MQTTCounters/dropped``.
    case dropped
    /// It will not be sent; only the caller can correct it.
    case refused(MQTTPublishError)
}

/// Why a publication was not, or possibly not, delivered.
package enum MQTTPublishError: Error, Sendable, Equatable, CustomStringConvertible {
    /// Empty, with a wildcard or NUL, longer than 65,535 bytes, or with more than 200 slashes.
    case invalidTopic(String)
    /// A response topic, content type, correlation data or user property that MQTT cannot carry.
    case invalidProperty(String)
    /// Larger than the broker or the protocol (268,435,455 bytes) allows.
    case tooLarge(topic: String, bytes: Int)
    /// The queue is full; ``MQTTLinkEvent/drained`` says when to continue.
    case queueFull(limit: Int)
    /// QoS 0 without a link.
    case notConnected
    /// The broker refused it with an MQTT 5 reason code, for instance 0x87: not authorised; or it ended several links in a
    /// row right after this publication, and the reason begins with ``endedLinks``. The code is 0 if it gave none.
    case refusedByBroker(topic: String, code: Int, reason: String)
    /// The broker has accepted it, but no client has subscribed to its topic; only with MQTT 5, and where it is asked for.
    case unread(topic: String)
    /// Not acknowledged in time; a publication of QoS 1 or 2 may still arrive.
    case timedOut(Duration)
    /// The client was stopped.
    case stopped

    /// How the reason of a refusal begins that the broker expressed by ending links.
    package static let endedLinks = "it ended"

    package var description: String {
        switch self {
        case .invalidTopic(let topic): "\"\(Self.short(topic))\" is not a valid topic for publications"
        case .invalidProperty(let what): "MQTT cannot carry this \(what)"
        case .tooLarge(let topic, let bytes):
            "the publication to \(Self.short(topic)) has \(bytes) bytes, more than the broker accepts"
        case .queueFull(let limit): "the queue is full: \(limit) publications wait for the broker"
        case .notConnected: "there is no link to the broker"
        case .refusedByBroker(let topic, let code, let reason):
            "the broker refuses the publication to \(Self.short(topic)): \(reason) (code \(code))"
        case .unread(let topic): "no client of the broker reads \(Self.short(topic))"
        case .timedOut(let duration): "the broker did not acknowledge within \(duration)"
        case .stopped: "the MQTT client was stopped"
        }
    }

    /// A topic may have 65,535 bytes.
    private static func short(_ topic: String) -> String {
        topic.utf8.count > 200 ? "\(topic.prefix(100))…" : topic
    }
}
