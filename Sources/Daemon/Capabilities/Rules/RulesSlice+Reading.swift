import Controller
import Flare
import People
import Rules
import Things

/// What makers may read at the moment at which a rule of theirs fires, and tells something.
extension RulesSlice {
    /// Whether the maker of a rule may read what has started it.
    ///
    /// The service suspends a rule some time after a right has ended; until then it must not tell what came later.
    func mayRead(
        _ firing: RuleFiring,
        of rule: LoadedRule,
        in core: ControllerState,
        at now: Instant
    ) -> Bool {
        func may(_ object: AccessObject) -> Bool {
            let caller = Caller.user(rule.maker)
            return core.people.verdict(of: caller, .read, on: object, at: now.wallMilliseconds).isGranted
        }
        func mayFind(_ node: String?) -> Bool { may(node.map { .device($0) } ?? .devices) }
        func maySee(_ kind: FlareClass, _ id: FlareID) -> Bool {
            // What is gone has no place.
            let gone: AccessObject =
                kind == .zone ? .zone(id, environment: nil) : .thing(id, zone: nil, environment: nil)
            return may(core.accessObject(ObjectReference(kind, id)) ?? gone)
        }
        switch firing.cause {
        case .state(let thing, _, _, _), .device(let thing, _): return maySee(.thing, thing)
        case .near(let thing, let node), .far(let thing, let node):
            return mayFind(node) && maySee(.thing, thing)
        case .enter(.zone(let zone), let node), .exit(.zone(let zone), let node):
            return mayFind(node) && zone.id.map { maySee(.zone, $0) } ?? true
        case .enter, .exit, .level, .call: return may(.devices)
        case .schedule: return !rule.entry.rule.uses.followsSun || may(.devices)
        case .cron, .once, .request: return true
        }
    }

    /// - Throws: If the maker of a firing's rule may not read any more what has started it.
    func requireReading(_ open: OpenFiring, in core: ControllerState, at now: Instant) throws(Refusal) {
        guard !mayRead(open.firing, of: open.rule, in: core, at: now) else { return }
        throw Refusal(.notAllowed, "the rule's maker may not read any more what has started it")
    }
}
