package import Flare

/// A time at which a rule did not fire though a trigger was met.
package struct RuleExplanation: Sendable, Hashable {
    /// Milliseconds since 1970 UTC; of several in a row, the last.
    package let at: Int64
    package let refusal: RuleRefusal
    /// What would have made it fire; the first condition that did not hold is behind it.
    package var why: String
    /// Of a rule that was stopped: the other rules in the circle that has led to it, or in the chain, if that is none.
    package let partners: [Int]
    /// Times in a row.
    package let count: Int
}

extension RuleEngine {
    /// The last 20 times that a rule did not fire, newest last.
    ///
    /// What was due while a rule is off or suspended is found now: such a rule has no timers.
    /// - Source: contrib/contract/rules.md, "Faces", `rule explain`.
    package func explanation(of id: Int, in view: some RuleView) -> [RuleExplanation] {
        guard let slot = places[id].flatMap({ slots[$0] }) else { return [] }
        var found = slot.refusals.entries.map { entry in
            let condition = entry.condition.map { " (if[\($0)])" } ?? ""
            return RuleExplanation(
                at: entry.at,
                refusal: entry.refusal,
                why: entry.cause.why(view.name) + condition,
                partners: entry.partners,
                count: entry.count
            )
        }
        if let since = slot.inactiveSince, isClockPlausible {
            found += due(of: slot, since: since)
            found.sort { $0.at < $1.at }
        }
        return found.suffix(RefusalLog.limit)
    }

    private func due(of slot: RuleSlot, since: Int64) -> [RuleExplanation] {
        slot.rule.triggers.compactMap { trigger in
            guard case .time(let time) = trigger,
                let missed = time.latest(through: now.wall, since: since + 1, in: calendar)
            else { return nil }
            return RuleExplanation(
                at: missed.start,
                refusal: slot.isOn ? .suspended : .off,
                why: time.cause.why { _, id in id.description },
                partners: [],
                count: 1
            )
        }
    }

    /// When the schedules of a rule are due; never while the rule is off or suspended, or the clock is wrong.
    package func times(of id: Int) -> RuleTimes {
        guard let slot = places[id].flatMap({ slots[$0] }), slot.isActive, isClockPlausible else {
            return RuleTimes([], calendar)
        }
        var first: [RuleTimes.Due] = []
        var ends: [Int64] = []
        for (number, trigger) in slot.rule.triggers.enumerated() {
            guard case .time(let time) = trigger, case .time(let state) = slot.states[number] else {
                continue
            }
            if let next = state.next { first.append(RuleTimes.Due(trigger: time, next: next)) }
            if let end = state.run?.end { ends.append(end) }
        }
        return RuleTimes(first, until: ends.min(), calendar)
    }

    /// What triggers of a rule that must last wait for, and what those of beacons know, by their numbers.
    ///
    /// `nil` if it does not follow the rule: there is no such rule, or it is off or suspended.
    package func waits(of id: Int, at now: RuleInstant) -> [Int: RuleWait]? {
        guard let slot = places[id].flatMap({ slots[$0] }), slot.isActive else { return nil }
        var waits: [Int: RuleWait] = [:]
        for (number, state) in slot.states.enumerated() where slot.rule.triggers.indices.contains(number) {
            let (due, isStanding): (Int64?, Bool) =
                switch state {
                case .clause(let clause): (clause.hold?.due, clause.isStanding)
                case .device(let device): (device.due, device.isStanding)
                case .circle, .beacon, .time, .moment: (nil, false)
                }
            if case .beacon(let beacon) = state {
                waits[number] = .beacon(inside: beacon.inside, isStanding: beacon.isStanding)
            } else if let due, due > now.steady {
                waits[number] = .seconds((due - now.steady + 999) / 1000)
            } else if isStanding, slot.rule.triggers[number].lastingSeconds != nil {
                waits[number] = .ending
            }
        }
        return waits
    }

    /// Why a rule does not run at the moment; `nil` if nothing stands against it, or there is no such rule.
    package func suspension(of id: Int) -> RuleSuspension? {
        places[id].flatMap { slots[$0]?.suspension }
    }

    /// Whether a rule is on; `nil` if there is no such rule.
    package func isOn(_ id: Int) -> Bool? { places[id].flatMap { slots[$0]?.isOn } }

    /// Whether any rule names a thing or a zone.
    package func names(_ object: FlareID) -> Bool { index.objects[object] != nil }

    /// The rules that a write of a thing's fields may start, by their numbers.
    package func rules(lookingAt thing: FlareID, _ fields: [String]) -> [Int] {
        guard let index = index.things[thing] else { return [] }
        return Set(index.references(to: fields).map(\.rule)).sorted()
    }
}
