import Controller
import Flare
import JSON
import People
import Rules
import Things

/// Actions that set what those of later firings set as well.
///
/// What is refused supersedes nothing: so the earlier action waits for what comes of the later one.
/// - Source: contrib/contract/rules.md, "Firing", 10.
extension RulesSlice {
    private struct Setting {
        let target: RuleTarget
        var fields: Set<String>
    }

    private static let spelledTwice: Set = ["on", "level"]

    /// What is the same under two names, where it is no value of its own: `on` is `state`, and `level` is `brightness`.
    private func spellings(of target: RuleTarget, in core: ControllerState) -> [String: String] {
        let things: [FlareThing]
        switch target {
        case .thing(let thing): things = [thing.id.flatMap { core.things[$0] }].compactMap(\.self)
        case .zone(let zone): things = core.things.values.filter { $0.zone == zone.id }
        case .nearby: things = []
        }
        let shapes = things.map { core.shape(of: $0) }.filter { $0.attributes["state"] == .state }
        guard !shapes.isEmpty else { return [:] }
        var names: [String: String] = [:]
        if shapes.allSatisfy({ ($0.attributes["on"] ?? .state) == .state }) { names["on"] = "state" }
        if shapes.allSatisfy({ ($0.attributes["level"] ?? .level) == .level }) {
            names["level"] = "brightness"
        }
        return names
    }

    /// What the next action of a firing sets; `nil` if that is none.
    private func setting(of number: Int64) -> Setting? {
        guard let open = firings[number], case .drive(.set(let values), let target)? = open.next?.work else {
            return nil
        }
        var fields = Set(values.keys)
        // How it is set is no field.
        fields.subtract(["transition", "partial"])
        guard !fields.isEmpty else { return nil }
        guard case .nearby = target else { return Setting(target: target, fields: fields) }
        return open.nearby.map { Setting(target: .thing(RuleReference(.thing, $0)), fields: fields) }
    }

    /// The firings whose next action sets only what that of a later one sets as well, each with that one.
    ///
    /// Thousands may begin at one moment, so each is compared with those of its target alone.
    func superseding(among numbers: [Int64], in core: ControllerState) -> [Int64: Int64] {
        guard numbers.count > 1 else { return [:] }
        var known: [RuleTarget: [String: String]] = [:]
        var found: [Int64: Int64] = [:]
        var later: [RuleTarget: [(number: Int64, fields: Set<String>)]] = [:]
        for number in numbers.reversed() {
            guard var setting = setting(of: number) else { continue }
            if !setting.fields.isDisjoint(with: Self.spelledTwice) {
                let names = known[setting.target] ?? spellings(of: setting.target, in: core)
                known[setting.target] = names
                setting.fields = Set(setting.fields.map { names[$0] ?? $0 })
            }
            if let other = later[setting.target]?.first(where: { setting.fields.isSubset(of: $0.fields) }) {
                found[number] = other.number
            } else {
                later[setting.target, default: []].append((number: number, fields: setting.fields))
            }
        }
        return found
    }

    /// Ends the waiting for a firing's action, also of those who wait for one that waits.
    ///
    /// - Returns: The firings that have waited.
    mutating func release(by number: Int64) -> [Int64] {
        var all = held.removeValue(forKey: number) ?? []
        var next = 0
        while next < all.count {
            all += held.removeValue(forKey: all[next]) ?? []
            next += 1
        }
        return all
    }
}

extension OpenFiring {
    /// The next action has ended, since a later rule sets the same.
    ///
    /// Its results name that rule only if the maker of this one may see it.
    mutating func supersede(by later: LoadedRule, in core: ControllerState, at now: Instant) {
        let caller = Caller.user(rule.maker)
        let isSeen =
            later.maker == rule.maker
            || core.people.verdict(of: caller, .own, on: .everything, at: now.wallMilliseconds).isGranted
        let name = isSeen ? "the rule \(later.slug), which" : "a rule that"
        end(Refusal(.superseded, "\(name) fired after this one\(isSeen ? "," : "") sets the same"))
    }
}
