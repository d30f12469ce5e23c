import Controller
import Flare

// MARK: - Presence and levels

extension RuleEngine {
    /// A device is at a zone or a thing, or no more.
    ///
    /// - Parameter node: That of a further device; `nil` for the daemon's own.
    mutating func handlePresence(
        _ kind: FlareClass,
        _ object: FlareID,
        of node: String?,
        isEntry: Bool,
        in view: some RuleView
    ) {
        guard !see(kind, of: node),
            let references = kind == .zone ? index.zones[object] : index.nearness[object]
        else { return }
        let place = RuleReference(kind, object)
        fireAll(references, in: view) { trigger in
            guard trigger.isEntry == isEntry, let who = trigger.who,
                view.isMeant(who, by: node, at: place)
            else { return nil }
            return trigger.presenceCause(by: node)
        }
    }

    /// Where a device is was seen.
    ///
    /// - Returns: Whether for the first time.
    @discardableResult
    mutating func see(_ kind: FlareClass, of node: String?) -> Bool {
        known[kind, default: []].insert(node).inserted
    }

    mutating func handleLevel(_ new: LifecycleLevel, in view: some RuleView) {
        let known = level
        level = new
        guard let before = known, before != new, let references = index.levels[new] else { return }
        fireAll(references, in: view) { _ in .level(new) }
    }

    mutating func handleCall(_ call: LifecycleCall, in view: some RuleView) {
        guard let references = index.calls[call] else { return }
        fireAll(references, in: view) { _ in .call(call) }
    }

    /// Fires the rules of triggers that are met: each once.
    private mutating func fireAll(
        _ references: [Reference],
        in view: some RuleView,
        _ met: (RuleTrigger) -> RuleCause?
    ) {
        var done: Int?
        for reference in references where done != reference.rule {
            guard let cause = trigger(of: reference).flatMap(met) else { continue }
            done = reference.rule
            fire(reference.slot, cause, in: view)
        }
    }
}

// MARK: - Circles

extension RuleEngine {
    mutating func handleLocation(_ location: GeoPoint, _ accuracy: Double, in view: some RuleView) {
        guard !index.circles.isEmpty, location.isValid else { return }
        var met: [Reference] = []
        for reference in index.circles where isActive(reference.slot) {
            guard let trigger = trigger(of: reference), let circle = trigger.circle,
                case .circle(var state) = state(of: reference)
            else { continue }
            let change = state.update(circle, at: location, accuracy: accuracy)
            setState(.circle(state), of: reference)
            if change == trigger.isEntry { met.append(reference) }
        }
        if !met.isEmpty { fireAll(met, in: view) { $0.presenceCause() } }
    }
}

// MARK: - Beacons

extension RuleEngine {
    mutating func handleBeacon(_ name: BeaconName, _ rssi: Int, in view: some RuleView) {
        guard !index.beacons.isEmpty else { return }
        var references: [Reference] = []
        for name in name.withGroups {
            if let some = index.beacons[name] { references += some }
        }
        guard !references.isEmpty else { return }
        var met: [Reference] = []
        for reference in references.sorted() where isActive(reference.slot) {
            guard let trigger = trigger(of: reference), let beacon = trigger.beacon,
                case .beacon(var state) = state(of: reference)
            else { continue }
            let hasEntered = state.hear(beacon, rssi: rssi, at: now.steady)
            setState(.beacon(state), of: reference)
            plan(reference)
            if hasEntered, trigger.isEntry { met.append(reference) }
        }
        if !met.isEmpty { fireAll(met, in: view) { $0.presenceCause() } }
    }

    /// A beacon has not been heard for long enough.
    mutating func loseBeacon(_ reference: Reference, _ state: BeaconState, in view: some RuleView) {
        guard isActive(reference.slot), let trigger = trigger(of: reference) else { return }
        var state = state
        let hasLeft = state.expire()
        setState(.beacon(state), of: reference)
        guard hasLeft, !trigger.isEntry, let cause = trigger.presenceCause() else { return }
        fire(reference.slot, cause, in: view)
    }

    mutating func handleBeaconSensor(_ isOn: Bool) {
        guard isOn != isBeaconSensorOn else { return }
        isBeaconSensorOn = isOn
        guard isOn else { return }
        for reference in index.beacons.values.joined() where isActive(reference.slot) {
            guard case .beacon(var state) = state(of: reference) else { continue }
            state.restart(at: now.steady)
            setState(.beacon(state), of: reference)
            plan(reference)
        }
    }
}

extension BeaconName {
    /// This name and those of the groups that the beacon is in.
    package var withGroups: [BeaconName] {
        switch self {
        case .iBeacon(let uuid, let major, let minor):
            var names = [self]
            if minor != nil { names.append(.iBeacon(uuid: uuid, major: major, minor: nil)) }
            if major != nil { names.append(.iBeacon(uuid: uuid, major: nil, minor: nil)) }
            return names
        case .eddystone(let namespace, let instance):
            return instance == nil ? [self] : [self, .eddystone(namespace: namespace, instance: nil)]
        }
    }
}
