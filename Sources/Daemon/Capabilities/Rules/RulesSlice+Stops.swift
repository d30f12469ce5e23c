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

    /// A rule was stopped as a loop, or because it fires too often.
    mutating func stop(
        _ rule: Int,
        _ refusal: RuleRefusal,
        in core: ControllerState,
        at now: Instant
    ) -> [SliceEffect] {
        let last = stopped[rule]
        if let last, now.steadyMilliseconds - last < Self.stopInterval { return [] }
        stopped[rule] = now.steadyMilliseconds
        let number = nextFiring
        nextFiring += 1
        let why = engine?.explanation(of: rule, in: RulesView(core, sight)).last?.why ?? ""
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
        let left = stopped.filter { now.steadyMilliseconds - $0.value < Self.stopLasts }
        guard left.count < stopped.count else { return [] }
        stopped = left
        return [showLoops()]
    }
}
