package import Accounts
import Flare
package import JSON
package import People
package import Rules

/// A rule as the node holds it.
package struct LoadedRule: Sendable, Hashable {
    package var entry: RuleEntry
    package var slug: String
    /// Who answers for it.
    package var maker: AccountID
    /// Its last firing that has ended; `nil` if none is known.
    package var last: Last? {
        get { boxedLast?.wrappedValue }
        set { boxedLast = newValue.map { Boxed($0) } }
    }
    private var boxedLast: Boxed<Last>?
    /// Its recipients that are not there, such as `user:alice`, as they were called.
    package var missingRecipients: [String] = []
    /// What people have called its things and zones when it was made: see ``StoredRule/names(in:)``.
    var formerNames: [String] = []

    package struct Last: Sendable, Hashable {
        /// Milliseconds since 1970 UTC.
        package var at: Int64
        package var why: String
        package var outcome: StoredFiring.Outcome
        /// What went wrong first, for the log; `nil` if nothing did, and for a firing of another run.
        package var failure: String?

        package init(
            at: Int64,
            why: String,
            _ outcome: StoredFiring.Outcome,
            failure: String? = nil
        ) {
            (self.at, self.why, self.outcome, self.failure) = (at, why, outcome, failure)
        }
    }

    /// What people have called its things and zones when it was made: those that are removed have no other names.
    var names: [ObjectReference: String] { entry.rule.objects(called: formerNames) }

    /// Whether it has schedules, and so times at which it is due.
    var hasTimes: Bool {
        entry.rule.triggers.contains { if case .time = $0 { true } else { false } }
    }

    /// Whether it follows beacons.
    var namesBeacons: Bool {
        entry.rule.triggers.contains { trigger in
            switch trigger {
            case .enter(.beacon, _), .exit(.beacon, _): true
            default: false
            }
        }
    }

    package init(_ entry: RuleEntry, slug: String, maker: AccountID, last: Last? = nil) {
        (self.entry, self.slug, self.maker) = (entry, slug, maker)
        self.last = last
    }
}

/// The rules of a daemon at its start.
package struct RulesLoad: Sendable, Hashable {
    package var rules: [LoadedRule]
    /// What was stored of each, by its number: see ``RuleRecord/memory(_:_:)``.
    package var memories: [Int: JSONObject]
    package var calendar: RuleCalendar
    /// The number that the last firing had; 0 if there was none.
    package var lastFiring: Int64

    package init(
        _ rules: [LoadedRule],
        memories: [Int: JSONObject] = [:],
        _ calendar: RuleCalendar,
        lastFiring: Int64
    ) {
        (self.rules, self.memories, self.calendar) = (rules, memories, calendar)
        self.lastFiring = lastFiring
    }
}
