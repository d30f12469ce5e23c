import RateLimiting
package import Things

/// Keeps a thing and its lamp in agreement.
///
/// Events on either side go in with the time; actions come out. The last change wins, and each side is sent
/// only what differs, so echoes cause nothing. After a command the lamp gets time to settle: its reports
/// meanwhile may be intermediate or outdated, so they are stored and evaluated when they stop.
package struct LampLink: Sendable {
    package enum Action: Sendable, Hashable {
        case publish([LampMessage])
        /// Request a change of the thing; pass the result to ``answered(_:at:)``.
        case set(ThingRequest)
        case report(Condition)
        /// Write to the log.
        case log(String)
    }

    /// The state of the connection to the lamp.
    package struct Condition: Sendable, Hashable {
        package var isOnline = true
        /// Whether an answer is overdue.
        package var isSilent = false
        /// Whether the lamp's state may differ from the thing's.
        package var isUnconfirmed = false

        package init() {}
    }

    /// The side whose change has not reached the other side yet.
    enum PendingChange: Sendable, Hashable {
        case none
        /// The thing's, with a transition of some seconds.
        case thing(seconds: Double?)
        case lamp
    }

    /// A command that the lamp may still be executing.
    struct Order: Sendable {
        var goal: LampState
        /// The last known state of the lamp, updated by reports while it has not received the command.
        var before: LampState
        /// The messages to repeat when it does not answer: the complete state.
        var messages: [LampMessage]
        var tries = 1
        /// Whether the lamp has reported since, and was sent the command again then; whether it matched;
        /// whether it was on.
        var isHeard = false
        var isRepeated = false
        var isConfirmed = false
        var hasLit = false
        /// From when a report of off during a transition means that somebody switched the lamp off.
        var lightsFrom: Int64
        /// When the answer is overdue; when reports have settled; when they must have settled.
        var answerBy: Int64
        var quietAt: Int64
        var quietAtLast: Int64

        /// Whether somebody switched the lamp off while it was to be on; off is no intermediate value.
        func isBroken(by lamp: LampState, at now: Int64) -> Bool {
            goal.isOn != false && lamp.isOn == false && hasLit && now >= lightsFrom && now < quietAt
        }

        /// Whether the lamp answered a command for white light with its earlier colour: it may support only
        /// colours.
        func hasIgnoredWhite(_ lamp: LampState) -> Bool {
            isHeard && goal.temperature != nil && before.temperature == nil && lamp.colour != nil
                && before.isColourShown(by: lamp) && !goal.isColourShown(by: lamp)
        }
    }

    /// A transition that the lamp cannot perform itself.
    struct Fade: Sendable {
        var start: LampState
        var goal: LampState
        var began: Int64
        var milliseconds: Double
        var nextStep: Int64
    }

    /// A change that was requested from the thing and not answered yet.
    struct Adoption: Sendable {
        var values: LampState
        /// The lamp's state at the time of the request.
        var lamp: LampState
        var since: Int64
    }

    enum Silence: Sendable { case none, afterStateRequest, afterOrder }

    let dialect: any LampDialect
    var thing: LinkedThing?
    /// All attributes that the lamp has reported.
    var lamp = LampState()
    /// Whether it has reported since it came online.
    var isHeard = false
    var isBrokerUp = false
    /// What the availability topics report.
    var availability: [String: Bool] = [:]
    var pending = PendingChange.none
    var order: Order?
    var fade: Fade?
    var adoption: Adoption?
    /// When the answer to a state request is overdue.
    var stateRequestBy: Int64?
    /// When to request the state again after no answer.
    var requestAgainAt: Int64?
    var silence = Silence.none
    /// The lamp's state for a goal that it cannot show exactly.
    var agreement: (wanted: LampState, lamp: LampState)?
    var retryAt: Int64 = 0
    var reported = Condition()

    // Limits for a person who drags a slider, and for a lamp that flaps.
    var orderPace = TokenBucket(capacity: 10, perSecond: 5)
    var adoptionPace = TokenBucket(capacity: 5, perSecond: 2)
    var questionPace = TokenBucket(capacity: 2, perSecond: 0.2)
    var conditionPace = TokenBucket(capacity: 4, perSecond: 0.5)
    var oscillation: OscillationDetector

    /// - Parameter seed: Different for each link.
    package init(_ dialect: any LampDialect, seed: UInt64 = 0) {
        self.dialect = dialect
        oscillation = OscillationDetector(seed: seed)
    }

    /// Whether both sides agree, as far as the lamp can.
    var isAgreed: Bool {
        guard let thing else { return true }
        if thing.wanted.isShown(by: lamp) { return true }
        guard let agreement, agreement.wanted == thing.wanted else { return false }
        return agreement.lamp.isShown(by: lamp)
    }

    var isReachable: Bool { isBrokerUp && !isOffline }

    /// Whether its availability topics report it offline.
    package var isOffline: Bool {
        dialect.availabilityGroups.contains { group in
            let reports = group.compactMap { availability[$0] }
            return !reports.isEmpty && !reports.contains(true)
        }
    }

    // MARK: Events

    /// The thing's current state; `nil` when it does not exist, or is no light.
    package mutating func thingSeen(_ new: LinkedThing?, at now: Int64) -> [Action] {
        guard new != thing else { return [] }
        let old = thing
        thing = new
        guard let new else {
            rest()
            return []
        }
        guard let old else {
            return begin(at: now) + settle(at: now)
        }
        guard new.wanted != old.wanted else { return [] }
        if let adoption, old.becomes(new, by: adoption.values) { return settle(at: now) }
        pending = .thing(seconds: new.seconds)
        return settle(at: now)
    }

    /// A report of the lamp, or of a bridge on its behalf.
    package mutating func lampSaid(_ report: LampReport, on topic: String, at now: Int64) -> [Action] {
        switch report {
        case .nothing: return []
        case .state(let changes, let unknowns) where changes.isEmpty && unknowns.errors.isEmpty: return []
        case .available(let isOnline): return available(isOnline, topic, at: now)
        case .state(let changes, let unknowns):
            lamp.merge(changes)
            lamp.forget(unknowns)
            isHeard = isHeard || !changes.isEmpty
            stateRequestBy = nil
            silence = .none
            if let order, order.isBroken(by: lamp, at: now) {
                self.order = nil
                fade = nil
                if pending == .none { pending = .lamp }
            } else if var order {
                order.isHeard = true
                order.hasLit = order.hasLit || lamp.isOn == true
                if order.goal.isShown(by: lamp) || order.goal == agreement?.wanted && isAgreed {
                    order.isConfirmed = true
                } else if order.isConfirmed {
                    order.quietAt = min(max(order.quietAt, now + Self.pause), order.quietAtLast)
                } else if order.tries > 1 {
                    // It is back: retry now.
                    order.answerBy = min(order.answerBy, now + Self.answerMilliseconds)
                }
                self.order = order
            } else if pending == .none, !isAgreed {
                pending = .lamp
            }
            return settle(at: now)
        }
    }

    /// The result of a request to the thing.
    ///
    /// The thing's new state must be passed to ``thingSeen(_:at:)`` first.
    package mutating func answered(_ refusal: Refusal?, at now: Int64) -> [Action] {
        guard let adoption else { return [] }
        self.adoption = nil
        var actions: [Action] = []
        switch refusal?.code {
        case nil:
            guard pending == .none, let thing, !isAgreed else { break }
            if adoption.lamp != lamp {
                pending = .lamp
            } else if thing.has(adoption.values) {
                // The thing cannot store it more exactly.
                agree()
            } else {
                // Somebody changed it back in the meantime.
                pending = .thing(seconds: nil)
            }
        case .superseded?, .staleTarget?:
            break
        case .serverUnreachable?, .timeout?, .serverRejected?, .rateLimited?, .internalError?,
            .thingOffline?:
            retryAt = now + Self.retryMilliseconds
            if pending == .none { pending = .lamp }
        default:
            actions = [.log("the thing refused a change of its lamp: \(refusal?.message ?? "")")]
            if pending == .none { agree() }
        }
        return actions + settle(at: now)
    }

    /// The broker connected or disconnected.
    package mutating func brokerChanged(isUp: Bool, at now: Int64) -> [Action] {
        guard isUp != isBrokerUp else { return [] }
        isBrokerUp = isUp
        guard isUp else {
            lose()
            return []
        }
        return begin(at: now) + settle(at: now)
    }

    private mutating func available(_ isOnline: Bool?, _ topic: String, at now: Int64) -> [Action] {
        let wasOffline = isOffline
        availability[topic] = isOnline
        guard isOffline != wasOffline else { return [] }
        var actions: [Action] = []
        if isOffline { lose() } else { actions = begin(at: now) }
        return actions + settle(at: now)
    }

    /// Unconfirmed changes must be sent again when the lamp comes back; its last report may be outdated by
    /// then.
    private mutating func lose() {
        if pending == .lamp { pending = .none }
        if let order, !order.isConfirmed, pending == .none { pending = .thing(seconds: nil) }
        order = nil
        fade = nil
        stateRequestBy = nil
        isHeard = false
    }

    private mutating func rest() {
        pending = .none
        order = nil
        fade = nil
        adoption = nil
        stateRequestBy = nil
        silence = .none
        agreement = nil
        reported = Condition()
    }

    /// Both sides are present: the lamp's state wins, unless the thing changed while it was away.
    private mutating func begin(at now: Int64) -> [Action] {
        guard let thing, isReachable, pending == .none else { return [] }
        if isHeard {
            if order == nil, !isAgreed { pending = .lamp }
            return []
        }
        let request = dialect.stateRequest(for: thing.wanted)
        guard !request.isEmpty, questionPace.take(at: now) else { return [] }
        stateRequestBy = now + Self.stateRequestMilliseconds
        return [.publish(request)]
    }

    /// Accepts the remaining difference: neither side can match the other exactly.
    mutating func agree() {
        agreement = thing.map { ($0.wanted, lamp) }
    }
}
