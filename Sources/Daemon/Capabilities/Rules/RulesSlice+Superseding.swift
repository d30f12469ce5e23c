import Flare
import JSON
import Rules
import Things

/// Actions that set what those of later firings set as well.
///
/// What is refused supersedes nothing: so the earlier action waits for what comes of the later one.
/// - Source: contrib/contract/rules.md, "Firing", 10.
extension RulesSlice {
    static let superseded = Refusal(.superseded, "a rule that fired after this one sets the same")

    private struct Setting {
        let target: RuleTarget
        let fields: Set<String>
    }

    /// What the next action of a firing sets; `nil` if that is none.
    private func setting(of number: Int64) -> Setting? {
        guard let open = firings[number], case .drive(.set(let values), let target)? = open.next?.work else {
            return nil
        }
        let fields = Set(values.keys)
        guard case .nearby = target else { return Setting(target: target, fields: fields) }
        return open.nearby.map { Setting(target: .thing(RuleReference(.thing, $0)), fields: fields) }
    }

    /// The firings whose next action sets only what that of a later one sets as well, each with that one.
    ///
    /// Thousands may begin at one moment, so each is compared with those of its target alone.
    func superseding(among numbers: [Int64]) -> [Int64: Int64] {
        guard numbers.count > 1 else { return [:] }
        var found: [Int64: Int64] = [:]
        var later: [RuleTarget: [(number: Int64, fields: Set<String>)]] = [:]
        for number in numbers.reversed() {
            guard let setting = setting(of: number) else { continue }
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
