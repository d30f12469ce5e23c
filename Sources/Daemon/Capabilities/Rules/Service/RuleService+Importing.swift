import Accounts
import JSON
import People
import Rules
import Things

/// Rules of files: all of them are added, or none.
///
/// - Source: contrib/contract/rules.md, "Files".
extension RuleService {
    /// The most parts of refused rules that are looked at alone in one import.
    private static let mostLooks = 2000
    /// The most warnings of one import; after them no further rules are checked for warnings.
    private static let mostWarnings = 1000

    /// What stands against the parts of a rule, each on its own.
    private func refusals(
        of parts: [(path: String, rule: Rule)],
        of wish: Wish,
        as name: String?,
        _ requester: Requester
    ) async -> [Refusal] {
        var all: [Refusal] = []
        for (path, rule) in parts {
            do throws(Refusal) {
                let part = Wish(rule, wish.form, original: wish.original)
                _ = try await prepare(part, as: name, requester)
            } catch {
                all.append(error.ofPart(path))
            }
        }
        return all
    }

    /// What came of rules of files.
    struct Import: Sendable {
        /// Each rule, in the order of the list; none for a check, and none if there are problems.
        var rules: [RuleHeader] = []
        /// Those that the maker has already, with the same title and content, by their places in the list.
        var unchanged: [Int: RuleHeader] = [:]
        /// What is wrong, with the indices of the rules in the list.
        var problems: [(index: Int, refusal: Refusal)] = []
        /// What is legal and probably a mistake in new rules, with their indices in the list.
        var warnings: [(index: Int, warning: RuleWarning)] = []
    }

    /// Adds several rules, or none of them; those that are there already stay as they are.
    ///
    /// - Parameter checks: Whether they are only checked.
    func `import`(
        _ wishes: [Wish],
        as name: String?,
        checks: Bool,
        by requester: Requester
    ) async throws(Refusal) -> Import {
        var prepared: [Prepared] = []
        var problems: [(index: Int, refusal: Refusal)] = []
        var looks = Self.mostLooks
        for (index, wish) in wishes.enumerated() {
            do throws(Refusal) {
                prepared.append(try await prepare(wish, as: name, requester))
            } catch {
                problems.append((index, error))
                let parts = Array(wish.rule.parts.prefix(looks))
                looks -= parts.count
                for refusal in await refusals(of: parts, of: wish, as: name, requester)
                where !problems.contains(where: { $0.index == index && $0.refusal == refusal }) {
                    problems.append((index, refusal))
                }
            }
        }
        guard problems.isEmpty else { return Import(problems: problems) }
        let unchanged = unchanged(prepared)
        let sameTitles = sameTitles(prepared, but: unchanged)
        guard !checks else {
            let warnings = await warnings(of: prepared, sameTitles, but: unchanged)
            return Import(unchanged: unchanged, warnings: warnings)
        }
        let new = prepared.indices.filter { unchanged[$0] == nil }.map { prepared[$0] }
        var made: [RuleHeader] = []
        if !new.isEmpty {
            made = try await logged(.import, by: requester, about: nil) { () async throws(Refusal) in
                try store(new).map(\.stored)
            }
        }
        var next = made.makeIterator()
        let all = prepared.indices.compactMap { unchanged[$0] ?? next.next() }
        // After they are stored: while this waits, others may change rules.
        let warnings = await warnings(of: prepared, sameTitles, but: unchanged)
        return Import(rules: all, unchanged: unchanged, warnings: warnings)
    }

    private func warnings(
        of rules: [Prepared],
        _ sameTitles: [Int: RuleWarning],
        but unchanged: [Int: RuleHeader]
    ) async -> [(index: Int, warning: RuleWarning)] {
        var warnings: [(index: Int, warning: RuleWarning)] = []
        for (index, rule) in rules.enumerated() where unchanged[index] == nil {
            guard warnings.count < Self.mostWarnings else { break }
            let found = await self.warnings(of: rule.rule, for: .user(rule.maker))
            warnings += ([sameTitles[index]].compactMap(\.self) + found).map { (index, $0) }
        }
        return warnings
    }

    /// Warnings of new rules whose makers have one of the same title, by their indices in the list.
    ///
    /// An import replaces nothing, so both would fire. A title that was made from a trigger is no name.
    private func sameTitles(_ wanted: [Prepared], but unchanged: [Int: RuleHeader]) -> [Int: RuleWarning] {
        var known: [AccountID: [String: String]] = [:]
        // Of several alike, the oldest one.
        for rule in all.reversed() {
            let words = "the rule \(rule.stored.slug)"
            known[rule.stored.maker, default: [:]][rule.rule.title] = words
        }
        var warnings: [Int: RuleWarning] = [:]
        for (index, prepared) in wanted.enumerated()
        where unchanged[index] == nil && prepared.wish.rule.title != prepared.wish.rule.titleOfParts {
            let title = prepared.rule.title
            if let other = known[prepared.maker]?[title] {
                let text =
                    "\(other) has the same title and other content: this rule is added, and does not replace it"
                warnings[index] = RuleWarning("title", text, .invalidValue)
            } else {
                known[prepared.maker, default: [:]][title] = "an earlier rule of this import"
            }
        }
        return warnings
    }

    /// A warning if the maker of a rule that was added has one with the same title and content already.
    func warningOfSame(as added: Known) -> RuleWarning? {
        let (stored, content) = (added.stored, added.rule.content)
        // Of several alike, the oldest one.
        let other = all.first {
            $0.stored.id != stored.id && $0.stored.maker == stored.maker && $0.rule.title == added.rule.title
                && $0.rule.content == content
        }
        guard let other else { return nil }
        let text =
            "the rule \(other.stored.slug) has the same title and content; remove one of them unless you want both"
        return RuleWarning("title", text, .invalidValue)
    }

    /// The stored rules of the same makers with the same titles and content, by the places in the list.
    private func unchanged(_ wanted: [Prepared]) -> [Int: RuleHeader] {
        let makers = Set(wanted.map(\.maker))
        var stored: [AccountID: [JSONObject: RuleHeader]] = [:]
        // Of several alike, the oldest one.
        for known in all.reversed() where makers.contains(known.stored.maker) {
            stored[known.stored.maker, default: [:]][known.rule.content] = known.stored
        }
        var found: [Int: RuleHeader] = [:]
        for (index, prepared) in wanted.enumerated() {
            found[index] = stored[prepared.maker]?[prepared.rule.content]
        }
        return found
    }
}

extension Refusal {
    /// The refusal of a rule that has one part alone, with the path that this part has in the whole rule.
    fileprivate func ofPart(_ path: String) -> Refusal {
        let alone = path.prefix { $0 != "[" } + "[0]"
        guard let field, field.hasPrefix(alone) else { return self }
        let whole = path + field.dropFirst(alone.count)
        let words = message.hasPrefix(alone) ? path + message.dropFirst(alone.count) : message
        return Refusal(code, words, field: whole)
    }
}

extension Rule {
    /// What is the same in a rule with the same title and content, be it on or off.
    fileprivate var content: JSONObject {
        var json = json
        json["enabled"] = nil
        return json
    }
}
