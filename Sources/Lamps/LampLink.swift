package import Things

/// The rules of the link between a thing and its lamp, for one pair of them.
///
/// What happens on either side goes in with the time; what is to be done comes out. Whoever changes last wins, and
/// each side is told only what it does not have: an echo is nothing new to anybody. After an order the lamp has its
/// time: what it says meanwhile, on its way or about older orders, is kept and looked at when it is quiet.
package struct LampLink: Sendable {
    package enum Action: Sendable, Hashable {
        case publish([LampMessage])
        /// Ask this of the thing, and tell the answer to ``answered(_:at:)``.
        case set(ThingRequest)
        case tell(Condition)
        /// For the log.
        case note(String)
    }

    /// How the lamp fares.
    package struct Condition: Sendable, Hashable {
        package var isOnline = true
        /// Whether it owes an answer.
        package var isSilent = false
        /// Whether it may be otherwise than the thing says.
        package var isUnconfirmed = false

        package init() {}
    }

    /// Whose change has not come to the other side yet.
    enum Wish: Sendable, Hashable {
        case nobody
        /// The thing's, over so many seconds.
        case thing(seconds: Double?)
        case lamp
    }

    /// What the lamp was told and may still be working at.
    struct Order: Sendable {
        var goal: LampState
        /// What the lamp was like, as far as is known: what it says, too, when it has not heard the order.
        var before: LampState
        /// What is said when it did not answer: everything.
        var messages: [LampMessage]
        var tries = 1
        /// Whether the lamp has said anything since, and was told again then; that it is as told, and that it is on.
        var isHeard = false
        var isRepeated = false
        var isConfirmed = false
        var hasLit = false
        /// From when on a lamp that goes out in the middle of a transition was switched off by somebody.
        var lightsFrom: Int64
        /// When an answer is overdue; when all that it causes has been said; when that is so at the latest.
        var answerBy: Int64
        var quietAt: Int64
        var quietAtLast: Int64

        /// Whether somebody has switched the lamp off while it was to shine: that is no value on its way.
        func isBroken(by lamp: LampState, at now: Int64) -> Bool {
            goal.isOn != false && lamp.isOn == false && hasLit && now >= lightsFrom && now < quietAt
        }

        /// Whether a lamp has answered an order for white light with the colour that it had: it may have only colours.
        func hasIgnoredWhite(_ lamp: LampState) -> Bool {
            isHeard && goal.temperature != nil && before.temperature == nil && lamp.colour != nil
                && before.isColourShown(by: lamp) && !goal.isColourShown(by: lamp)
        }
    }

    /// A change over a time that the lamp cannot do by itself.
    struct Fade: Sendable {
        var start: LampState
        var goal: LampState
        var began: Int64
        var milliseconds: Double
        var nextStep: Int64
    }

    /// What was asked of the thing and not answered yet.
    struct Adoption: Sendable {
        var values: LampState
        /// What the lamp was like then.
        var lamp: LampState
        var since: Int64
    }

    enum Silence: Sendable { case none, afterQuestion, afterOrder }

    let dialect: any LampDialect
    var thing: LinkedThing?
    /// What the lamp has said, all together.
    var lamp = LampState()
    /// Whether it has said anything since it could be reached.
    var isHeard = false
    var isBrokerUp = false
    /// The topics that say that it cannot be reached.
    var offline: Set<String> = []
    var wish = Wish.nobody
    var order: Order?
    var fade: Fade?
    var adoption: Adoption?
    /// When an answer to a question is overdue.
    var questionBy: Int64?
    /// When a lamp that has not answered a question is asked again.
    var askAgainAt: Int64?
    var silence = Silence.none
    /// What the lamp makes of a wish that it cannot quite fulfil.
    var agreement: (wanted: LampState, lamp: LampState)?
    var retryAt: Int64 = 0
    var told = Condition()

    // A person drags a slider, and a lamp that flaps must not set the place in motion.
    var orderPace = TokenBucket(burst: 10, perSecond: 5)
    var adoptionPace = TokenBucket(burst: 5, perSecond: 2)
    var questionPace = TokenBucket(burst: 2, perSecond: 0.2)
    var conditionPace = TokenBucket(burst: 4, perSecond: 0.5)
    var contest: OscillationDetector

    /// - Parameter seed: Another one for each link that there is.
    package init(_ dialect: any LampDialect, seed: UInt64 = 0) {
        self.dialect = dialect
        contest = OscillationDetector(seed: seed)
    }

    /// Whether the two are as one, as far as the lamp can.
    var isAgreed: Bool {
        guard let thing else { return true }
        if thing.wanted.isShown(by: lamp) { return true }
        guard let agreement, agreement.wanted == thing.wanted else { return false }
        return agreement.lamp.isShown(by: lamp)
    }

    var isReachable: Bool { isBrokerUp && offline.isEmpty }

    // MARK: What happens

    /// The thing is like this now; `nil` when it is not here, or is no light.
    package mutating func thingSeen(_ new: LinkedThing?, at now: Int64) -> [Action] {
        guard new != thing else { return [] }
        let old = thing
        thing = new
        guard let new else {
            rest()
            return []
        }
        guard let old else {
            var actions = begin(at: now)
            actions += settle(at: now)
            return actions
        }
        guard new.wanted != old.wanted else { return [] }
        if let adoption, old.becomes(new, by: adoption.values) { return settle(at: now) }
        wish = .thing(seconds: new.seconds)
        return settle(at: now)
    }

    /// The lamp, or who speaks for it, has said something.
    package mutating func lampSaid(_ report: LampReport, on topic: String, at now: Int64) -> [Action] {
        switch report {
        case .nothing: return []
        case .state(let news) where news.isEmpty: return []
        case .available(let isOnline): return available(isOnline, topic, at: now)
        case .state(let news):
            lamp.merge(news)
            isHeard = true
            questionBy = nil
            silence = .none
            if let order, order.isBroken(by: lamp, at: now) {
                self.order = nil
                fade = nil
                if wish == .nobody { wish = .lamp }
            } else if var order {
                order.isHeard = true
                order.hasLit = order.hasLit || lamp.isOn == true
                if order.goal.isShown(by: lamp) || order.goal == agreement?.wanted && isAgreed {
                    order.isConfirmed = true
                } else if order.isConfirmed {
                    order.quietAt = min(max(order.quietAt, now + Self.pause), order.quietAtLast)
                } else if order.tries > 1 {
                    // It is back: it need not wait for the next try.
                    order.answerBy = min(order.answerBy, now + Self.answerMilliseconds)
                }
                self.order = order
            } else if wish == .nobody, !isAgreed {
                wish = .lamp
            }
            return settle(at: now)
        }
    }

    /// What was asked of the thing is done, or refused.
    ///
    /// How the thing is by then has to be told before.
    package mutating func answered(_ refusal: Refusal?, at now: Int64) -> [Action] {
        guard let adoption else { return [] }
        self.adoption = nil
        var actions: [Action] = []
        switch refusal?.code {
        case nil:
            guard wish == .nobody, let thing, !isAgreed else { break }
            if adoption.lamp != lamp {
                wish = .lamp
            } else if thing.has(adoption.values) {
                // More it cannot take.
                agree()
            } else {
                // Somebody has put it back before it was seen.
                wish = .thing(seconds: nil)
            }
        case .superseded?, .staleTarget?:
            break
        case .serverUnreachable?, .timeout?, .serverRejected?, .rateLimited?, .internalError?:
            retryAt = now + Self.retryMilliseconds
            if wish == .nobody { wish = .lamp }
        default:
            actions = [.note("the thing does not take what its lamp says: \(refusal?.message ?? "")")]
            if wish == .nobody { agree() }
        }
        return actions + settle(at: now)
    }

    /// The broker can be reached, or cannot any more.
    package mutating func brokerChanged(isUp: Bool, at now: Int64) -> [Action] {
        guard isUp != isBrokerUp else { return [] }
        isBrokerUp = isUp
        guard isUp else {
            lose()
            return []
        }
        var actions = begin(at: now)
        actions += settle(at: now)
        return actions
    }

    private mutating func available(_ isOnline: Bool, _ topic: String, at now: Int64) -> [Action] {
        let wasReachable = offline.isEmpty
        if isOnline { offline.remove(topic) } else { offline.insert(topic) }
        guard offline.isEmpty != wasReachable else { return [] }
        var actions: [Action] = []
        if isOnline { actions = begin(at: now) } else { lose() }
        return actions + settle(at: now)
    }

    /// What was not confirmed has to be said again when the lamp comes back; what it said last may be old by then.
    private mutating func lose() {
        if wish == .lamp { wish = .nobody }
        if let order, !order.isConfirmed, wish == .nobody { wish = .thing(seconds: nil) }
        order = nil
        fade = nil
        questionBy = nil
        isHeard = false
    }

    private mutating func rest() {
        wish = .nobody
        order = nil
        fade = nil
        adoption = nil
        questionBy = nil
        silence = .none
        agreement = nil
        told = Condition()
    }

    /// Both are there: the lamp is what it says, unless something else was wanted while it was away.
    private mutating func begin(at now: Int64) -> [Action] {
        guard let thing, isReachable, wish == .nobody else { return [] }
        if isHeard {
            if order == nil, !isAgreed { wish = .lamp }
            return []
        }
        let question = dialect.question(about: thing.wanted)
        guard !question.isEmpty, questionPace.take(at: now) else { return [] }
        questionBy = now + Self.questionMilliseconds
        return [.publish(question)]
    }

    /// The thing cannot be made like the lamp, nor the lamp like the thing: that is how they are.
    mutating func agree() {
        agreement = thing.map { ($0.wanted, lamp) }
    }
}
