import Flare

/// A rule with what is known of it.
struct RuleSlot: Sendable {
    var entry: RuleEntry
    var isOn: Bool
    /// What stands against it, for its rights or flags.
    var judgement: RuleSuspension?
    /// Its things and zones that are not there.
    var missing: Set<FlareID>
    /// The nodes of its devices that are not listed.
    var missingDevices: Set<String>
    let timings: ActionTimings

    /// By trigger, as the following.
    var states: [TriggerState]
    /// When the earliest timer of a trigger in the queues is due.
    var queued: [Int64?]
    /// Counted up when all its timers are void.
    var generation: Int

    /// When it fired last; after a restart the steady time may be below 0.
    var fired: (wall: Int64, steady: Int64)?
    /// The start of the run or moment at which it fired last: once, even if several triggers have it.
    var occurred: Int64?
    /// Its firings within the last minute, on the steady clock.
    var recent: [Int64] = []
    var refusals = RefusalLog()
    /// Since when it is off or suspended, on the wall clock.
    var inactiveSince: Int64?
    /// Whether what is to be remembered has changed.
    var isChanged = false

    init(_ entry: RuleEntry, generation: Int) {
        (self.entry, self.generation) = (entry, generation)
        (isOn, judgement) = (entry.rule.isEnabled, entry.suspension)
        (missing, missingDevices) = (entry.missing, entry.missingDevices)
        timings = ActionTimings(entry.rule)
        states = entry.rule.triggers.map { _ in .moment }
        queued = entry.rule.triggers.map { _ in nil }
    }

    var id: Int { entry.id }
    var rule: Rule { entry.rule }
    var suspension: RuleSuspension? { missing.isEmpty && missingDevices.isEmpty ? judgement : .gone }
    var currentEntry: RuleEntry {
        var rule = rule
        rule.isEnabled = isOn
        return RuleEntry(
            id,
            rule,
            suspension: judgement,
            missing: missing,
            missingDevices: missingDevices
        )
    }

    var isActive: Bool { isOn && suspension == nil }
}

/// What a trigger knows.
enum TriggerState: Sendable, Hashable {
    case clause(ClauseState)
    case circle(CircleState)
    case beacon(BeaconState)
    // Apart, since they are several times as large as the others.
    indirect case device(DeviceState)
    indirect case time(TimeState)
    /// Zones, nearness, levels and calls come as events; nothing is to be known.
    case moment
}

/// The last times that a rule did not fire.
struct RefusalLog: Sendable {
    struct Entry: Sendable {
        /// Milliseconds since 1970 UTC.
        var at: Int64
        let refusal: RuleRefusal
        var cause: RuleCause
        /// The number of the first condition that did not hold.
        let condition: Int?
        /// The other rules of its chain, if it was stopped.
        var partners: [Int]
        var count: Int
    }

    static let limit = 20
    private(set) var entries: [Entry] = []

    /// The same again takes no new place, lest a thing that reports every second hides all else.
    mutating func add(
        _ refusal: RuleRefusal,
        _ cause: RuleCause,
        condition: Int? = nil,
        partners: [Int] = [],
        at time: Int64
    ) {
        if let last = entries.last, last.refusal == refusal, last.condition == condition,
            last.cause.isLike(cause)
        {
            let place = entries.count - 1
            (entries[place].at, entries[place].cause, entries[place].partners) = (time, cause, partners)
            entries[place].count += 1
            return
        }
        if entries.count == Self.limit { entries.removeFirst() }
        entries.append(
            Entry(
                at: time,
                refusal: refusal,
                cause: cause,
                condition: condition,
                partners: partners,
                count: 1
            )
        )
    }
}

extension RuleCause {
    /// Whether it is the same but for the values.
    fileprivate func isLike(_ other: RuleCause) -> Bool {
        guard case .state(let thing, let field, _, _) = self, case .state(thing, field, _, _) = other else {
            return self == other
        }
        return true
    }
}
