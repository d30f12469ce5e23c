import Controller
import Flare

/// The entities of rules: each rule has a message of its own.
extension DiscoveryPublisher {
    /// Queues all rules, and removes those that are gone.
    mutating func queueRules(of state: ControllerState, isBirth: Bool) {
        guard configuration.settings.rules else {
            ready += announcedRules.map { remove(.rule($0)) }
            return
        }
        guard let rules = Self.rules(of: state) else { return }
        areRulesKnown = true
        let owner = OwnDevice.label(named: state.device?.name, configuration)
        rulesOwner = owner
        let all = rules.ruleSlugs.sorted().compactMap { RuleDiscovery($0, in: rules, of: owner) }
        waitingRules = DiscoveryQueue(all, areBorn: isBirth)
        ready += announcedRules.filter { waitingRules[$0] == nil }.map { remove(.rule($0)) }
    }

    /// Queues the rules that have changed; all of them if the daemon's own device has another name.
    ///
    /// - Returns: The removals of those that are gone.
    mutating func updateRules(_ changes: Set<StateChange>, of state: ControllerState) -> [Announcement] {
        guard configuration.settings.rules else { return [] }
        let owner = OwnDevice.label(named: state.device?.name, configuration)
        let isRenamed = owner != rulesOwner
        guard isRenamed || changes.contains(where: \.isOfSlice), let rules = Self.rules(of: state) else {
            return []
        }
        let name = type(of: rules).announcedChanges
        var slugs = changes.compactMap { $0.part(of: name) }
        if isRenamed {
            rulesOwner = owner
            slugs += rules.ruleSlugs
        }
        if !areRulesKnown {
            areRulesKnown = true
            slugs += announcedRules
        }
        var removals: [Announcement] = []
        for slug in Set(slugs).sorted() {
            let rule = RuleDiscovery(slug, in: rules, of: owner)
            let isHeld = held[.rule(slug)] != nil
            if let rule, held[.rule(slug)]?.rule != rule {
                waitingRules.put(rule)
            } else {
                _ = waitingRules.remove(slug)
                if rule == nil, isHeld { removals.append(remove(.rule(slug))) }
            }
        }
        return removals
    }

    mutating func render(_ rule: RuleDiscovery, isBirth: Bool, at now: Int64) -> Announcement? {
        let name = DeviceName.rule(rule.slug)
        let device = rule.announcement(configuration, former: former.names(on: name))
        return record(
            device,
            name,
            content: .rule(rule),
            meaning: device.meaning,
            isBirth: isBirth,
            at: now
        )
    }

    private var announcedRules: [String] {
        held.keys.compactMap { name -> String? in
            if case .rule(let slug) = name { slug } else { nil }
        }.sorted()
    }

    /// `nil` while they are not known.
    private static func rules(of state: ControllerState) -> (any AnnouncedRules)? {
        guard let rules = state.slices.first((any AnnouncedRules).self), rules.isLoaded else { return nil }
        return rules
    }
}

extension RuleDiscovery {
    /// `nil` if there is no such rule.
    fileprivate init?(_ slug: String, in rules: any AnnouncedRules, of owner: String) {
        guard let title = rules.title(ofRule: slug) else { return nil }
        self.init(slug: slug, title: title, owner: owner)
    }
}

extension StateChange {
    fileprivate var isOfSlice: Bool { if case .slice = self { true } else { false } }
}
