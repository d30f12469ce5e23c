import Bindings
import Controller
import Flare
import JSON
import Rules

/// The same rules without index, timers or memory: each second everything is looked at again.
///
/// For rules whose clauses are lower limits, whose schedules are `interval` and `duration` of a whole day, and whose
/// cron expressions are minutes.
struct NaiveRules {
    struct Trigger {
        var truth: Bool?
        var settled: Bool?
        /// Since when it is true without being settled.
        var since: Int64?
        /// What made it true; `nil` for what was so at first sight.
        var why: String?
        /// The start of the run that has fired.
        var run: Int64?
    }

    struct State {
        var isOn = true
        var triggers: [Trigger]
        var firings: [Int64] = []
        var pausing: Int64?
        var occurred: Int64?
    }

    let rules: [(id: Int, rule: Rule)]
    let perMinute: Int
    private(set) var states: [Int: State] = [:]
    private(set) var log: [String] = []

    /// Times are milliseconds of the day.
    init(_ rules: [(id: Int, rule: Rule)], perMinute: Int, at now: Int64, in view: SimulatedPlace) {
        (self.rules, self.perMinute) = (rules, perMinute)
        for (id, rule) in rules { states[id] = Self.begin(rule, now, view) }
    }

    private static func begin(_ rule: Rule, _ now: Int64, _ view: SimulatedPlace) -> State {
        let triggers = rule.triggers.map { trigger in
            var state = Trigger()
            if case .state(let trigger) = trigger, let id = trigger.thing.id, let data = view.data(of: id) {
                state.truth = truth(trigger, data, false)
                state.settled = state.truth
                if trigger.hold > 0, trigger.edge == .isTrue, state.truth == true {
                    (state.settled, state.since) = (nil, now)
                }
            }
            return state
        }
        return State(triggers: triggers)
    }

    /// `nil` for a missing value.
    private static func truth(_ trigger: StateTrigger, _ data: JSONObject, _ wasTrue: Bool) -> Bool? {
        guard case .clause(.range(let field, let range)) = trigger.subject, let lower = range.lower,
            let value = data[field]?.number
        else { return nil }
        return value >= (wasTrue ? lower - trigger.margin : lower)
    }

    // MARK: Time

    /// What is due at a second of the day: schedules first, then clauses that have held.
    mutating func tick(_ second: Int64, in view: SimulatedPlace) {
        for (id, rule) in rules where states[id]?.isOn == true {
            for number in rule.triggers.indices { end(id, rule, number, second, view) }
            for number in rule.triggers.indices { start(id, rule, number, second, view) }
        }
        var held: [(due: Int64, id: Int, number: Int)] = []
        for (id, rule) in rules where states[id]?.isOn == true {
            for (number, trigger) in rule.triggers.enumerated() {
                guard case .state(let trigger) = trigger, let since = states[id]?.triggers[number].since,
                    since + trigger.hold * 1000 == second * 1000 + 500
                else { continue }
                held.append((second, id, number))
            }
        }
        for (_, id, number) in held { hold(id, number, second * 1000 + 500, view) }
    }

    private mutating func end(_ id: Int, _ rule: Rule, _ number: Int, _ second: Int64, _ view: SimulatedPlace)
    {
        guard let schedule = rule.triggers[number].schedule, let interval = schedule.interval,
            let duration = schedule.duration, second % interval == duration % interval
        else { return }
        guard rule.actions.contains(where: { $0.timing == .end }) else { return }
        let isCertain = states[id]?.triggers[number].run != nil
        attempt(id, rule, "end", second * 1000, view, isCertain: isCertain)
        states[id]?.triggers[number].run = nil
    }

    private mutating func start(
        _ id: Int,
        _ rule: Rule,
        _ number: Int,
        _ second: Int64,
        _ view: SimulatedPlace
    ) {
        guard case .time(let trigger) = rule.triggers[number], states[id]?.occurred != second else { return }
        let hasFired: Bool
        switch trigger.due {
        case .schedule(let schedule):
            guard second % (schedule.interval ?? 1) == 0 else { return }
            hasFired = attempt(id, rule, "start", second * 1000, view)
            states[id]?.triggers[number].run = hasFired ? second : nil
        case .cron(let cron):
            let minutes = Int64(cron.text.dropFirst(2).prefix { $0 != " " }) ?? 1
            guard second % 60 == 0, second / 60 % 60 % minutes == 0 else { return }
            hasFired = attempt(id, rule, "cron", second * 1000, view)
        case .once: return
        }
        if hasFired { states[id]?.occurred = second }
    }

    private mutating func hold(_ id: Int, _ number: Int, _ now: Int64, _ view: SimulatedPlace) {
        guard let rule = rules.first(where: { $0.id == id })?.rule,
            let state = states[id]?.triggers[number]
        else { return }
        states[id]?.triggers[number].settled = true
        states[id]?.triggers[number].since = nil
        states[id]?.triggers[number].why = nil
        guard let why = state.why else { return }
        attempt(id, rule, why, now, view)
    }

    // MARK: Events

    mutating func write(
        _ name: String,
        _ thing: FlareID,
        _ field: String,
        _ before: JSONObject,
        _ now: Int64,
        in view: SimulatedPlace
    ) {
        let after = view.data(of: thing) ?? [:]
        let why = "state \(name) \(field) \(before[field]?.text ?? "null") -> \(after[field]?.text ?? "null")"
        for (id, rule) in rules where states[id]?.isOn == true {
            var isMet = false
            for (number, trigger) in rule.triggers.enumerated() {
                guard case .state(let trigger) = trigger, trigger.thing.id == thing,
                    trigger.fields.contains(field)
                else { continue }
                let met = write(id, number, trigger, before, after, now, why)
                isMet = isMet || met
            }
            if isMet { attempt(id, rule, why, now, view) }
        }
    }

    private mutating func write(
        _ id: Int,
        _ number: Int,
        _ trigger: StateTrigger,
        _ before: JSONObject,
        _ after: JSONObject,
        _ now: Int64,
        _ why: String
    ) -> Bool {
        if case .field(let field) = trigger.subject {
            if trigger.edge == .isTrue { return true }
            guard let old = before[field], let new = after[field] else { return false }
            return old != new
        }
        guard var state = states[id]?.triggers[number] else { return false }
        defer { states[id]?.triggers[number] = state }
        let old = state.settled
        state.truth = Self.truth(trigger, after, state.truth == true)
        let mustWait = trigger.hold > 0 && (old == false || old == nil && trigger.edge == .isTrue)
        if state.truth == true, mustWait {
            if state.since == nil { (state.since, state.why) = (now, why) }
        } else {
            state.settled = state.truth
            (state.since, state.why) = (nil, nil)
        }
        switch trigger.edge {
        case .isTrue: return state.settled == true
        case .becomesTrue: return old == false && state.settled == true
        case .changes: return old == false && state.settled == true || old == true && state.settled == false
        }
    }

    mutating func enter(_ zone: FlareID, _ name: String, _ now: Int64, in view: SimulatedPlace) {
        for (id, rule) in rules where states[id]?.isOn == true {
            guard rule.triggers.contains(.enter(.zone(RuleReference(.zone, zone)))) else { continue }
            attempt(id, rule, "enter zone:\(name)", now, view)
        }
    }

    mutating func turn(_ id: Int, _ isOn: Bool, _ now: Int64, in view: SimulatedPlace) {
        guard let rule = rules.first(where: { $0.id == id })?.rule, let old = states[id], old.isOn != isOn
        else { return }
        guard isOn else {
            states[id]?.isOn = false
            return
        }
        var new = Self.begin(rule, now, view)
        (new.firings, new.pausing, new.occurred) = (old.firings, old.pausing, old.occurred)
        for (number, trigger) in rule.triggers.enumerated() {
            guard let run = old.triggers[number].run, let duration = trigger.schedule?.duration,
                (run + duration) * 1000 > now
            else { continue }
            new.triggers[number].run = run
        }
        states[id] = new
    }

    // MARK: Firing

    @discardableResult
    private mutating func attempt(
        _ id: Int,
        _ rule: Rule,
        _ why: String,
        _ now: Int64,
        _ view: SimulatedPlace,
        isCertain: Bool = false
    ) -> Bool {
        guard let state = states[id] else { return false }
        if !isCertain {
            for condition in rule.conditions {
                guard holds(condition, view) else { return false }
            }
            if let last = state.pausing, now - last < rule.pause * 1000 { return false }
            guard state.firings.filter({ now - $0 < 60_000 }).count < perMinute else { return false }
        }
        states[id]?.firings.append(now)
        if !isCertain { states[id]?.pausing = now }
        log.append("\(now / 1000) \(id) \(why)")
        return true
    }

    private func holds(_ condition: RuleCondition, _ view: SimulatedPlace) -> Bool {
        switch condition {
        case .zone(let zones, _): zones.contains { view.zone == .at($0.id ?? FlareID(high: 0, low: 0)) }
        case .level(let levels): view.level.map(levels.contains) ?? false
        case .state(let thing, .equals(let field, let value)):
            thing.id.flatMap { view.data(of: $0) }?[field] == value
        case .state, .during, .near: false
        }
    }
}
