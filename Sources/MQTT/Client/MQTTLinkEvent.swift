/// What happened to the link.
package enum MQTTLinkEvent: Sendable, Equatable {
    /// The broker has accepted us and has answered every subscription (or did not within five seconds).
    case connected(MQTTSession)
    /// The link was lost, or an attempt failed for another reason than the attempt before it.
    case disconnected(MQTTError)
    /// The broker has refused publications; ``MQTTClient/takeRefusals()`` tells which.
    case refused
    /// After a publication was refused for want of room: half of the room is free again.
    case drained
}

/// What was agreed with the broker.
package struct MQTTSession: Sendable, Equatable {
    /// ``MQTTProtocolChoice/v5`` or ``MQTTProtocolChoice/v311``.
    package let version: MQTTProtocolChoice
    /// The broker remembered us; never so with the clean start that this client asks for.
    package let isSessionPresent: Bool
    /// The highest that the broker takes; publications above are sent with this one.
    package let maximumQoS: MQTTQoS
    /// Filters that the broker does not let us read, sorted.
    package let refusedFilters: [String]

    package init(
        version: MQTTProtocolChoice,
        isSessionPresent: Bool = false,
        maximumQoS: MQTTQoS = .exactlyOnce,
        refusedFilters: [String] = []
    ) {
        self.version = version
        self.isSessionPresent = isSessionPresent
        self.maximumQoS = maximumQoS
        self.refusedFilters = refusedFilters
    }
}
