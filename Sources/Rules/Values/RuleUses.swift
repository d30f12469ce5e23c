import Bindings
package import Controller
import JSON

/// Everything that a rule looks at and drives: for the rights of its maker, and for the index of rules.
/// - Source: contrib/contract/rules.md, "Firing", 3, and "Tables, limits, speed".
package struct RuleUses: Sendable, Hashable {
    /// A thing whose data are looked at.
    package struct Read: Sendable, Hashable {
        package let thing: RuleReference
        package let field: String
        /// Whether a change of the field may start the rule; else it is only looked at then.
        package let starts: Bool
    }

    /// Something that is driven.
    package struct Write: Sendable, Hashable {
        package enum What: Sendable, Hashable {
            case values([String])
            case action(String)
            /// The names of its actions.
            case command([String])
        }

        package let target: RuleTarget
        package let what: What
        /// Whether a schedule does it: see the flag `schedule` of a profile's property.
        package let isScheduled: Bool
    }

    /// Each once, in the order of the rule; as all lists here.
    package private(set) var reads: [Read] = []
    package private(set) var writes: [Write] = []
    /// Things that are looked at for being near.
    package private(set) var nearness: [RuleReference] = []
    package private(set) var zones: [RuleReference] = []
    /// The nodes of further devices whose places are looked at.
    package private(set) var nodes: [String] = []
    /// Whether the place of the daemon's own device, or of whichever device it is, is looked at.
    private var looksAtPlaces = false
    /// Circles and beacons.
    package private(set) var places: [RulePlace] = []
    /// Things whose connection is looked at.
    package private(set) var connections: [RuleReference] = []
    package private(set) var levels: [LifecycleLevel] = []
    package private(set) var calls: [LifecycleCall] = []
    package private(set) var recipients: [NotificationRecipient] = []
    /// Whether it notifies of what the first trigger's thing reports: see the flag `notify` of a profile's
    /// property.
    package var notifies: Bool { !recipients.isEmpty }
    /// Whether a text for people says in which zone the device is.
    package private(set) var tellsZone = false
    /// Whether a schedule follows the sun, whose times tell where the home is.
    package private(set) var followsSun = false
    package private(set) var setsCeiling = false
    package private(set) var publishes = false

    /// Whether it needs `read devices`.
    package var looksAtDevices: Bool {
        looksAtPlaces || !places.isEmpty || !levels.isEmpty || !calls.isEmpty || tellsZone || followsSun
            || writes.contains { $0.target == .nearby }
    }

    package init(_ rule: Rule) {
        for trigger in rule.triggers { add(trigger) }
        for condition in rule.conditions { add(condition) }
        let isScheduled = rule.triggers.contains { if case .time = $0 { true } else { false } }
        for action in rule.actions { add(action, isScheduled) }
        // Each once, found with sets: a rule may name thousands.
        (reads, writes, recipients) = (reads.unique, writes.unique, recipients.unique)
        (nearness, zones, places, nodes) = (nearness.unique, zones.unique, places.unique, nodes.unique)
        (connections, levels, calls) = (connections.unique, levels.unique, calls.unique)
    }

    private mutating func add(_ device: RuleDevice) {
        if let node = device.node { nodes.append(node) } else { looksAtPlaces = true }
    }

    private mutating func add(_ trigger: RuleTrigger) {
        if let who = trigger.who { add(who) }
        switch trigger {
        case .state(let trigger):
            for field in trigger.fields {
                reads.append(Read(thing: trigger.thing, field: field, starts: true))
            }
        case .time: if trigger.schedule?.needsPlace == true { followsSun = true }
        case .enter(let place, _), .exit(let place, _):
            if case .zone(let zone) = place { zones.append(zone) } else { places.append(place) }
        case .near(let thing, _), .far(let thing, _): nearness.append(thing)
        case .call(let call): calls.append(call)
        case .level(let level): levels.append(level)
        case .device(let trigger): connections.append(trigger.thing)
        }
    }

    private mutating func add(_ condition: RuleCondition) {
        if let who = condition.who { add(who) }
        switch condition {
        case .state(let thing, let clause):
            for field in clause.fields.sorted() {
                reads.append(Read(thing: thing, field: field, starts: false))
            }
        case .during(let schedule): if schedule.needsPlace { followsSun = true }
        case .level(let some): levels += some
        case .zone(let some, _): zones += some
        case .near(let some, _): nearness += some
        }
    }

    private mutating func add(_ action: RuleAction, _ isScheduled: Bool) {
        switch action.work {
        case .drive(let drive, let target):
            writes.append(Write(target: target, what: drive.what, isScheduled: isScheduled))
        case .notify(let notification):
            recipients += notification.recipients
            if notification.tellsZone { tellsZone = true }
        case .ceiling: setsCeiling = true
        case .publish: publishes = true
        }
    }
}

extension Rule {
    package var uses: RuleUses { RuleUses(self) }
}

extension RuleAction.Drive {
    fileprivate var what: RuleUses.Write.What {
        switch self {
        case .set(let values): .values(values.keys)
        case .action(let name): .action(name)
        case .command(let command): .command(command.request.actions.map(\.name))
        }
    }
}

extension Array where Element: Hashable {
    /// Its elements, each once, in their order.
    fileprivate var unique: [Element] {
        guard count > 1 else { return self }
        var known: Set<Element> = []
        return filter { known.insert($0).inserted }
    }
}
