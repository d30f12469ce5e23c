/// How much of the configured will a connection has, from all of it to none.
package enum MQTTWillStrength: Sendable, Hashable, CaseIterable {
    /// As configured; also when none is.
    case full
    /// At QoS 0.
    case unacknowledged
    /// Not retained.
    case unretained
    /// At QoS 0 and not retained.
    case weakest
    /// Left out.
    case none

    var isRetained: Bool { self == .full || self == .unacknowledged }
    var isAcknowledged: Bool { self == .full || self == .unretained }

    /// The will of this strength.
    func will(_ configured: MQTTMessage?) -> MQTTMessage? {
        guard var will = configured, self != .none else { return nil }
        if !isAcknowledged { will.qos = .atMostOnce }
        if !isRetained { will.isRetained = false }
        return will
    }
}

/// Selects the will of the next connection: a broker without QoS 1 or without retained messages refuses the whole
/// connection because of a will that needs them.
///
/// Each attempt begins with the configured will, so that it is used again when the broker accepts it. The attempts
/// with lesser ones follow at once, so that a broker that is only starting is not met with a lesser one by chance.
/// - Source: MQTT 5.0, 3.1.2.6, 3.1.2.7 and 3.2.2.2; 3.1.1 has no return code for it, so brokers only close.
struct WillChoice {
    private let configured: MQTTMessage?
    private(set) var strength = MQTTWillStrength.full

    init(_ configured: MQTTMessage?) { self.configured = configured }

    /// The will for the next connection.
    var next: MQTTMessage? { strength.will(configured) }

    /// - Parameter isLastVersion: Whether no other protocol version is tried after this one.
    /// - Returns: Whether to make the next attempt at once, with a lesser will.
    mutating func ended(_ end: ConnectionEnd, isLastVersion: Bool) -> Bool {
        let current = next
        let candidates: [MQTTWillStrength]
        switch end {
        case .failed(.refused(_, 0x9B, _)):
            candidates = strength.isRetained ? [.unacknowledged, .weakest] : [.weakest]
        case .failed(.refused(_, 0x9A, _)):
            candidates = strength.isAcknowledged ? [.unretained, .weakest] : [.weakest]
        // Unspecified error, implementation specific error.
        case .failed(.refused(_, 0x80, _)), .failed(.refused(_, 0x83, _)): candidates = lesser
        case .closedUnanswered where isLastVersion: candidates = lesser
        case .closed, .failed, .unanswered, .closedUnanswered, .unsupportedVersion:
            strength = .full
            return false
        }
        // One that is the same as the refused one would be refused again.
        let following = (candidates + [.none]).first {
            $0 != strength && $0.will(configured) != current
        }
        guard current != nil, let following else {
            strength = .full
            return false
        }
        strength = following
        return true
    }

    private var lesser: [MQTTWillStrength] {
        Array(MQTTWillStrength.allCases.drop { $0 != strength }.dropFirst())
    }
}
