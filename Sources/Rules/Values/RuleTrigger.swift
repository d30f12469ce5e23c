package import Bindings
package import Controller

/// What starts a rule.
/// - Source: contrib/contract/rules.md, "A rule", the table of `on`.
package enum RuleTrigger: Sendable, Hashable {
    case state(StateTrigger)
    /// Apart, since it is several times as large as the others.
    indirect case time(TimeTrigger)
    case enter(RulePlace, by: RuleDevice = .own)
    case exit(RulePlace, by: RuleDevice = .own)
    case near(RuleReference, by: RuleDevice = .own)
    case far(RuleReference, by: RuleDevice = .own)
    case call(LifecycleCall)
    /// The level is reached.
    case level(LifecycleLevel)
    case device(DeviceTrigger)

    /// Whose coming and going it is; `nil` of any other trigger.
    package var who: RuleDevice? {
        switch self {
        case .enter(_, let who), .exit(_, let who), .near(_, let who), .far(_, let who): who
        case .state, .time, .call, .level, .device: nil
        }
    }

    /// Whether it is a schedule, with which alone actions may be at its end or in its range.
    package var schedule: Schedule? {
        if case .time(let trigger) = self, case .schedule(let schedule) = trigger.due {
            schedule
        } else {
            nil
        }
    }
}

/// Fires because of what a thing reports.
package struct StateTrigger: Sendable, Hashable {
    package enum Subject: Sendable, Hashable {
        case clause(StateClause)
        /// A write of one field.
        case field(String)
    }

    /// Which changes of a clause's truth count; of a field, which writes.
    package enum Edge: String, Sendable, Hashable, CaseIterable {
        /// At each write while it is true; of a field, at each write.
        case isTrue = "CONDITION_TRUE"
        /// Not of a field.
        case becomesTrue = "CONDITION_FALSE_TO_TRUE"
        /// Either way; of a field, if the value differs.
        case changes = "CONDITION_CHANGED"
    }

    package let thing: RuleReference
    package let subject: Subject
    package let edge: Edge
    /// Seconds for which the clause must hold.
    package let hold: Int64
    /// How far beyond a limit the value must be before a true clause is false; in the field's unit.
    package let margin: Double

    package init(
        _ thing: RuleReference,
        _ subject: Subject,
        edge: Edge? = nil,
        hold: Int64 = 0,
        margin: Double = 0
    ) {
        (self.thing, self.subject, self.hold, self.margin) = (thing, subject, hold, margin)
        self.edge = edge ?? Self.defaultEdge(of: subject)
    }

    /// A field has no truth, so that only its changes are left as what one usually means.
    static func defaultEdge(of subject: Subject) -> Edge {
        switch subject {
        case .clause: .becomesTrue
        case .field: .changes
        }
    }

    /// The fields that it looks at, sorted.
    package var fields: [String] {
        switch subject {
        case .clause(let clause): clause.fields.sorted()
        case .field(let field): [field]
        }
    }
}

/// Fires when it is due.
package struct TimeTrigger: Sendable, Hashable {
    package enum Due: Sendable, Hashable {
        case schedule(Schedule)
        case cron(CronExpression)
        /// Milliseconds since 1970, UTC.
        case once(Int64)
    }

    /// What becomes of an occurrence that is over a minute late.
    package enum Missed: String, Sendable, Hashable, CaseIterable {
        case skip, run
    }

    package let due: Due
    package let missed: Missed
    /// The name of the time zone of cron, such as `Europe/Berlin`; the place's if there is none.
    ///
    /// A schedule has its own.
    package let timeZone: String?

    package init(_ due: Due, missed: Missed? = nil, timeZone: String? = nil) {
        (self.due, self.timeZone) = (due, timeZone)
        self.missed = missed ?? Self.defaultMissed(of: due)
    }

    static func defaultMissed(of due: Due) -> Missed {
        switch due {
        case .schedule, .cron: .skip
        case .once: .run
        }
    }
}

/// Fires because of a thing's connection.
package struct DeviceTrigger: Sendable, Hashable {
    package enum Event: String, Sendable, Hashable, CaseIterable {
        case connected = "on_connect"
        case addressChanged = "ip_change"
        case connectionLost = "on_connection_lost"
        case connectionRestored = "on_connection_restore"

        /// Whether it is a moment, which need not last.
        package var isMoment: Bool { self == .connected || self == .addressChanged }
    }

    package let thing: RuleReference
    package let event: Event
    /// Seconds as given.
    package let threshold: Int64?

    package static let defaultThreshold: Int64 = 300

    package init(_ thing: RuleReference, _ event: Event, threshold: Int64? = nil) {
        (self.thing, self.event, self.threshold) = (thing, event, threshold)
    }

    /// Seconds for which the condition must last; 0 for a moment without a threshold.
    package var seconds: Int64 { threshold ?? (event.isMoment ? 0 : Self.defaultThreshold) }
}
