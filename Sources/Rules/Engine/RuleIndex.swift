import Controller
package import Flare

/// Which triggers look at what.
///
/// An event that no rule looks at costs one look-up. All lists are in the order in which rules fire.
/// - Source: contrib/contract/rules.md, "Tables, limits, speed".
struct RuleIndex: Sendable {
    /// A trigger of a rule.
    struct Reference: Sendable, Hashable, Comparable {
        let rule: Int
        let trigger: Int
        /// Where the rule is.
        let slot: Int

        static func < (left: Self, right: Self) -> Bool {
            (left.rule, left.trigger) < (right.rule, right.trigger)
        }
    }

    /// Triggers that look at a thing's data.
    struct Fields: Sendable {
        /// A list, since rules look at few fields of one thing.
        private var byField: [(field: String, references: [Reference])] = []
        /// Those that look at no field, as the clause `all`: any write counts.
        var always: [Reference] = []

        /// All that look at one of the fields, once each.
        func references(to fields: [String]) -> [Reference] {
            if always.isEmpty, fields.count == 1 { return references(to: fields[0]) }
            var found = always
            for field in fields { found += references(to: field) }
            guard found.count > 1 else { return found }
            found.sort()
            var last: Reference?
            found.removeAll { reference in
                defer { last = reference }
                return reference == last
            }
            return found
        }

        private func references(to field: String) -> [Reference] {
            byField.first { $0.field == field }?.references ?? []
        }

        /// All that look at the thing, once each.
        var all: [Reference] { Set(byField.flatMap(\.references)).union(always).sorted() }

        fileprivate mutating func change(_ field: String, _ reference: Reference, _ change: Change) {
            guard let index = byField.firstIndex(where: { $0.field == field }) else {
                var references: [Reference] = []
                change(&references, reference)
                if !references.isEmpty { byField.append((field, references)) }
                return
            }
            change(&byField[index].references, reference)
            if byField[index].references.isEmpty { byField.remove(at: index) }
        }

        fileprivate var isEmpty: Bool { byField.isEmpty && always.isEmpty }
    }

    private(set) var things: [FlareID: Fields] = [:]
    private(set) var zones: [FlareID: [Reference]] = [:]
    private(set) var nearness: [FlareID: [Reference]] = [:]
    private(set) var levels: [LifecycleLevel: [Reference]] = [:]
    private(set) var calls: [LifecycleCall: [Reference]] = [:]
    private(set) var circles: [Reference] = []
    private(set) var beacons: [BeaconName: [Reference]] = [:]
    private(set) var devices: [FlareID: [Reference]] = [:]
    private(set) var times: [Reference] = []
    /// The rules that name a thing or a zone at all; the number of a trigger means nothing.
    private(set) var objects: [FlareID: [Reference]] = [:]
    /// Those that name a further device, by its node.
    private(set) var nodes: [String: [Reference]] = [:]
}

// MARK: - Rules

extension RuleIndex {
    mutating func add(_ rule: Rule, id: Int, slot: Int) { change(rule, id, slot) { $0.insert($1) } }

    mutating func remove(_ rule: Rule, id: Int, slot: Int) { change(rule, id, slot) { $0.remove($1) } }

    fileprivate typealias Change = (inout [Reference], Reference) -> Void

    private mutating func change(_ rule: Rule, _ id: Int, _ slot: Int, _ change: Change) {
        for (number, trigger) in rule.triggers.enumerated() {
            self.change(trigger, Reference(rule: id, trigger: number, slot: slot), change)
        }
        for object in rule.objects {
            Self.change(&objects, object, Reference(rule: id, trigger: 0, slot: slot), change)
        }
        for node in rule.nodes {
            Self.change(&nodes, node, Reference(rule: id, trigger: 0, slot: slot), change)
        }
    }

    private mutating func change(_ trigger: RuleTrigger, _ reference: Reference, _ change: Change) {
        switch trigger {
        case .state(let trigger): self.change(trigger, reference, change)
        case .time: change(&times, reference)
        case .enter(.circle, _), .exit(.circle, _): change(&circles, reference)
        case .enter(.beacon(let beacon), _), .exit(.beacon(let beacon), _):
            Self.change(&beacons, beacon.name, reference, change)
        case .enter(.zone(let zone), _), .exit(.zone(let zone), _):
            if let id = zone.id { Self.change(&zones, id, reference, change) }
        case .near(let thing, _), .far(let thing, _):
            if let id = thing.id { Self.change(&nearness, id, reference, change) }
        case .call(let call): Self.change(&calls, call, reference, change)
        case .level(let level): Self.change(&levels, level, reference, change)
        case .device(let trigger):
            if let id = trigger.thing.id { Self.change(&devices, id, reference, change) }
        }
    }

    private mutating func change(_ trigger: StateTrigger, _ reference: Reference, _ change: Change) {
        guard let id = trigger.thing.id else { return }
        var fields = things[id] ?? Fields()
        if trigger.fields.isEmpty { change(&fields.always, reference) }
        for field in trigger.fields { fields.change(field, reference, change) }
        things[id] = fields.isEmpty ? nil : fields
    }

    private static func change<Key>(
        _ lists: inout [Key: [Reference]],
        _ key: Key,
        _ reference: Reference,
        _ change: Change
    ) {
        change(&lists[key, default: []], reference)
        if lists[key]?.isEmpty == true { lists[key] = nil }
    }
}

extension [RuleIndex.Reference] {
    fileprivate mutating func insert(_ reference: Element) {
        // Rules come by their numbers, as a rule.
        guard let last, reference < last else {
            if last != reference { append(reference) }
            return
        }
        let place = place(of: reference)
        if self[place] != reference { insert(reference, at: place) }
    }

    fileprivate mutating func remove(_ reference: Element) {
        let place = place(of: reference)
        if place < count, self[place] == reference { remove(at: place) }
    }

    /// The first place of what does not come before it.
    private func place(of reference: Element) -> Int {
        var (low, high) = (0, count)
        while low < high {
            let middle = (low + high) / 2
            if self[middle] < reference { low = middle + 1 } else { high = middle }
        }
        return low
    }
}

extension Rule {
    /// The nodes of the further devices that it names.
    package var nodes: Set<String> {
        Set((triggers.map(\.who) + conditions.map(\.who)).compactMap { $0?.node })
    }

    /// The things and zones that it names.
    package var objects: Set<FlareID> {
        let uses = uses
        var references = uses.reads.map(\.thing) + uses.nearness + uses.zones + uses.connections
        // A clause without fields reads nothing, but is of a thing.
        for case .state(let trigger) in triggers { references.append(trigger.thing) }
        for case .state(let thing, _) in conditions { references.append(thing) }
        for write in uses.writes {
            switch write.target {
            case .thing(let target), .zone(let target): references.append(target)
            case .nearby: break
            }
        }
        return Set(references.compactMap(\.id))
    }
}
