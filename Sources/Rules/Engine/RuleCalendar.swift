package import Flare

/// What turns times of rules into instants: time zones, and the place for the sun.
/// - Source: contrib/contract/rules.md, "Schedules", "Time zone" and "Sun".
package struct RuleCalendar: Sendable, Hashable {
    /// For what names no zone: that of the environment, of the settings, or of the system.
    package var usual: ZoneTable
    /// The zones that rules name.
    package var named: [String: ZoneTable]
    /// Where the sun is looked at; `nil` while nothing tells.
    package var place: GeoPoint?

    package init(_ usual: ZoneTable = .utc, named: [String: ZoneTable] = [:], place: GeoPoint? = nil) {
        (self.usual, self.named, self.place) = (usual, named, place)
    }

    /// - Returns: `nil` for a name without a table: then nothing is due.
    package func zone(_ name: String?) -> ZoneTable? {
        guard let name else { return usual }
        return named[name] ?? (name == "UTC" ? .utc : nil)
    }

    /// The zone whose dates and times a schedule has.
    func zone(of schedule: Schedule) -> ZoneTable? { schedule.utc ? .utc : zone(schedule.timeZone) }

    /// The run of a schedule within which an instant is.
    func run(of schedule: Schedule, containing instant: Int64) -> Occurrence? {
        guard let zone = zone(of: schedule) else { return nil }
        return schedule.occurrence(containing: instant, in: zone, at: place)
    }

    /// Whether an instant is inside the range of a schedule; unknown if that cannot be told.
    func truth(of schedule: Schedule, at instant: Int64) -> RuleTruth {
        guard zone(of: schedule) != nil, !schedule.needsPlace || place != nil else {
            return .unknown
        }
        return RuleTruth(run(of: schedule, containing: instant) != nil)
    }
}

// MARK: - What is due

extension TimeTrigger {
    /// The name of the time zone that it needs; `nil` for the usual one, or none.
    package var zoneName: String? {
        switch due {
        case .schedule(let schedule): schedule.utc ? nil : schedule.timeZone
        case .cron: timeZone
        case .once: nil
        }
    }

    /// The zone whose dates and times it has.
    func zone(in calendar: RuleCalendar) -> ZoneTable? {
        switch due {
        case .schedule(let schedule): calendar.zone(of: schedule)
        case .cron: calendar.zone(timeZone)
        case .once: calendar.usual
        }
    }

    /// The first occurrence after an instant.
    func next(after instant: Int64, in calendar: RuleCalendar) -> Occurrence? {
        switch due {
        case .once(let time): return time > instant ? Occurrence(start: time) : nil
        case .cron(let cron):
            guard let zone = calendar.zone(zoneName) else { return nil }
            return cron.next(after: instant, in: zone).map { Occurrence(start: $0) }
        case .schedule(let schedule):
            guard let zone = calendar.zone(of: schedule) else { return nil }
            return schedule.next(after: instant, in: zone, at: calendar.place)
        }
    }

    /// The last occurrence up to an instant; those before `earliest` do not matter.
    func latest(through instant: Int64, since earliest: Int64, in calendar: RuleCalendar) -> Occurrence? {
        let found: Occurrence?
        switch due {
        case .once(let time): found = time <= instant ? Occurrence(start: time) : nil
        case .cron(let cron):
            guard let zone = calendar.zone(zoneName) else { return nil }
            found = cron.latest(through: instant, in: zone).map { Occurrence(start: $0) }
        case .schedule(let schedule):
            guard let zone = calendar.zone(of: schedule) else { return nil }
            found = schedule.latest(through: instant, since: earliest, in: zone, at: calendar.place)
        }
        return found.flatMap { $0.start >= earliest ? $0 : nil }
    }

    /// The run within which an instant is.
    func run(containing instant: Int64, in calendar: RuleCalendar) -> Occurrence? {
        guard case .schedule(let schedule) = due else { return nil }
        return calendar.run(of: schedule, containing: instant)
    }
}

extension Rule {
    /// The time zones that it names, for ``RuleCalendar/named``.
    package var zoneNames: Set<String> {
        var names: Set<String> = []
        for case .time(let trigger) in triggers {
            if let name = trigger.zoneName { names.insert(name) }
        }
        for case .during(let schedule) in conditions where !schedule.utc {
            if let name = schedule.timeZone { names.insert(name) }
        }
        return names
    }
}

extension Rule {
    /// Sentences about schedules whose dates are over, so that they are never due.
    ///
    /// - Parameter now: Milliseconds since 1970.
    package func pastSchedules(at now: Int64, in calendar: RuleCalendar) -> [String] {
        triggers.compactMap { trigger in
            guard case .time(let time) = trigger, case .schedule(let schedule) = time.due,
                let last = schedule.endDate, calendar.zone(of: schedule) != nil,
                !schedule.needsPlace || calendar.place != nil,
                time.next(after: now, in: calendar) == nil, time.run(containing: now, in: calendar) == nil
            else { return nil }
            return "the schedule is never due: its last date, \(last), and all days before it are over"
        }
    }
}
