/// A change of the link.
package enum MQTTLinkEvent: Sendable, Equatable {
    /// The broker accepted the connection and answered every subscription (or did not within five seconds).
    case connected(MQTTSession)
    /// The link was lost, or an attempt failed for another reason than the one before it.
    case disconnected(MQTTError)
    /// The broker refused publications; ``MQTTClient/drainRefusals()`` returns them.
    case refused
    /// After a publication was refused because the queue was full: it is half empty again.
    case drained
}

/// The negotiated properties of a link.
package struct MQTTSession: Sendable, Equatable {
    /// ``MQTTProtocolChoice/v5`` or ``MQTTProtocolChoice/v311``.
    package let version: MQTTProtocolChoice
    /// The highest QoS that the broker supports, of those that are used here; higher ones are reduced to it.
    package internal(set) var maximumQoS: MQTTQoS
    /// Whether the broker keeps retained messages; without, the retain flag is not sent.
    package let hasRetained: Bool
    /// Whether the broker accepts filters with wildcards.
    package let hasWildcards: Bool
    /// How far the broker accepted the will.
    package let will: MQTTWillStrength
    /// Most bytes of a packet that the broker takes; `nil` if it names no limit, as brokers of MQTT 3.1.1 do.
    package let maximumPacketSize: Int?
    /// Filters that the broker refused, sorted.
    package internal(set) var refusedFilters: [String]

    package init(
        version: MQTTProtocolChoice,
        maximumQoS: MQTTQoS = .atLeastOnce,
        hasRetained: Bool = true,
        hasWildcards: Bool = true,
        will: MQTTWillStrength = .full,
        maximumPacketSize: Int? = nil,
        refusedFilters: [String] = []
    ) {
        self.version = version
        self.maximumQoS = maximumQoS
        self.hasRetained = hasRetained
        self.hasWildcards = hasWildcards
        self.will = will
        self.maximumPacketSize = maximumPacketSize
        self.refusedFilters = refusedFilters
    }
}
