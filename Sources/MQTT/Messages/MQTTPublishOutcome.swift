/// What became of a publication when it was handed over.
package enum MQTTPublishOutcome: Sendable, Equatable {
    /// It will be sent; with QoS 1 and 2 until it is acknowledged, over any number of links.
    case queued
    /// QoS 0 only: there is no link, or the socket is too slow. Counted in ``MQTTCounters/dropped``.
    case dropped
    /// It will not be sent, and only the caller can do something about it.
    case refused(MQTTPublishError)
}

/// Why a publication was not, or perhaps not, delivered.
package enum MQTTPublishError: Error, Sendable, Equatable, CustomStringConvertible {
    /// Empty, with a wildcard or a zero character, or longer than 65,535 bytes.
    case invalidTopic(String)
    /// A response topic, content type, correlation data or user property that MQTT cannot carry.
    case invalidProperty(String)
    /// More than the broker or the protocol (268,435,455 bytes) takes.
    case tooLarge(topic: String, bytes: Int)
    /// As many publications as the limit wait already; ``MQTTLinkEvent/drained`` tells when to go on.
    case queueFull(limit: Int)
    /// QoS 0, and there is no link.
    case notConnected
    /// The broker acknowledged with a reason code of MQTT 5 that means no, for instance 0x87: not authorised.
    case refusedByBroker(topic: String, code: Int, reason: String)
    /// No acknowledgement in time; a publication of QoS 1 or 2 may still arrive.
    case timedOut(Duration)
    /// The client was stopped.
    case stopped

    package var description: String {
        switch self {
        case .invalidTopic(let topic): "\"\(topic.prefix(100))\" is not a topic that one can publish to"
        case .invalidProperty(let what): "MQTT cannot carry this \(what)"
        case .tooLarge(let topic, let bytes): "\(bytes) bytes for \(topic) are more than the broker takes"
        case .queueFull(let limit): "\(limit) publications wait for the broker already"
        case .notConnected: "there is no link to the broker"
        case .refusedByBroker(let topic, let code, let reason):
            "the broker refuses the publication to \(topic): \(reason) (code \(code))"
        case .timedOut(let duration): "the broker did not acknowledge within \(duration)"
        case .stopped: "the MQTT client was stopped"
        }
    }
}
