import Accounts
import Administration
import Flare
import JSON
import People
import Rules
import Text
import Things

/// Rules as JSON: lists, single rules, what happened, and tests.
///
/// - Source: contrib/contract/rules.md, "Faces".
extension RuleService {
    /// Occurrences that a single rule shows.
    private static let times = 5
    /// Firings that are shown without a limit.
    static let firings = 20
    /// The most that can be asked for.
    static let mostFirings = 1000
    /// Bytes of the rules that a list shows with all that they say.
    private static let detailedBytes = 1 << 20
    /// Rules that the node's loop is asked about at once; it does nothing else meanwhile.
    private static let group = 100

    /// What people call what rules name.
    private struct Names: Sendable {
        let slugs: [ObjectReference: String]
        /// By the makers of rules.
        let recipients: [AccountID: [NotificationRecipient: NotificationRecipient]]

        func named(_ known: Known) -> Rule {
            let own = recipients[known.stored.maker] ?? [:]
            return known.rule.named { kind, id in slugs[ObjectReference(kind, id)] }
                .replacingRecipients { own[$0] ?? $0 }
        }
    }

    /// - Throws: If something is removed whose name is in the database, and that cannot be read.
    private func names(of rules: [Known]) async throws(Refusal) -> Names {
        let references = rules.reduce(into: Set<ObjectReference>()) { $0.formUnion($1.rule.references) }
        let directory = RecipientDirectory(accounts: accounts)
        var recipients: [AccountID: [NotificationRecipient: NotificationRecipient]] = [:]
        for known in rules {
            let maker = known.stored.maker
            for recipient in known.rule.uses.recipients where recipients[maker]?[recipient] == nil {
                recipients[maker, default: [:]][recipient] = directory.named(recipient, of: maker)
            }
        }
        // What is removed keeps the name by which the rule came in, unless somebody else has that now.
        for known in rules where !known.missing.isEmpty {
            let maker = known.stored.maker
            let names = try storedRule(known)?.recipientNames(in: known.rule) ?? [:]
            for (id, name) in names where directory.isGone(id) {
                let found = (try? directory.resolved(name, of: maker, as: .user(maker))) ?? name
                if found == name { recipients[maker, default: [:]][id] = name }
            }
        }
        var slugs = await ports.place.slugs(Array(references))
        // What is removed keeps the name by which the rule came in.
        if slugs.count < references.count {
            for known in rules where !known.rule.references.allSatisfy({ slugs[$0] != nil }) {
                let names = try storedRule(known)?.names(in: known.rule) ?? []
                slugs.merge(known.rule.objects(called: names)) { slug, _ in slug }
            }
        }
        return Names(slugs: slugs, recipients: recipients)
    }

    // MARK: Lists

    /// The rules that who asks may see, by number.
    ///
    /// - Parameters:
    ///   - thing: Only those that look at a thing or drive it: a slug, an identifier, or a binding.
    ///   - isDetailed: Whether the rules are as ``show(_:for:)`` has them, but with one time, up to 1 MiB.
    func list(
        ofThing thing: String?,
        isDetailed: Bool = false,
        for requester: Requester
    ) async throws(Refusal) -> [JSONObject] {
        var shown = all.filter { sees($0, requester) }
        if let thing {
            let caller: Caller = if case .user(let caller) = requester.identity { caller } else { .nobody }
            let probe = Rule("", when: [.near(.thing(thing))], then: [])
            let found: Rule
            do throws(Refusal) {
                found = try await resolved(probe, for: caller).0
            } catch {
                // There is no rule of which it would be a part.
                let message = error.message.replacing("when[0].thing: ", with: "", maxReplacements: 1)
                throw Refusal(error.code, message, field: "thing")
            }
            // What drives a zone drives each light in it.
            let place = await ports.surroundings(.init(things: Set(found.references.map(\.id))))
            let zones = Set(place.things.values.filter(\.isLight).compactMap(\.thing.zone))
            shown = shown.filter { known in
                !known.rule.references.isDisjoint(with: found.references)
                    || !known.rule.drivenZones.isDisjoint(with: zones)
            }
        }
        let names = try await names(of: shown)
        let standings = await standings(of: shown.map(\.stored.id))
        let last = try withRuleRefusals { () throws(AccountsError) in
            try accounts.store.lastFirings(ofRules: shown.map(\.stored.id))
        }
        var room = isDetailed ? Self.detailedBytes : 0
        return shown.map { known in
            let (standing, firing) = (standings[known.stored.id], last[known.stored.id])
            room -= known.stored.bytes
            return room < 0
                ? row(known, names, standing, firing) : details(known, names, standing, firing)
        }
    }

    /// Rules as the engine has them: one whose only moment is over is off, which nobody has told the service.
    private func current(_ rules: [Known]) async -> [Known] {
        let standings = await standings(of: rules.map(\.stored.id))
        return rules.map { known in
            var known = known
            known.rule.isEnabled = standings[known.stored.id]?.isOn ?? known.rule.isEnabled
            return known
        }
    }

    private func standings(of ids: [Int]) async -> [Int: RuleEnginePort.Standing] {
        var all: [Int: RuleEnginePort.Standing] = [:]
        for start in stride(from: 0, to: ids.count, by: Self.group) {
            let some = Array(ids[start..<min(start + Self.group, ids.count)])
            let found = await ports.engine.standings(some)
            all.merge(found) { _, new in new }
        }
        return all
    }

    private func row(
        _ known: Known,
        _ names: Names,
        _ standing: RuleEnginePort.Standing?,
        _ last: StoredFiring?
    ) -> JSONObject {
        let stored = known.stored
        var row: JSONObject = [
            "id": JSONValue(stored.id), "slug": .string(stored.slug), "title": .string(known.rule.title),
            "form": .string(stored.form),
            "maker": .string(accounts.table.user(stored.maker)?.name ?? "\(stored.maker)"),
            "sentence": .string(names.named(known).sentence),
        ]
        for (key, value) in state(of: known, standing) { row[key] = value }
        row["next"] = (standing?.times?.next).map(Self.time)
        row["until"] = (standing?.times?.until).map(Self.time)
        row["last"] = last.map { .object(Self.json($0)) }
        return row
    }

    /// Whether a rule is on, and whether it runs, or why not.
    private func state(of known: Known, _ standing: RuleEnginePort.Standing?) -> JSONObject {
        let isOn = standing?.isOn ?? known.stored.isEnabled
        let suspension = standing.map(\.suspension) ?? known.suspension
        let state = !isOn ? "off" : suspension == nil ? "ready" : "suspended"
        var json: JSONObject = ["enabled": .bool(isOn), "state": .string(state)]
        json["suspended"] = suspension.map { .string($0.rawValue) }
        if let missing = standing?.missing, suspension == .gone, !missing.isEmpty {
            json["missing"] = .array(missing.map { .string($0) })
        }
        return json
    }

    private static func json(_ firing: StoredFiring) -> JSONObject {
        [
            "ts": time(firing.at), "why": .string(firing.why),
            "outcome": .string(firing.outcome?.rawValue ?? "running"),
        ]
    }

    private static func time(_ milliseconds: Int64) -> JSONValue {
        .string(CivilTime(milliseconds: milliseconds).shortText)
    }

    // MARK: One rule

    /// The members of ``show(_:for:)`` that are not of the rule itself, and mean nothing when they come back.
    static let answerMembers = [
        "id", "slug", "state", "form", "maker", "sentence", "suspended", "missing", "next", "until", "last",
        "added", "changed", "untitled",
    ]

    /// A rule in our own form with names, and how it is.
    func show(_ name: String, for requester: Requester) async throws(Refusal) -> JSONObject {
        let known = try visible(name, requester)
        let names = try await names(of: [known])
        let id = known.stored.id
        let standing = await ports.engine.standings([id])[id]
        let last = try withRuleRefusals { () throws(AccountsError) in
            try accounts.store.lastFirings(ofRules: [id])
        }
        var json = details(known, names, standing, last[id])
        json["next"] = .array((standing?.times?.upcoming(Self.times) ?? []).map(Self.time))
        return json
    }

    private func details(
        _ known: Known,
        _ names: Names,
        _ standing: RuleEnginePort.Standing?,
        _ last: StoredFiring?
    ) -> JSONObject {
        let named = names.named(known)
        var json = named.json
        if named.title == named.titleOfParts { json["untitled"] = true }
        for (key, value) in row(known, names, standing, last) { json[key] = value }
        json["next"] = .array([standing?.times?.next].compactMap(\.self).map(Self.time))
        json["added"] = Self.time(known.stored.added)
        json["changed"] = Self.time(known.stored.changed)
        return json
    }

    /// A rule as it came in, without secrets.
    func original(of name: String, for requester: Requester) throws(Refusal) -> JSONValue {
        let known = try visible(name, requester)
        return try original(of: known) ?? .object(known.rule.json)
    }

    /// Rules in our own form with names, so that they can be imported elsewhere.
    ///
    /// - Parameter wanted: Slugs or numbers; all that who asks may see, if there are none.
    func export(_ wanted: [String], for requester: Requester) async throws(Refusal) -> [JSONValue] {
        var shown: [Known] = []
        if wanted.isEmpty {
            shown = all.filter { sees($0, requester) }
        } else {
            for name in wanted { shown.append(try visible(name, requester)) }
        }
        let names = try await names(of: shown)
        return await current(shown).map { .object(names.named($0).json) }
    }

    // MARK: What happened

    /// When a rule fired, and when it did not although a trigger was met; newest last.
    func explanation(of name: String, limit: Int?, for requester: Requester) async throws(Refusal)
        -> [JSONValue]
    {
        let id = try visible(name, requester).stored.id
        let most = min(max(1, limit ?? Self.firings), Self.mostFirings)
        let fired = try firings(of: id, most).map { firing -> (at: Int64, json: JSONObject) in
            let result = firing.outcome?.rawValue ?? "running"
            return (firing.at, Self.line(firing.at, result, firing.why, 1, firing.results))
        }
        let refused = await ports.engine.explanation(id).map { entry -> (at: Int64, json: JSONObject) in
            (entry.at, Self.line(entry.at, entry.refusal.rawValue, entry.why, entry.count, nil))
        }
        // Firings that are refused as too many are stored, too.
        let limits = Set(fired.map(\.at))
        let others = refused.filter { line in
            !(limits.contains(line.at) && ["limited", "loop"].contains(line.json["result"]?.string))
        }
        // Of one moment, the firing comes last.
        return (others + fired).sorted { $0.at < $1.at }.map { .object($0.json) }
    }

    private static func line(
        _ at: Int64,
        _ result: String,
        _ why: String,
        _ count: Int,
        _ results: String?
    ) -> JSONObject {
        var line: JSONObject = ["ts": time(at), "result": .string(result), "why": .string(why)]
        if count > 1 { line["count"] = JSONValue(count) }
        if let results, let json = try? JSONValue(parsing: results) { line["results"] = json }
        return line
    }

    func firings(of id: Int, _ limit: Int) throws(Refusal) -> [StoredFiring] {
        try withRuleRefusals { () throws(AccountsError) in
            try accounts.store.firings(ofRule: id, limit: limit)
        }
    }

    // MARK: Tests

    /// Whether a rule would fire now; nothing is done.
    ///
    /// What it looks at is told, so who asks needs the rights to that.
    func test(_ name: String, for requester: Requester) async throws(Refusal) -> JSONObject {
        let known = try visible(name, requester)
        try await requireReading(known.rule, requester)
        let id = known.stored.id
        let state = state(of: known, await ports.engine.standings([id])[id])
        var rule = known.rule
        rule.isEnabled = state["state"] == "ready"
        var json = Self.json(await ports.engine.test(rule, id))
        for (key, value) in state { json[key] = value }
        return json
    }

    /// Whether a rule that nobody has stored would fire now.
    ///
    /// What it looks at is told, so it needs the rights of a rule that is made.
    func test(_ wish: Wish, as name: String?, for requester: Requester) async throws(Refusal) -> JSONObject {
        Self.json(await ports.engine.test(try await prepare(wish, as: name, requester).rule, nil))
    }

    private static func json(_ test: RuleTest) -> JSONObject {
        let lines = test.lines.map { line -> JSONValue in
            var json: JSONObject = [
                "path": .string(line.path), "truth": .string(line.truth.rawValue), "what": .string(line.what),
                "saw": .string(line.saw),
            ]
            json["waits"] = line.waits.map { JSONValue(Int($0)) }
            return .object(json)
        }
        return ["wouldFire": .bool(test.wouldFire), "lines": .array(lines)]
    }
}
