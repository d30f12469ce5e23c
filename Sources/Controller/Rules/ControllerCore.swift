import Flare
import JSON
import Text

/// The state, and what every rule does with it: changes, events, alerts and requests to the server.
struct ControllerCore: Sendable {
    var state: ControllerState
    var configuration: ControllerConfiguration
    var policies: [any CommandPolicy] = []
    var advise: @Sendable (_ model: JSONValue) -> [PlaceAdvice.Finding] = { _ in [] }
    /// Effects collected by the current event.
    var effects: [ControllerEffect] = []
    var changes: Set<StateChange> = []
    var now = Instant(wallMilliseconds: 0, steadyMilliseconds: 0)
    /// The number of the current event.
    var event = 0
    var loads = LoadTracker()

    // MARK: Alerts

    mutating func raise(_ id: String, _ severity: Alert.Severity, _ message: String) {
        // Not the passwords: who sends may read alerts too, and would see whether a guess is right.
        let message = SecretMask.forms.masked(message)
        if let open = state.alerts[id], open.severity == severity, open.message == message { return }
        let since = state.alerts[id]?.since ?? now
        state.alerts[id] = Alert(severity: severity, message: message, since: since)
        changes.insert(.alert(id))
    }

    mutating func clear(_ id: String) {
        guard state.alerts.removeValue(forKey: id) != nil else { return }
        changes.insert(.alert(id))
    }

    // MARK: Events

    /// Publishes a change event.
    mutating func emit(
        _ topic: ChangeEvent.Topic,
        _ type: String,
        _ object: ObjectReference? = nil,
        name: String? = nil,
        before: JSONValue? = nil,
        after: JSONValue? = nil,
        changed: [String] = [],
        cause: ChangeEvent.Cause,
        details: JSONObject = [:],
        furtherTopic: String? = nil
    ) {
        state.sequence += 1
        let slug = object.flatMap { $0.kind == .device ? nil : state.slugs[$0.kind, $0.id] }
        effects.append(
            .emit(
                ChangeEvent(
                    topic: topic,
                    type: type,
                    sequence: state.sequence,
                    at: now,
                    id: object?.id,
                    slug: slug,
                    name: name ?? object.flatMap { state.name(of: $0) },
                    before: before,
                    after: after,
                    changed: changed,
                    cause: cause,
                    details: details,
                    furtherTopic: furtherTopic
                )
            )
        )
    }

    /// Publishes what differs in an object, also as news of the nearby thing if it is that.
    mutating func emit(
        _ difference: ObjectDifference,
        _ type: String = "changed",
        of object: ObjectReference,
        cause: ChangeEvent.Cause
    ) {
        guard !difference.isEmpty else { return }
        for topic in state.isNearby(object) ? [object.kind.topic, .nearby] : [object.kind.topic] {
            emit(
                topic,
                type,
                object,
                before: .object(difference.before),
                after: .object(difference.after),
                changed: difference.changed,
                cause: cause
            )
        }
    }

    /// Publishes that an object has another position.
    mutating func emitMoved(
        _ object: ObjectReference,
        from old: JSONValue?,
        to new: JSONValue?,
        cause: ChangeEvent.Cause
    ) {
        let topic = object.kind.topic
        emit(topic, "moved", object, before: old, after: new, changed: ["position"], cause: cause)
    }

    /// Marks an object as changed now.
    mutating func markChanged(_ object: ObjectReference) {
        state.changedAt[object] = now
        changes.insert(.object(object))
        switch object.kind {
        case .environment: if object.id == state.environmentID { changes.insert(.environment) }
        case .zone: if object.id == state.zoneID { changes.insert(.zone) }
        case .thing: if object.id == state.nearbyID { changes.insert(.nearby) }
        case .device: break
        }
    }

    // MARK: Requests

    /// Sends a read request; if it is pending already, sends it once more after the reply.
    ///
    /// Does nothing while the link is down: everything is read when it returns.
    /// - Returns: How many replies to this request are still to come.
    @discardableResult
    mutating func load(_ request: FlareRequest) -> Int {
        guard state.isLinkUp else { return 0 }
        guard loads.begin(request) else { return 2 }
        effects.append(.flare(request))
        return 1
    }
}
