import Controller
import Flare

/// Decides which rules fire, and when.
///
/// A value without a clock, a timer or a database: events come in with their time, and what is to be done comes out.
/// One timer of the caller's, at ``nextDue``, serves all rules.
///
/// If two rules set one field, both fire, by their numbers; that the earlier command is `superseded` is a matter
/// of the queue of commands.
/// - Source: contrib/contract/rules.md, "State and places"; "Schedules"; "Firing".
package struct RuleEngine: Sendable {
    package struct Configuration: Sendable, Hashable {
        /// Firings of a chain that run; the next one is a loop.
        package var chain: Int
        /// Firings of a rule within a minute; more are limited.
        package var perMinute: Int
        /// How late a missed occurrence may be caught up, minutes.
        package var missedMinutes: Int64
        /// A clock before this instant is wrong: when the program was built, milliseconds since 1970 UTC.
        package var built: Int64

        package init(chain: Int = 8, perMinute: Int = 60, missedMinutes: Int64 = 60, built: Int64 = .min) {
            (self.chain, self.perMinute) = (max(1, chain), max(1, perMinute))
            self.missedMinutes = min(max(0, missedMinutes), 525_600)
            self.built = built
        }
    }

    package let configuration: Configuration
    package private(set) var calendar: RuleCalendar
    /// Of the last event.
    private(set) var now: RuleInstant

    var index = RuleIndex()
    var slots: [RuleSlot?] = []
    /// Where a rule is.
    var places: [Int: Int] = [:]
    var freeSlots: [Int] = []
    var generations = 0
    var wallTimers = TimerQueue()
    var steadyTimers = TimerQueue()

    /// The devices whose zone, or whose nearby thing, has been known since the start: the first sight is no event.
    var known: [FlareClass: Set<String?>] = [:]
    var level: LifecycleLevel?
    var isBeaconSensorOn = true

    /// Of the event that is being handled.
    var outputs: [RuleOutput] = []
    var changed: [Int] = []
    /// Runs that are under way and were not seen to start.
    var rangesToEnter: [RuleIndex.Reference] = []

    package init(
        _ configuration: Configuration = Configuration(),
        _ calendar: RuleCalendar,
        at now: RuleInstant
    ) {
        (self.configuration, self.calendar, self.now) = (configuration, calendar, now)
    }

    /// When the next thing is due, on the wall clock, milliseconds since 1970 UTC; `nil` for never.
    ///
    /// Seldom it is too early: then the event ``RuleEvent/timerFired`` does nothing.
    package var nextDue: Int64? {
        let wall = isClockPlausible ? wallTimers.first?.due : nil
        let steady = steadyTimers.first.map { $0.due + now.offset }
        if let wall, let steady { return min(wall, steady) }
        return wall ?? steady
    }

    /// Whether the clock can be right; else there are no schedules, and `alert/clock` is raised.
    package var isClockPlausible: Bool { isPlausible(now) }

    func isPlausible(_ instant: RuleInstant) -> Bool { instant.wall >= configuration.built }

    /// The rules that it holds.
    package var count: Int { places.count }

    /// The same as they are now, by their numbers: whether on, and what stands against them.
    package var entries: [RuleEntry] {
        places.sorted { $0.key < $1.key }.compactMap { slots[$0.value]?.currentEntry }
    }
}

// MARK: - Events

extension RuleEngine {
    /// Handles an event after everything that is due by then.
    ///
    /// - Parameter view: What is so after the event.
    /// - Returns: What is to be done, in this order.
    package mutating func handle(
        _ event: RuleEvent,
        at instant: RuleInstant,
        in view: some RuleView
    ) -> [RuleOutput] {
        move(to: instant)
        advance(in: view)
        apply(event, in: view)
        // A run that is under way when a rule begins is entered at once, and an end is made up for.
        advance(in: view)
        guard !outputs.isEmpty || !changed.isEmpty else { return [] }
        return finish()
    }

    private mutating func finish() -> [RuleOutput] {
        for slot in changed {
            guard let rule = slots[slot], rule.isChanged else { continue }
            slots[slot]?.isChanged = false
            outputs.append(.remembered(rule: rule.id))
        }
        changed.removeAll()
        defer { outputs = [] }
        return outputs
    }

    private mutating func apply(_ event: RuleEvent, in view: some RuleView) {
        switch event {
        case .timerFired, .clockSet: break
        case .written(let write): handleWrite(write, in: view)
        case .appeared(let thing): handleAppearance(of: thing, in: view)
        case .gone(let object): handleLoss(of: object)
        case .back(let object): handleReturn(of: object, in: view)
        case .presenceKnown(let node): for kind in [FlareClass.zone, .thing] { see(kind, of: node) }
        case .zoneEntered(let zone, let node): handlePresence(.zone, zone, of: node, isEntry: true, in: view)
        case .zoneExited(let zone, let node): handlePresence(.zone, zone, of: node, isEntry: false, in: view)
        case .near(let thing, let node): handlePresence(.thing, thing, of: node, isEntry: true, in: view)
        case .far(let thing, let node): handlePresence(.thing, thing, of: node, isEntry: false, in: view)
        case .deviceGone(let node): handleLoss(ofDevice: node)
        case .deviceBack(let node): handleReturn(ofDevice: node, in: view)
        case .levelReached(let level): handleLevel(level, in: view)
        case .called(let call): handleCall(call, in: view)
        case .located(let point, let accuracy): handleLocation(point, accuracy, in: view)
        case .beaconHeard(let name, let rssi): handleBeacon(name, rssi, in: view)
        case .beaconSensor(let isOn): handleBeaconSensor(isOn)
        case .availability(let thing, let isOnline): handleAvailability(of: thing, isOnline, in: view)
        case .address(let thing, let address): handleAddress(address, of: thing, in: view)
        case .calendarChanged(let calendar): handleCalendar(calendar)
        case .started(let entries, let memories): start(entries, memories, in: view)
        case .ruleAdded(let entry): add(entry, in: view)
        case .ruleRemoved(let id): remove(id)
        case .ruleSwitched(let id, let isOn): turn(id, isOn, in: view)
        case .runRequested(let id): run(id, in: view)
        case .ruleJudged(let id, let suspension): judge(id, suspension, in: view)
        }
    }
}

// MARK: - Clocks

extension RuleEngine {
    private mutating func move(to instant: RuleInstant) {
        let before = now
        now = instant
        guard !places.isEmpty, isPlausible(now) else { return }
        let (wall, built) = (now.wall, configuration.built)
        // Forward, what is due is found to be late. Back, what has fired does not fire again, as it is done.
        if !isPlausible(before) {
            changeTimes { state, context in state.resume(at: wall, since: built, context) }
        } else if now.offset - before.offset < -TimeState.wrongDate {
            changeTimes { state, context in state.correctDate(to: wall, context) }
            for place in places.values { slots[place]?.occurred = nil }
        }
    }

    private mutating func handleCalendar(_ new: RuleCalendar) {
        let old = calendar
        guard new != old else { return }
        calendar = new
        guard isClockPlausible else { return }
        let wall = now.wall
        changeTimes { state, context in state.recalculate(at: wall, from: old, context) }
    }

    /// Changes what all schedules know, and plans them again.
    private mutating func changeTimes(_ change: (inout TimeState, TimeState.Context) -> Void) {
        wallTimers.removeAll()
        for reference in index.times {
            guard isActive(reference.slot), case .time(var state) = state(of: reference),
                let context = context(of: reference)
            else { continue }
            change(&state, context)
            setState(.time(state), of: reference)
            markChanged(reference.slot)
            slots[reference.slot]?.queued[reference.trigger] = nil
            plan(reference)
        }
    }
}
