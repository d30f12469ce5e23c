package import Controller
import Flare
import JSON
import People
package import Rules
package import Things

/// The rules: it shows the engine what happens, and has done what it wants done.
///
/// A firing is stored at the end of the turn in which the rule fires, and its actions begin after that: so they are done
/// once at most. With no rules it follows nothing.
/// - Source: contrib/contract/rules.md, "Firing".
package struct RulesSlice: Slice {
    package enum Event: Sendable, Hashable {
        /// The daemon is up, or its rules are read again.
        case loaded(RulesLoad)
        /// A rule is new, or was edited; the calendar has the time zones that it names.
        case added(LoadedRule, RuleCalendar)
        case removed(Int)
        case switched(Int, isOn: Bool)
        /// Rights or flags were looked at again.
        case judged(Int, RuleSuspension?)
        /// These recipients of a rule are not there, such as `user:alice`; it comes before the judgement that says so.
        case missed(Int, recipients: [String])
        /// Somebody asks for the actions of a rule; the result is a ``RunResult`` with this number.
        case run(Int, number: Int)
        /// These firings are stored.
        case stored([Int64])
        /// What was handed over under this number has been sent, or why not.
        case sent(Int, Refusal?)
        /// ``RuleEngine/nextDue`` is reached.
        case due
        /// The clock of this machine was set, or the machine woke up.
        case clockSet
        case calendar(RuleCalendar)
        /// A beacon of ``beacons`` was heard.
        case beacon(BeaconName, rssi: Int)
        /// The command of this number was carried out, or why not; with the slug of its rule, if its sender may see it.
        case settled(Int, slug: String?, Refusal?)
    }

    /// What came of a request to run a rule.
    package struct RunResult: Sendable, Hashable {
        package let number: Int
        /// The number of the firing, or why there is none.
        package let firing: Result<Int64, Refusal>

        /// `nil` if it runs.
        package var refusal: Refusal? {
            if case .failure(let refusal) = firing { refusal } else { nil }
        }
    }

    /// Those that were made of a configuration.
    private(set) var configuration: RuleEngine.Configuration
    private(set) var engine: RuleEngine?
    /// By number.
    var rules: [Int: LoadedRule] = [:]
    /// The numbers of rules, by slug.
    var slugs: [String: Int] = [:]
    var sight = RuleSight()
    var chains = RuleChains()
    var ceilings = RuleCeilings()

    // Firings
    var nextFiring: Int64 = 1
    /// Those that have not ended, by number.
    var firings: [Int64: OpenFiring] = [:]
    /// How many of them each rule has.
    var openFirings: [Int: Int] = [:]
    /// Those whose next action waits for another event, since too many began in this one.
    var deferred: [Int64] = []
    /// Those whose next action waits for that of a later one, which may supersede it; by the later one.
    var held: [Int64: [Int64]] = [:]
    /// The actions that began in a minute of the steady clock, by the makers of their rules.
    var ofMakers = (minute: Int64(0), counts: [AccountID: Int]())
    /// The actions that began in an event, by its number.
    var begun = (event: 0, count: 0)
    /// The actions that are not answered, by ticket.
    var given: [Int: GivenAction] = [:]
    var lastTicket = 0
    /// What is handed over and was not sent yet, by number.
    package private(set) var outgoing: [Int: RuleOutgoing] = [:]
    private var lastOutgoing = 0
    package private(set) var runResults: [RunResult] = []
    /// The commands from the broker that are not answered, by number.
    var asked: [Int: Command] = [:]
    var lastAsked = 0
    /// The rules that were stopped lately as a loop or for firing too often.
    var stopped: [Int: Stop] = [:]

    /// Whether another event is to come at once: the lifecycle may have followed this one before its ceiling changed.
    var isLevelLate = false
    /// When the timer is due, milliseconds since 1970 UTC.
    private var planned: Int64?
    private var isClockWrong = false
    /// Whether `alert/rules` names the rules that are suspended now: it looks at all rules, so once in an event.
    var isSuspensionShown = true
    /// Counts events.
    private(set) var event = 0
    /// Counts changes: two slices are compared by it.
    private var revision = 0

    package init() { self.init(RuleEngine.Configuration()) }

    package init(_ configuration: RuleEngine.Configuration) { self.configuration = configuration }

    package static func == (left: Self, right: Self) -> Bool {
        left.revision == right.revision && left.configuration == right.configuration
    }

    package func hash(into hasher: inout Hasher) { hasher.combine(revision) }

    /// Whether there is anything to follow.
    var isIdle: Bool { rules.isEmpty && firings.isEmpty }

    // MARK: Events

    package mutating func apply(_ event: Event, in core: ControllerState, at now: Instant) -> [SliceEffect] {
        revision &+= 1
        let effects = effects(of: event, in: core, at: now)
        return effects + plan(in: core, at: now)
    }

    private mutating func effects(
        of event: Event,
        in core: ControllerState,
        at now: Instant
    ) -> [SliceEffect] {
        switch event {
        case .loaded(let load): return self.load(load, in: core, at: now)
        case .added(let rule, let calendar): return add(rule, calendar, in: core, at: now)
        case .removed(let id): return remove(id, in: core, at: now)
        case .switched(let id, let isOn): return turn(id, isOn, in: core, at: now)
        case .judged(let id, let suspension):
            let effects = handle(.ruleJudged(id, suspension), in: core, at: now)
            // Whoever may not set a ceiling any more does not keep one either.
            guard let suspension, suspension.isOfMaker else { return effects }
            return effects + setCeiling(nil, ofRule: id)
        case .missed(let id, let recipients):
            rules[id]?.missingRecipients = recipients
            isSuspensionShown = false
            return []
        case .run(let id, let number): return run(id, number, in: core, at: now)
        case .stored(let numbers): return start(numbers, in: core, at: now)
        case .sent(let number, let refusal): return sent(number, refusal, in: core, at: now)
        case .due:
            (planned, isLevelLate) = (nil, false)
            let effects = handle(.timerFired, in: core, at: now)
            return effects + beginDeferred(in: core, at: now)
        case .clockSet:
            planned = nil
            return handle(.clockSet, in: core, at: now)
        case .calendar(let calendar): return handle(.calendarChanged(calendar), in: core, at: now)
        case .beacon(let name, let rssi): return handle(.beaconHeard(name, rssi: rssi), in: core, at: now)
        case .settled(let number, let slug, let refusal): return settled(number, slug: slug, refusal)
        }
    }

    /// Shows the engine what happened.
    mutating func handle(_ event: RuleEvent, in core: ControllerState, at now: Instant) -> [SliceEffect] {
        guard engine != nil else { return [] }
        revision &+= 1
        let view = RulesView(core, sight)
        let outputs = engine?.handle(event, at: RuleInstant(now), in: view) ?? []
        return outputs.isEmpty ? [] : carryOut(outputs, in: core, at: now)
    }

    /// Follows another configuration, with the rules as they are.
    private mutating func use(
        _ new: RuleEngine.Configuration,
        in core: ControllerState,
        at now: Instant
    ) -> [SliceEffect] {
        guard new != configuration else { return [] }
        configuration = new
        guard let engine else { return [] }
        revision &+= 1
        let load = RulesLoad(
            engine.entries.compactMap { entry in
                rules[entry.id].map { rule in
                    var rule = rule
                    rule.entry = entry
                    return rule
                }
            },
            memories: rules.mapValues { memory(of: $0.entry.id) },
            engine.calendar,
            lastFiring: nextFiring - 1
        )
        return self.load(load, in: core, at: now) + plan(in: core, at: now)
    }

    /// Begins with an engine without rules.
    mutating func begin(_ calendar: RuleCalendar, at now: Instant) {
        engine = RuleEngine(configuration, calendar, at: RuleInstant(now))
        (planned, isClockWrong) = (nil, false)
    }

    // MARK: Slice

    package mutating func follow(
        _ event: ControllerEvent,
        in core: ControllerState,
        at now: Instant
    ) -> [SliceEffect] {
        switch event {
        case .configurationApplied(let new):
            // Alerts are cleared with the settings that were in use.
            (isSuspensionShown, isClockWrong) = (false, false)
            // Only a language that a command chooses is a call.
            sight.language = core.lifecycle.language?.tag
            var effects = use(new.slices[RulesSlice.self].configuration, in: core, at: now)
            effects += lookAtDevices(in: core, at: now)
            if !stopped.isEmpty { effects.append(showLoops()) }
            // What waited for the database did so in a part that was replaced.
            let waiting = firings.values.filter { !$0.isStarted }.map(\.number)
            for number in waiting.sorted() { effects.append(.changed(.ruleFired(number))) }
            return effects
        case .stopBegun: return interrupt(at: now) + refuseAsked()
        default: break
        }
        guard !isIdle else { return [] }
        return look(at: event, in: core, at: now)
    }

    package var followsChanges: Bool { !isIdle }

    package mutating func follow(
        changes: Set<StateChange>,
        in core: ControllerState,
        at now: Instant
    ) -> [SliceEffect] {
        defer { event &+= 1 }
        let effects = look(at: changes, in: core, at: now)
        return effects + forgetStops(at: now) + plan(in: core, at: now)
    }

    package var followsUploads: Bool { !sight.things.isEmpty }

    package mutating func uploaded(
        _ upload: StateUploaded,
        in core: ControllerState,
        at now: Instant
    ) -> [SliceEffect] {
        guard sight.things[upload.thing] != nil else { return [] }
        return look(at: upload, in: core, at: now)
    }

    package mutating func carryOut(
        _ command: Command,
        in core: ControllerState,
        at now: Instant
    ) throws(Refusal) -> [SliceEffect]? {
        if command.operation.base is RuleTopicCommand {
            revision &+= 1
            return try ask(command)
        }
        guard let change = command.operation.base as? SetCeiling else { return nil }
        revision &+= 1
        let accepted = SliceEffect.accept(["ceiling": change.level.map { .string($0.hmiLevel) } ?? .null])
        return set(change) + [accepted] + plan(in: core, at: now)
    }

    package mutating func answered(
        _ answer: Answer,
        in core: ControllerState,
        at now: Instant
    ) -> [SliceEffect] {
        guard let given = given.removeValue(forKey: answer.ticket) else { return [] }
        revision &+= 1
        let effects = settle(given, answer, in: core, at: now)
        return deferred.isEmpty ? effects : effects + plan(in: core, at: now)
    }

    package var everything: Set<StateChange> {
        guard !rules.isEmpty else { return [] }
        return rules.values.reduce(into: [.ruleBeacons]) { all, rule in
            all.formUnion([.rule(rule.slug), .ruleNamed(rule.slug)])
        }
    }

    // MARK: The timer

    /// How much too early or late the timer may be, milliseconds: the two clocks are not read at one instant.
    private static let tolerance: Int64 = 2
    /// The longest wait, milliseconds.
    private static let longestWait: Int64 = 86_400_000

    /// Starts the timer for what is due next, if that has changed, and tells whether the clock can be right.
    private mutating func plan(in core: ControllerState, at now: Instant) -> [SliceEffect] {
        guard let count = engine?.count else { return [] }
        var effects = isSuspensionShown ? [] : showSuspended(in: core)
        isSuspensionShown = true
        let isWrong = count > 0 && engine?.isClockPlausible == false
        if isWrong != isClockWrong {
            isClockWrong = isWrong
            effects.append(isWrong ? .raise("clock", .warning, message: Self.clockProblem) : .clear("clock"))
            // With a wrong clock no rule is due.
            effects += rules.values.filter(\.hasTimes).map { .changed(.rule($0.slug)) }
        }
        let isLate = isLevelLate || !deferred.isEmpty
        let due = isLate ? RuleInstant(now).wall : engine?.nextDue
        if let due, let planned, abs(due - planned) <= Self.tolerance { return effects }
        guard due != planned else { return effects }
        planned = due
        guard let due else { return effects + [.perform(.stopTimer(Self.timer(.due)))] }
        let wait = min(max(0, due - RuleInstant(now).wall), Self.longestWait)
        return effects + [.perform(.startTimer(Self.timer(.due), milliseconds: wait))]
    }

    private static let clockProblem =
        "The clock of this machine is before the build of this program; no rule follows its schedules until it is set."

    // MARK: Handing over

    /// Hands something to the parts around the node; ``Event/sent(_:_:)`` is the answer.
    mutating func handOver(_ content: RuleOutgoing.Content, of action: GivenAction) -> SliceEffect {
        lastOutgoing += 1
        outgoing[lastOutgoing] = RuleOutgoing(content, of: action)
        return .changed(.ruleOutgoing(lastOutgoing))
    }

    private mutating func sent(
        _ number: Int,
        _ refusal: Refusal?,
        in core: ControllerState,
        at now: Instant
    ) -> [SliceEffect] {
        guard let outgoing = outgoing.removeValue(forKey: number) else { return [] }
        return settle(outgoing.action, refusal, in: core, at: now)
    }

    /// The last requests to run a rule; each is read in the next work on the loop.
    private static let mostResults = 100

    mutating func report(_ number: Int, _ firing: Result<Int64, Refusal>) {
        if runResults.count >= Self.mostResults { runResults.removeFirst(Self.mostResults / 2) }
        runResults.append(RunResult(number: number, firing: firing))
    }
}

extension RuleInstant {
    init(_ instant: Instant) {
        self.init(wall: instant.wallMilliseconds, steady: instant.steadyMilliseconds)
    }
}

extension StateChange {
    /// A rule is new, gone, on, off, suspended, or has fired.
    package static func rule(_ slug: String) -> StateChange { .slice(RulesSlice.ruleChanges, part: slug) }
    /// A rule is new, gone, or perhaps called otherwise.
    static func ruleNamed(_ slug: String) -> StateChange { .slice(RulesSlice.nameChanges, part: slug) }
    /// A firing is to be stored in this turn, and then to be started.
    static func ruleFired(_ number: Int64) -> StateChange {
        .slice(RulesSlice.firingChanges, part: "\(number)")
    }
    /// A firing of a rule has failed: ``LoadedRule/Last/failure``.
    static func ruleFailed(_ id: Int) -> StateChange { .slice(RulesSlice.failureChanges, part: "\(id)") }
    static func ruleOutgoing(_ number: Int) -> StateChange {
        .slice(RulesSlice.outgoingChanges, part: "\(number)")
    }
    /// Rules name other beacons than before.
    static let ruleBeacons = StateChange.slice("rule-beacons")
}

extension RulesSlice {
    package static let ruleChanges = "rules"
    package static let nameChanges = "rules-named"
    static let firingChanges = "rules-stored"
    static let failureChanges = "rules-failed"
    static let outgoingChanges = "rules-outgoing"
}
