package import Controller
package import MQTT

/// What the broker refuses: connections, publications, subscriptions.
///
/// Each becomes an alert, and one log line per cause. Refused retained topics and announcements are sent again. Events and
/// answers are not: their alert stays until the link ends.
package struct BrokerRefusals: Sendable {
    /// The identifiers of the alerts.
    package static let link = "broker-link"
    package static let publications = "broker-publications"
    package static let subscriptions = "broker-subscriptions"
    package static let limits = "broker-limits"

    /// Why each topic was refused since the last retry, and before it.
    private var refused: [String: String] = [:]
    private var before: [String: String] = [:]
    /// Why topics were refused whose messages are not sent again.
    private var lost: [String: String] = [:]
    /// The devices of Home Assistant that refused topics announce.
    private var devices: [String: String] = [:]
    /// The reason of a message that is larger than the broker accepts, with the code of a broker that says so itself.
    package static let tooLarge = "Packet too large (code 149)"
    /// Limits `lost`: clients choose their response topics.
    private static let mostLost = 100
    private var hasLinkAlert = false
    /// Health intervals that the link has lasted.
    private var steadyIntervals = 0

    package init() {}

    // MARK: The link

    /// A link was lost or refused: an alert, unless the cause is temporary.
    ///
    /// The alert stays for a while after the next connect, because only then can it be read on the broker.
    package mutating func disconnected(_ error: MQTTError) -> [ControllerEvent] {
        steadyIntervals = 0
        (refused, before, lost, devices) = ([:], [:], [:], [:])
        var events: [ControllerEvent] = [.alertCleared(Self.publications)]
        switch error {
        case .unreachable, .lost, .reconfigured: break
        // Another client has our id: DuplicateClientDetector.
        case .endedByBroker(_, 0x8E, _): break
        // Busy, shutting down, or an administrative action.
        case .endedByBroker(_, 0x89, _), .endedByBroker(_, 0x8B, _), .endedByBroker(_, 0x98, _): break
        case .tls, .notAuthorised, .refused, .noAnswer, .malformed, .endedByBroker, .unacknowledged,
            .configuration:
            hasLinkAlert = true
            events.append(.alertRaised(Self.link, .error, message: "\(error)"))
        }
        return events
    }

    /// The alerts for topics that we may not read and for what the broker cannot do, or their ends.
    ///
    /// - Parameter optional: Filters without which everything works.
    package func connected(_ session: MQTTSession, optional: [String] = []) -> [ControllerEvent] {
        let refused = session.refusedFilters.filter { !optional.contains($0) }
        return [subscriptionsEvent(session, refused), limitsEvent(session)]
    }

    private func subscriptionsEvent(_ session: MQTTSession, _ refused: [String]) -> ControllerEvent {
        guard !refused.isEmpty else { return .alertCleared(Self.subscriptions) }
        let advice =
            session.hasWildcards
            ? "Give this user the rights that `trilateral acl` prints."
            : "This broker accepts no topic filters with + or #: use another one."
        return .alertRaised(
            Self.subscriptions,
            .error,
            message: """
                The broker does not let us read \(Self.list(refused)): commands sent there have no effect. \
                \(advice)
                """
        )
    }

    /// A warning, because everything else works.
    private func limitsEvent(_ session: MQTTSession) -> ControllerEvent {
        let limits = session.limits
        guard !limits.isEmpty else { return .alertCleared(Self.limits) }
        return .alertRaised(
            Self.limits,
            .warning,
            message: (limits + ["Use a broker with QoS 1 and retained messages."]).joined(separator: " ")
        )
    }

    // MARK: Publications

    /// - Parameters:
    ///   - devices: The names of the devices that are announced to Home Assistant on these topics.
    ///   - canRepeat: Whether what was published on a topic can be sent again.
    /// - Returns: The causes that are new, each with one of its topics.
    package mutating func refused(
        _ topics: [String: String],
        devices: [String: String] = [:],
        canRepeat: (_ topic: String) -> Bool
    ) -> [String: String] {
        self.devices.merge(devices) { $1 }
        let known = Set([refused, before, lost].flatMap(\.values))
        var causes: [String: String] = [:]
        for (topic, reason) in topics.sorted(by: { $0.key < $1.key }) {
            if !known.contains(reason), causes[reason] == nil { causes[reason] = topic }
            if canRepeat(topic) {
                refused[topic] = reason
            } else if lost[topic] != nil || devices[topic] != nil || lost.count < Self.mostLost {
                lost[topic] = reason
            }
        }
        return causes
    }

    /// An interval of the health messages is over, with a link.
    ///
    /// - Returns: The topics to send again, and what has changed.
    package mutating func intervalPassed() -> (retry: [String], events: [ControllerEvent]) {
        steadyIntervals += 1
        var events: [ControllerEvent] = []
        if hasLinkAlert, steadyIntervals >= 2 {
            hasLinkAlert = false
            events.append(.alertCleared(Self.link))
        }
        // What was sent again an interval ago and not refused since was accepted.
        if refused.isEmpty, !before.isEmpty { events.append(publicationsEvent) }
        before = refused
        refused = [:]
        return (before.keys.sorted(), events)
    }

    /// The alert for what was refused since the last interval, or cannot be sent again; or its end.
    package var publicationsEvent: ControllerEvent {
        let all = refused.merging(lost) { $1 }
        guard let first = all.min(by: { $0.key < $1.key }) else {
            return .alertCleared(Self.publications)
        }
        let outlook =
            switch (refused.isEmpty, lost.isEmpty) {
            case (false, true): "It is sent again every minute."
            case (true, _): "It cannot be sent again; this alert ends with the connection."
            case (false, false): "Some of it is sent again every minute, the rest cannot be."
            }
        return .alertRaised(
            Self.publications,
            .error,
            message: """
                The broker refuses what is published on \(Self.list(all.keys.sorted())): \(first.value). \(outlook) \
                \(missing(all))\(advice(all))
                """
        )
    }

    private func missing(_ refused: [String: String]) -> String {
        let names = Set(refused.keys.compactMap { devices[$0] }).sorted()
        return names.isEmpty
            ? "" : "Home Assistant does not get the devices \(Self.list(names, atMost: 10)). "
    }

    private func advice(_ refused: [String: String]) -> String {
        let reasons = Set(refused.values)
        let isSize = reasons.contains { $0.hasPrefix("Packet too large") }
        let isEnded = reasons.contains { $0.hasPrefix(MQTTPublishError.endedLinks) }
        var advice: [String] = []
        if isSize {
            advice.append(
                "Let the broker accept larger ones (max_packet_size and message_size_limit of mosquitto)."
            )
        }
        if isEnded { advice.append("The broker's log says why it ends the link.") }
        if reasons.count > (isSize ? 1 : 0) {
            advice.append("Give this user the rights that `trilateral acl` prints.")
        }
        return advice.joined(separator: " ")
    }

    private static func list(_ names: [String], atMost limit: Int = 3) -> String {
        let first = names.prefix(limit).joined(separator: ", ")
        return names.count > limit ? "\(first) and \(names.count - limit) more" : first
    }
}

extension MQTTSession {
    /// What does not work with this broker, a sentence each.
    package var limits: [String] {
        var limits: [String] = []
        if !hasRetained {
            limits.append(
                """
                The broker keeps no retained messages: who subscribes later does not receive states, availability \
                and Home Assistant's discovery until they are published again.
                """
            )
        }
        if maximumQoS == .atMostOnce {
            limits.append(
                "The broker has only QoS 0: commands, answers and states are lost when a link breaks."
            )
        }
        switch will {
        case .full: break
        case .unacknowledged: limits.append("It accepts the last will only with QoS 0.")
        case .unretained, .weakest:
            limits.append(
                "It accepts the last will only when it is not retained: who subscribes later reads no `offline`."
            )
        case .none:
            limits.append(
                "It accepts no last will: nobody reads `offline` when this program ends unexpectedly."
            )
        }
        return limits
    }
}
