import Accounts
import Controller
import People
import Rules
import Things

/// Limits of rules: those that are stopped as a loop, or because they fire too often, and how many actions begin at once.
extension RulesSlice {
    /// How long a rule counts as stopped, milliseconds.
    private static let stopLasts: Int64 = 600_000
    /// How often it is stored that a rule was stopped, milliseconds.
    private static let stopInterval: Int64 = 60_000

    /// The most firings of a rule whose actions have not ended.
    private static let mostOpen = 100

    /// Whether actions of a rule have not ended so often that one more would only fill the memory.
    ///
    /// The end of a run is carried out all the same.
    func hasTooManyOpen(_ firing: RuleFiring) -> Bool {
        guard let open = openFirings[firing.rule], !firing.timings.contains(.end) else { return false }
        return open >= max(Self.mostOpen, configuration.perMinute)
    }

    /// The most actions that begin in one event: the node refuses more than a thousand commands.
    private static let mostBegun = 400

    /// The actions of one user's rules in a minute, as a multiple of the firings that one rule may have in it.
    private static let actionsOfFirings = 50

    /// Counts an action for the maker of its rule; one that notifies counts once for each recipient.
    ///
    /// 200 rules with 50 actions each, every second, would leave the node no time, and need no right at all.
    /// - Throws: Why it does not begin: there were too many within a minute, and the maker does not own everything.
    mutating func admit(
        _ action: RuleAction,
        ofRule rule: LoadedRule?,
        in core: ControllerState,
        at now: Instant
    ) throws(Refusal) {
        guard let maker = rule?.maker else { return }
        let minute = now.steadyMilliseconds / 60_000
        if ofMakers.minute != minute { ofMakers = (minute, [:]) }
        let most = configuration.perMinute * Self.actionsOfFirings
        var number = 1
        if case .notify(let notification) = action.work { number = notification.recipients.count }
        guard ofMakers.counts[maker, default: 0] + number > most else {
            ofMakers.counts[maker, default: 0] += number
            return
        }
        let caller = Caller.user(maker)
        let verdict = core.people.verdict(of: caller, .own, on: .everything, at: now.wallMilliseconds)
        guard !verdict.isGranted else { return }
        throw Refusal(.rateLimited, "the rules of one user do at most \(most) actions in a minute")
    }

    /// Counts an action that is to begin, if there is room in this event.
    mutating func admitsAction() -> Bool {
        if begun.event != event { begun = (event, 0) }
        guard begun.count < Self.mostBegun else { return false }
        begun.count += 1
        return true
    }

    /// Goes on with the firings that an earlier event has left.
    mutating func beginDeferred(in core: ControllerState, at now: Instant) -> [SliceEffect] {
        guard !deferred.isEmpty else { return [] }
        let numbers = deferred.sorted()
        deferred = []
        return begin(numbers, in: core, at: now)
    }

    /// Lets no further action of a rule's firings begin, except those that end a run.
    mutating func stopFirings(ofRule id: Int) {
        guard openFirings[id] != nil else { return }
        for (number, open) in firings where open.firing.rule == id { firings[number]?.stop() }
    }

    /// A rule that was stopped as a loop, or because it fires too often.
    struct Stop: Sendable {
        /// Milliseconds of the steady clock, when it was stored last.
        var at: Int64
        /// The other rules that have led to it.
        var partners: Set<Int>
    }

    /// A rule was stopped as a loop, or because it fires too often.
    ///
    /// - Parameter partners: The other rules of its chain.
    mutating func stop(
        _ rule: Int,
        _ refusal: RuleRefusal,
        _ partners: [Int],
        in core: ControllerState,
        at now: Instant
    ) -> [SliceEffect] {
        let last = stopped[rule]
        if let last, now.steadyMilliseconds - last.at < Self.stopInterval {
            guard !last.partners.isSuperset(of: partners) else { return [] }
            stopped[rule]?.partners.formUnion(partners)
            return [showLoops()]
        }
        stopped[rule] = Stop(at: now.steadyMilliseconds, partners: Set(partners))
        let number = nextFiring
        nextFiring += 1
        let why = explanation(of: rule, in: core).last?.why ?? ""
        let row = StoredFiring(
            number,
            epoch: core.epoch,
            rule: rule,
            at: RuleInstant(now).wall,
            why: why,
            outcome: refusal == .loop ? .loop : .limited
        )
        let record = RuleRecord.fired(row, memory: memoryText(of: rule))
        return [.perform(.remember(.slice(SliceRecord(record)))), showLoops()]
    }

    mutating func forgetStops(at now: Instant) -> [SliceEffect] {
        guard !stopped.isEmpty else { return [] }
        let left = stopped.filter { now.steadyMilliseconds - $0.value.at < Self.stopLasts }
        guard left.count < stopped.count else { return [] }
        stopped = left
        return [showLoops()]
    }

    /// Forgets that a rule was stopped, and others of its maker in a chain with it: it was edited, switched or removed.
    ///
    /// Rules of others stay stopped, without this one in their chain: nobody clears what is to be said of others' rules.
    mutating func forgetStop(ofRule id: Int, of maker: AccountID) {
        stopped[id] = nil
        for (other, stop) in stopped where stop.partners.contains(id) {
            if rules[other]?.maker == maker {
                stopped[other] = nil
            } else {
                stopped[other]?.partners.remove(id)
            }
        }
    }

    // MARK: Telling

    /// Why a rule was stopped, as its maker may know it: others' rules in the chain are counted, and not named.
    func words(ofStop explanation: RuleExplanation, ofRule id: Int) -> String {
        guard explanation.refusal == .loop || !explanation.partners.isEmpty else { return "" }
        guard !explanation.partners.isEmpty else { return "; it starts itself" }
        let partners = explanation.partners.compactMap { rules[$0] }
        let own = partners.filter { $0.maker == rules[id]?.maker }.map(\.slug)
        let others = partners.count - own.count
        var words = own.isEmpty ? [] : [Self.list(own)]
        if others > 0 { words.append(others == 1 ? "1 rule of others" : "\(others) rules of others") }
        return words.isEmpty ? "" : "; in a chain with " + words.joined(separator: " and ")
    }

    /// `alert/rule-loop`: the rules that were stopped, with those that have led to it.
    func showLoops() -> SliceEffect {
        let names = stopped.keys.sorted().compactMap { id -> String? in
            guard let slug = rules[id]?.slug else { return nil }
            let partners = stopped[id]?.partners.sorted().compactMap { rules[$0]?.slug } ?? []
            return partners.isEmpty ? slug : "\(slug) (in a chain with \(Self.list(partners)))"
        }
        guard !names.isEmpty else { return .clear("rule-loop") }
        return .raise(
            "rule-loop",
            .warning,
            message: "Rules that start each other, or fire too often, were stopped: \(Self.list(names)). "
                + "`trilateral rule explain` says what started them; switch one of a circle off, or give it a condition."
        )
    }
}
