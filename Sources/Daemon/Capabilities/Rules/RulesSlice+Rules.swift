import Accounts
package import Controller
import Flare
package import JSON
import Messages
package import Rules
import Text
import Things

/// Rules that come and go.
extension RulesSlice {
    /// Begins with all rules of the daemon.
    mutating func load(_ load: RulesLoad, in core: ControllerState, at now: Instant) -> [SliceEffect] {
        begin(load.calendar, at: now)
        let former = Set(rules.values.map(\.slug))
        (rules, slugs) = ([:], [:])
        for rule in load.rules { put(rule) }
        nextFiring = max(nextFiring, load.lastFiring + 1)
        ceilings.removeAll()
        stopped = [:]
        for rule in load.rules where rule.entry.rule.isEnabled {
            if let suspension = rule.entry.suspension, suspension.isOfMaker { continue }
            ceilings[rule.entry.id] = RuleCeilings.Ceiling(load.memories[rule.entry.id]?["ceiling"])
        }
        sight.catchUp(with: core)
        for rule in load.rules { sight.add(rule.entry.rule, in: core) }
        let entries = load.rules.map { entry(of: $0, in: core) }
        let memories = load.memories.mapValues { RuleMemory($0) }
        var effects = handle(.beaconSensor(isOn: sight.hearsBeacons), in: core, at: now)
        effects += handle(.started(entries, memories: memories), in: core, at: now)
        for slug in former.union(rules.values.map(\.slug)).sorted() {
            effects += [.changed(.rule(slug)), .changed(.ruleNamed(slug))]
        }
        effects += [.changed(.ruleBeacons), showLoops()]
        isSuspensionShown = false
        return effects + showCeiling()
    }

    /// A new rule, or another form of one.
    mutating func add(
        _ rule: LoadedRule,
        _ calendar: RuleCalendar,
        in core: ControllerState,
        at now: Instant
    ) -> [SliceEffect] {
        // It is among those that are loaded later; until then the number of the last firing is not known.
        guard isLoaded else { return [] }
        let id = rule.entry.id
        var effects = handle(.calendarChanged(calendar), in: core, at: now)
        if rules.isEmpty {
            sight.catchUp(with: core)
            effects += handle(.beaconSensor(isOn: sight.hearsBeacons), in: core, at: now)
        }
        let old = rules[id]
        var rule = rule
        rule.last = rule.last ?? old?.last
        put(rule)
        sight.add(rule.entry.rule, in: core)
        forgetStop(ofRule: id, of: rule.maker)
        if !rule.entry.rule.isEnabled { stopFirings(ofRule: id) }
        let setsCeiling = rule.entry.rule.actions.contains { action in
            if case .ceiling = action.work { true } else { false }
        }
        if !setsCeiling || !rule.entry.rule.isEnabled { effects += setCeiling(nil, ofRule: id) }
        let wasSuspended = engine?.suspension(of: id) != nil
        effects += handle(.ruleAdded(entry(of: rule, in: core)), in: core, at: now)
        if let old { forget(old) }
        if wasSuspended || engine?.suspension(of: id) != nil { isSuspensionShown = false }
        if rule.namesBeacons || old?.namesBeacons ?? false { effects.append(.changed(.ruleBeacons)) }
        if let old, old.slug != rule.slug {
            effects += [.changed(.rule(old.slug)), .changed(.ruleNamed(old.slug))]
        }
        return effects + tell(rule, old == nil ? "added" : "changed") + [showLoops()]
    }

    mutating func remove(_ id: Int, in core: ControllerState, at now: Instant) -> [SliceEffect] {
        if engine?.suspension(of: id) != nil { isSuspensionShown = false }
        var effects = handle(.ruleRemoved(id), in: core, at: now)
        guard let rule = rules.removeValue(forKey: id) else { return effects }
        stopFirings(ofRule: id)
        slugs[rule.slug] = nil
        effects += setCeiling(nil, ofRule: id)
        forgetStop(ofRule: id, of: rule.maker)
        forget(rule)
        if rule.namesBeacons { effects.append(.changed(.ruleBeacons)) }
        return effects + tell(rule, "removed") + [showLoops()]
    }

    mutating func turn(
        _ id: Int,
        _ isOn: Bool,
        in core: ControllerState,
        at now: Instant
    ) -> [SliceEffect] {
        guard let maker = rules[id]?.maker else { return [] }
        let isNew = engine?.isOn(id) != isOn
        setEnabled(isOn, id)
        var effects = handle(.ruleSwitched(id, isOn: isOn), in: core, at: now)
        if !isOn {
            stopFirings(ofRule: id)
            effects += setCeiling(nil, ofRule: id)
        }
        forgetStop(ofRule: id, of: maker)
        if engine?.suspension(of: id) != nil { isSuspensionShown = false }
        if isNew, let rule = rules[id] { effects += tell(rule, "changed") }
        return effects + [showLoops()]
    }

    /// Looks no more at what only this rule has named.
    private mutating func forget(_ rule: LoadedRule) {
        let engine = engine
        sight.forget(rule.entry.rule) { engine?.names($0) ?? false }
    }

    private mutating func put(_ rule: LoadedRule) {
        let id = rule.entry.id
        if let old = rules[id], old.slug != rule.slug { slugs[old.slug] = nil }
        (rules[id], slugs[rule.slug]) = (rule, id)
    }

    mutating func setEnabled(_ isOn: Bool, _ id: Int) {
        guard let entry = rules[id]?.entry else { return }
        var rule = entry.rule
        rule.isEnabled = isOn
        rules[id]?.entry = RuleEntry(
            id,
            rule,
            suspension: entry.suspension,
            missing: entry.missing
        )
    }

    /// A rule with what is missing of it now.
    private func entry(of rule: LoadedRule, in core: ControllerState) -> RuleEntry {
        RuleEntry(
            rule.entry.id,
            rule.entry.rule,
            suspension: rule.entry.suspension,
            missing: sight.missing(of: rule.entry.rule),
            missingDevices: core.missingDevices(of: rule.entry.rule)
        )
    }

    // MARK: Runs that somebody asks for

    mutating func run(
        _ id: Int,
        _ number: Int,
        in core: ControllerState,
        at now: Instant
    ) -> [SliceEffect] {
        guard rules[id] != nil else {
            report(number, .failure(Refusal(.staleTarget, "the rule was removed")))
            return []
        }
        let (first, effects) = (nextFiring, handle(.runRequested(id), in: core, at: now))
        if firings[first] != nil {
            report(number, .success(first))
        } else if let suspension = engine?.suspension(of: id) {
            let why = words(of: suspension, ofRule: id, in: core)
            report(number, .failure(Refusal(.notAllowed, "the rule is suspended: \(why)")))
        } else {
            let message = "the rule has fired too often in the last minute; try again in a minute"
            report(number, .failure(Refusal(.rateLimited, message)))
        }
        return effects
    }

    // MARK: Telling

    /// What changes of rules are published with, but not the rights of their readers.
    func tell(_ rule: LoadedRule, _ type: String, _ details: JSONObject = [:]) -> [SliceEffect] {
        var members: JSONObject = [
            "id": JSONValue(rule.entry.id), "slug": .string(rule.slug),
            "title": .string(rule.entry.rule.title),
        ]
        members.merge(details) { own, _ in own }
        let isFiring = type == "fired"
        let isNamed: [SliceEffect] = isFiring ? [] : [.changed(.ruleNamed(rule.slug))]
        return isNamed + [
            .changed(.rule(rule.slug)),
            .emit(
                .rule,
                type,
                cause: ChangeEvent.Cause("rule"),
                details: ["rule": SecretMask.tokens.masked(.object(members)), "slug": .string(rule.slug)],
                furtherTopic: isFiring ? Topics.tails.firings(ofRule: rule.slug) : nil
            ),
        ]
    }

    /// At most so many rules are named in an alert.
    private static let mostNamed = 20

    /// `alert/rules`: the rules that are on and suspended.
    func showSuspended(in core: ControllerState) -> [SliceEffect] {
        let names = rules.keys.sorted().compactMap { id -> String? in
            guard let rule = rules[id], rule.entry.rule.isEnabled,
                let suspension = engine?.suspension(of: id)
            else { return nil }
            return "\(rule.slug) (\(words(of: suspension, ofRule: id, in: core)))"
        }
        let lacking = rules.keys.sorted().compactMap { id -> String? in
            guard let rule = rules[id], rule.entry.rule.isEnabled, engine?.suspension(of: id) == nil,
                !rule.missingRecipients.isEmpty
            else { return nil }
            return "\(rule.slug) (\(Self.words(ofMissing: [], rule.missingRecipients)))"
        }
        var sentences: [String] = []
        if !names.isEmpty { sentences.append("Suspended rules: \(Self.list(names)).") }
        if !lacking.isEmpty {
            sentences.append("Rules that notify only some of their recipients: \(Self.list(lacking)).")
        }
        guard !sentences.isEmpty else { return [.clear("rules")] }
        return [.raise("rules", .warning, message: sentences.joined(separator: " "))]
    }

    /// The things, zones, devices and recipients of a rule that are not there, such as `thing:lamp`, as they were called last.
    package func missing(of id: Int, in core: ControllerState) -> [String] {
        guard let rule = rules[id] else { return [] }
        return missingObjects(of: rule, in: core) + rule.missingRecipients
    }

    private func missingObjects(of rule: LoadedRule, in core: ControllerState) -> [String] {
        let devices = core.missingDevices(of: rule.entry.rule).map { "device:\($0)" }
        let missing = sight.missing(of: rule.entry.rule)
        guard !missing.isEmpty else { return devices.sorted() }
        let called = rule.names
        let names = rule.entry.rule.references.filter { missing.contains($0.id) }.map { object in
            let name = core.slugs[object.kind, object.id] ?? called[object] ?? "\(object.id)"
            return "\(object.kind.rawValue):\(name)"
        }
        return (names + devices).sorted()
    }

    /// Why a rule does not run, with what is gone of it.
    func words(of suspension: RuleSuspension, ofRule id: Int, in core: ControllerState) -> String {
        guard suspension == .gone, let rule = rules[id] else { return suspension.words }
        let objects = missingObjects(of: rule, in: core)
        guard !objects.isEmpty || !rule.missingRecipients.isEmpty else { return suspension.words }
        return Self.words(ofMissing: objects, rule.missingRecipients)
    }

    private static func words(ofMissing objects: [String], _ recipients: [String]) -> String {
        let missing = objects + recipients
        let more = missing.count > 3 ? " and \(missing.count - 3) more" : ""
        let verb = missing.count == 1 ? "is" : "are"
        let words = "\(missing.prefix(3).joined(separator: ", "))\(more) \(verb) not there"
        // Somebody else may have the name by now, whom nobody meant.
        return recipients.isEmpty ? words : words + "; edit the rule to name its recipients anew"
    }

    static func list(_ names: [String]) -> String {
        let more = names.count - mostNamed
        return names.prefix(mostNamed).joined(separator: ", ") + (more > 0 ? " and \(more) more" : "")
    }
}

extension RuleSuspension {
    /// Why a rule does not run, for people.
    package var words: String {
        switch self {
        case .gone: "a thing, a zone, a device or a recipient of it is not there"
        case .rights: "its maker may no longer do this"
        case .maker: "its maker is off or removed"
        case .notNotifiable: "a profile does not let it notify of a property"
        case .notSchedulable: "a profile does not let schedules set a property"
        }
    }
}

// MARK: - Reading

extension RulesSlice {
    /// How a rule is at the moment: `B/rules/<r>`, without the places that only some may know.
    package func json(ofRule id: Int) -> JSONObject? {
        guard let rule = rules[id] else { return nil }
        var json: JSONObject = [
            "id": JSONValue(id), "slug": .string(rule.slug), "title": .string(rule.entry.rule.title),
            "enabled": .bool(engine?.isOn(id) ?? rule.entry.rule.isEnabled),
        ]
        json["suspended"] = engine?.suspension(of: id).map { .string($0.rawValue) }
        let times = engine?.times(of: id)
        json["next"] = times?.next.map { .string(Self.timestamp($0)) }
        json["until"] = times?.until.map { .string(Self.timestamp($0)) }
        json["last"] = rule.last.map { last -> JSONValue in
            [
                "ts": .string(Self.timestamp(last.at)), "why": .string(last.why),
                "outcome": .string(last.outcome.rawValue),
            ]
        }
        return json
    }

    /// The numbers of all rules, sorted.
    package var numbers: [Int] { rules.keys.sorted() }

    /// The rule with a slug.
    package func number(of slug: String) -> Int? { slugs[slug] }

    /// Whether the program has looked at its rules.
    package var isLoaded: Bool { engine != nil }

    package func isOn(_ id: Int) -> Bool? { engine?.isOn(id) }
    package func suspension(of id: Int) -> RuleSuspension? { engine?.suspension(of: id) }
    package func times(of id: Int) -> RuleTimes? { engine?.times(of: id) }

    package func explanation(of id: Int, in core: ControllerState) -> [RuleExplanation] {
        let found = engine?.explanation(of: id, in: RulesView(core, sight)) ?? []
        return found.map { line in
            var line = line
            line.why += words(ofStop: line, ofRule: id)
            return line
        }
    }

    /// Looks at a rule, which need not be one of those here.
    ///
    /// - Parameter id: Its number; `nil` for one that is not stored.
    package func test(
        _ rule: Rule,
        _ id: Int?,
        in core: ControllerState,
        at now: Instant
    ) -> RuleTest {
        var sight = sight
        // Without rules nobody has looked.
        if isIdle { sight.catchUp(with: core) }
        let (instant, view) = (RuleInstant(now), RulesView(core, sight))
        let waits = id.flatMap { engine?.waits(of: $0, at: instant) }
        let calendar = engine?.calendar ?? RuleCalendar()
        return RuleTest(of: rule, in: view, at: instant.wall, calendar, waits: waits)
    }

    /// The beacons that rules name.
    package var beacons: Set<BeaconName> {
        var names: Set<BeaconName> = []
        for rule in rules.values {
            for trigger in rule.entry.rule.triggers {
                switch trigger {
                case .enter(.beacon(let beacon), _), .exit(.beacon(let beacon), _): names.insert(beacon.name)
                default: break
                }
            }
        }
        return names
    }

    static func timestamp(_ milliseconds: Int64) -> String {
        CivilTime(milliseconds: milliseconds).description
    }
}
