package import Controller
package import Flare
package import JSON

/// What happened, for ``RuleEngine/handle(_:at:in:)``.
///
/// The caller applies an event first: the view that it hands over shows what is so afterwards.
/// - Source: contrib/contract/rules.md, "State and places" and "Firing", 1.
package enum RuleEvent: Sendable {
    /// ``RuleEngine/nextDue`` is reached. Every other event does what is due, too.
    case timerFired
    /// A thing's data were written.
    case written(RuleWrite)
    /// A thing's data are known for the first time since the start; it is no write.
    case appeared(FlareID)
    /// A thing or a zone was removed, or is not in the current environment.
    case gone(FlareID)
    /// It is there again.
    case back(FlareID)

    /// Where the device is when it is known first, after a start or in another environment. Changes follow by the
    /// events below; the first of them counts as this one, if it comes first. The node is that of a further device; `nil`
    /// for the daemon's own.
    case presenceKnown(of: String? = nil)
    case zoneEntered(FlareID, by: String? = nil)
    case zoneExited(FlareID, by: String? = nil)
    /// The thing is the nearby one, or no more.
    case near(FlareID, by: String? = nil)
    case far(FlareID, by: String? = nil)
    /// A further device is not listed any more, by its node.
    case deviceGone(String)
    /// It is listed again.
    case deviceBack(String)
    /// The first level after a start is no event for rules.
    case levelReached(LifecycleLevel)
    case called(LifecycleCall)

    /// Metres by which the location may be wrong.
    case located(GeoPoint, accuracy: Double)
    /// The name is complete: one beacon, not a group. Received power in dBm.
    case beaconHeard(BeaconName, rssi: Int)
    /// Whether beacons can be heard at all.
    case beaconSensor(isOn: Bool)

    case availability(FlareID, isOnline: Bool)
    case address(FlareID, String)

    /// The wall clock was set, or the machine woke up. Found in any event, too.
    case clockSet
    /// Time zones or the place of the sun have changed.
    case calendarChanged(RuleCalendar)

    /// The daemon is up: all its rules, and what was remembered of each.
    case started([RuleEntry], memories: [Int: RuleMemory])
    /// A rule is new, or was edited.
    case ruleAdded(RuleEntry)
    case ruleRemoved(Int)
    case ruleSwitched(Int, isOn: Bool)
    /// A caller asks for its actions now, whatever its conditions and its pause say, and though it is off.
    ///
    /// If it is suspended or limited, no firing comes out.
    case runRequested(Int)
    /// Rights or flags were looked at again; `nil` if nothing stands against the rule.
    case ruleJudged(Int, RuleSuspension?)
}

/// A rule as the engine holds it.
package struct RuleEntry: Sendable, Hashable {
    /// A number never used for another rule.
    package let id: Int
    /// Its references are identifiers: see ``Rule/resolved(by:)``.
    package let rule: Rule
    /// What stands against it, for its rights or flags.
    package let suspension: RuleSuspension?
    /// Things and zones of it that are not there.
    package let missing: Set<FlareID>
    /// The nodes of its devices that are not listed.
    package let missingDevices: Set<String>

    package init(
        _ id: Int,
        _ rule: Rule,
        suspension: RuleSuspension? = nil,
        missing: Set<FlareID> = [],
        missingDevices: Set<String> = []
    ) {
        (self.id, self.rule, self.suspension) = (id, rule, suspension)
        (self.missing, self.missingDevices) = (missing, missingDevices)
    }
}

/// Accepted data of a thing: an upload, or a confirmed change.
package struct RuleWrite: Sendable {
    package let thing: FlareID
    package let before: JSONObject
    package let after: JSONObject
    /// The written fields, equal or not; a removed one is among them.
    package let fields: [String]
    /// The rules whose firings led to it, oldest first; none for what comes from outside.
    package let chain: [Int]

    package init(
        _ thing: FlareID,
        before: JSONObject,
        after: JSONObject,
        fields: [String],
        chain: [Int] = []
    ) {
        (self.thing, self.before, self.after) = (thing, before, after)
        (self.fields, self.chain) = (fields, chain)
    }
}

/// Why a rule is suspended.
/// - Source: contrib/contract/rules.md, "Firing", 3, 4 and 6.
package enum RuleSuspension: String, Sendable, Hashable, CaseIterable {
    /// A thing or a zone of it is removed or of another environment, or a device is not listed.
    case gone
    /// Its maker may not do any more what it does.
    case rights
    /// Its maker is off or removed.
    case maker
    case notNotifiable = "not_notifiable"
    case notSchedulable = "not_schedulable"

    /// Whether its maker may not do what it does.
    package var isOfMaker: Bool {
        switch self {
        case .rights, .maker: true
        case .gone, .notNotifiable, .notSchedulable: false
        }
    }
}
