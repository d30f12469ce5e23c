import Accounts
import Flare
import JSON
import People
import Rules
import Text
import Things

/// A rule that can never do what it says is not made: what it sets and does is checked as a command is.
///
/// - Source: contrib/contract/rules.md, "Actions".
extension RuleService {
    /// Checks what a rule sets and does against the things that are there; what they have not told yet is free.
    ///
    /// - Throws: What such a command would be refused with now.
    nonisolated func checkValues(
        of rule: Rule,
        for caller: Caller,
        in place: RuleSurroundings
    ) throws(Refusal) {
        for action in rule.actions {
            guard case .drive(let drive, let target) = action.work else { continue }
            switch target {
            case .nearby: continue
            case .thing(let reference):
                if let thing = reference.id.flatMap({ place.things[$0] }) { try thing.check(drive) }
            case .zone(let reference):
                guard let zone = reference.id, case .set(let values) = drive else { continue }
                let lights = place.things(in: zone).filter { thing in
                    let object = AccessObject(thing.thing)
                    let verdict = accounts.table.verdict(of: caller, .read, on: object, at: now)
                    return verdict.isGranted && thing.isLight
                }
                // Lights may come.
                guard !lights.isEmpty, lights.allSatisfy(\.isTold) else { continue }
                let request = ThingRequest(ofRule: values).forAllLights(lights.map(\.shape))
                _ = try request.settled(onAllLights: lights.map { (thing: $0.thing, shape: $0.shape) })
            }
        }
    }
}

extension RuleService {
    /// What a rule looks at and its things do not have now, as it may come, or is misspelt; and what is never due.
    func warnings(ofRule id: Int) async -> [RuleWarning] {
        guard let rule = rules[id]?.rule else { return [] }
        let things = await sight(of: [rule]).place.things
        let connections = rule.uses.connections.compactMap { reference -> RuleWarning? in
            guard let thing = reference.id.flatMap({ things[$0] }), !thing.isConnectionTold else {
                return nil
            }
            let text = "nothing tells now whether \(thing.name) is connected: it has no link of its own"
            return RuleWarning("", text)
        }
        let fields = rule.uses.reads.compactMap { read -> RuleWarning? in
            guard let thing = read.thing.id.flatMap({ things[$0] }), thing.isTold,
                thing.thing.data[read.field] == nil
            else { return nil }
            let hint = NearestName.hint(for: read.field, among: thing.thing.data.keys)
            return RuleWarning("", "\(thing.name) has no field \(QuotedValue.of(read.field)) now\(hint)")
        }
        let past = rule.pastSchedules(at: now, in: calendar).map { RuleWarning("", $0) }
        return connections + fields + past
    }
}

extension ThingRequest {
    /// What a rule sets, with `transition` and `partial` among its values.
    init(ofRule values: JSONObject) {
        var attributes = values
        let transition = attributes.removeValue(forKey: "transition")?.number
        let isPartial = attributes.removeValue(forKey: "partial")?.bool ?? false
        self.init(attributes: attributes, transition: transition, isPartial: isPartial)
    }
}

extension RuleSurroundings.Thing {
    var isLight: Bool { shape.isLight }

    fileprivate var name: String { thing.name.isEmpty ? "the thing" : thing.name }

    fileprivate var shape: ThingShape { ThingShape(thing, kind: kind) }

    /// Whether it has told everything that it has.
    fileprivate var isTold: Bool {
        let shape = shape
        guard kind == nil else { return !shape.properties.contains { $0.type == .unknown } }
        return !isAtEdge && !(shape.settable.isEmpty && shape.reported.isEmpty)
    }

    fileprivate func check(_ drive: RuleAction.Drive) throws(Refusal) {
        let shape = shape
        switch drive {
        case .set(let values):
            var request = ThingRequest(ofRule: values)
            let isTold = isTold
            request.attributes = request.attributes.filter { name, _ in
                shape.attributes[name] != nil || isTold && thing.data[name]?.isNull != true
            }
            guard !request.attributes.isEmpty else { return }
            _ = try request.settled(on: thing, shape).get()
        case .action(let name):
            guard isTold else { return }
            if let found = kind?.action(named: name, of: thing), try found.get() != nil { return }
            _ = try shape.checked(action: name).get()
        // Its actions have results of their own.
        case .command: return
        }
    }
}
