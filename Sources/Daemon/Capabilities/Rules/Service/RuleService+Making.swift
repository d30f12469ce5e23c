import Accounts
import Administration
import Flare
import JSON
import People
import Rules
import Text
import Things

/// Rules that are made, edited, switched, removed and run.
///
/// - Source: contrib/contract/rules.md, "Faces".
extension RuleService {
    /// A rule that somebody wants, before its names are looked up.
    struct Wish: Sendable {
        var rule: Rule
        var form: RuleForm
        /// What came in, without secrets.
        var original: JSONValue
        var warnings: [RuleWarning] = []

        init(_ rule: Rule, _ form: RuleForm, original: JSONValue) {
            (self.rule, self.form, self.original) = (rule, form, original)
        }

        init(_ read: ReadRule) {
            self.init(read.rule, read.form, original: read.original)
            warnings = read.warnings
        }
    }

    /// A wish that may be stored.
    struct Prepared: Sendable {
        let wish: Wish
        /// With identifiers.
        let rule: Rule
        let maker: AccountID
        /// What its calendar follows from.
        let place: RuleSurroundings

        fileprivate var new: NewRule {
            var new = NewRule(
                slug: RuleSlug.slug(from: rule.title) { _ in false },
                title: rule.title,
                maker: maker,
                form: wish.form.rawValue,
                body: JSONValue.object(rule.json).text,
                original: wish.original.text
            )
            new.isEnabled = rule.isEnabled
            return new
        }
    }

    // MARK: Checks

    /// Looks up the names of a rule, and checks everything that can be known of it.
    ///
    /// - Parameter name: The user for whom it is made; who asks, if there is none.
    func prepare(_ wish: Wish, as name: String?, _ requester: Requester) async throws(Refusal) -> Prepared {
        try requireEngine()
        try requireWriting(requester)
        let maker = try maker(as: name, requester)
        try wish.rule.checkFuture(at: now)
        let (rule, sight) = try await resolved(wish.rule, for: maker.caller)
        try rule.checkingParts { (part) throws(Refusal) in
            try calendars.check(part, in: sight.place)
            try checkRecipients(of: part, maker.id, maker.caller)
            if let found = objection(to: part, of: maker.id, for: maker.caller, in: sight) {
                throw found.refusal
            }
            try checkValues(of: part, for: maker.caller, in: sight.place)
        }
        let directory = RecipientDirectory(accounts: accounts)
        var stored = try rule.replacingRecipients { (recipient) throws(Refusal) in
            try directory.resolved(recipient, of: maker.id, as: maker.caller)
        }
        if wish.rule.title == wish.rule.titleOfParts {
            // Programs name things by identifiers, which are no title for people.
            let slugs = await ports.place.slugs(Array(rule.references))
            stored.title = rule.named { kind, id in slugs[ObjectReference(kind, id)] }.titleOfParts
        }
        return Prepared(wish: wish, rule: stored, maker: maker.id, place: sight.place)
    }

    /// A rule with identifiers in place of names, each of which the caller may see.
    ///
    /// - Throws: `unknown_thing` for a name that nothing has, or nothing that the caller may see.
    func resolved(_ rule: Rule, for caller: Caller) async throws(Refusal) -> (Rule, Sight) {
        var wanted: [RuleReference] = []
        // The first pass finds the names, as looking them up waits for the place.
        _ = try rule.resolved { kind, text throws(Refusal) in
            wanted.append(RuleReference(kind, text))
            return FlareID(high: 0, low: 0)
        }
        var found: [RuleReference: Result<FlareID, Refusal>] = [:]
        for reference in wanted where found[reference] == nil {
            do throws(Refusal) {
                found[reference] = .success(try await object(reference, for: caller))
            } catch {
                found[reference] = .failure(error)
            }
        }
        let resolved = try rule.resolved { kind, text throws(Refusal) in
            guard let result = found[RuleReference(kind, text)] else { throw Self.noObject(kind, text) }
            return try result.get()
        }
        var sight = await sight(of: [resolved])
        for (reference, result) in found {
            guard case .success(let id) = result else { continue }
            sight.names[ObjectReference(reference.kind, id)] = reference.text
        }
        return (try withDevices(resolved, in: sight.place, for: caller), sight)
    }

    /// A rule whose devices are listed, and may be found by the caller.
    private func withDevices(
        _ rule: Rule,
        in place: RuleSurroundings,
        for caller: Caller
    ) throws(Refusal) -> Rule {
        try rule.replacingDevices { (device, path) throws(Refusal) in
            guard let node = device.node else { return device }
            // There is one way to say it.
            if node == place.node { return .own }
            let seen = place.nodes.filter {
                accounts.table.verdict(of: caller, .read, on: .device($0), at: now).isGranted
            }
            guard !seen.contains(node) else { return device }
            let names = seen.prefix(Self.mostNodes).joined(separator: ", ")
            let more = seen.count > Self.mostNodes ? " and \(seen.count - Self.mostNodes) more" : ""
            let legal = seen.isEmpty ? "; you may read where no further device is" : ": \(names)\(more)"
            throw Refusal(
                .invalidValue,
                "\(path) must be the node of a device\(legal); is \(QuotedValue.of(node))"
                    + NearestName.hint(for: node, among: seen),
                field: path
            )
        }
    }

    /// More nodes are not named.
    private static let mostNodes = 20

    /// The object of a name: a slug, an identifier, a binding, or a name that only one has.
    private func object(_ reference: RuleReference, for caller: Caller) async throws(Refusal) -> FlareID {
        let (kind, text) = (reference.kind, reference.text)
        var candidates = await ports.place.find(kind, text)
        if kind == .thing, let bound = ports.bound(text) { candidates.insert([bound], at: 0) }
        for ids in candidates {
            var seen: [FlareID] = []
            for id in ids where !seen.contains(id) {
                guard let object = await ports.place.locate(ObjectReference(kind, id)) else { continue }
                let verdict = accounts.table.verdict(of: caller, .read, on: object, at: now)
                if verdict.isGranted { seen.append(id) }
            }
            guard seen.count < 2 else {
                let slugs = await ports.place.slugs(seen.map { ObjectReference(kind, $0) })
                let names = seen.map { slugs[ObjectReference(kind, $0)] ?? "\($0)" }.sorted()
                throw Refusal(
                    .invalidValue,
                    "several are called \(QuotedValue.of(text)): \(names.joined(separator: ", "))"
                )
            }
            if let id = seen.first { return id }
        }
        throw Self.noObject(kind, text, await hint(kind, text, for: caller))
    }

    /// A hint for a name that nothing has: a zone of that name, or a similar name that the caller may see.
    private func hint(_ kind: FlareClass, _ text: String, for caller: Caller) async -> String {
        if kind == .thing {
            let zones = await ports.place.find(.zone, text).first ?? []
            for id in zones {
                guard await sees(ObjectReference(.zone, id), caller) else { continue }
                return "; there is a zone of that name: zone:\(text)"
            }
        }
        var seen: [ObjectReference] = []
        for reference in await ports.place.all(kind).prefix(2000) {
            if await sees(reference, caller) { seen.append(reference) }
        }
        return NearestName.hint(for: text, among: await ports.place.slugs(seen).values.sorted())
    }

    private func sees(_ reference: ObjectReference, _ caller: Caller) async -> Bool {
        guard let object = await ports.place.locate(reference) else { return false }
        return accounts.table.verdict(of: caller, .read, on: object, at: now).isGranted
    }

    private static func noObject(_ kind: FlareClass, _ text: String, _ hint: String = "") -> Refusal {
        Refusal(.unknownThing, "there is no \(kind.rawValue) \(QuotedValue.of(text))\(hint)")
    }

    // MARK: Adding

    func add(_ wish: Wish, as name: String?, by requester: Requester) async throws(Refusal) -> Known {
        do throws(Refusal) {
            let prepared = try await prepare(wish, as: name, requester)
            guard let made = try store([prepared]).first else {
                throw Refusal(.internalError, "the rule was not stored")
            }
            log(.add, by: requester, about: made.stored.slug)
            return made
        } catch {
            log(.add, by: requester, about: nil, error)
            throw error
        }
    }

    /// Stores rules, all or none, and gives them to the engine.
    func store(_ rules: [Prepared]) throws(Refusal) -> [Known] {
        let now = now
        let stored = try withRuleRefusals { () throws(AccountsError) in
            try accounts.store.atomically { store in
                try rules.map { try store.addRule($0.new, at: now) }
            }
        }
        return zip(stored, rules).map { hand($0, $1) }
    }

    /// Gives the engine a rule that is stored.
    private func hand(_ stored: StoredRule, _ prepared: Prepared) -> Known {
        let known = Known(stored: RuleHeader(stored), rule: prepared.rule)
        put(known)
        let calendar = calendar(with: prepared.rule, in: prepared.place)
        ports.engine.send(.added(known.loaded(stored.names(in: prepared.rule)), calendar))
        return known
    }

    // MARK: Changes

    /// Replaces a rule; who edits it becomes its maker.
    ///
    /// - Parameter name: Its maker, for whom it is edited. Nobody else gets it, since its history tells what its maker
    ///   may read.
    func edit(
        _ rule: String,
        to wish: Wish,
        as name: String?,
        by requester: Requester
    ) async throws(Refusal) -> Known {
        let slug = (try? visible(rule, requester))?.stored.slug
        return try await logged(.edit, by: requester, about: slug) { () async throws(Refusal) in
            let id = try changeable(rule, requester).stored.id
            let prepared = try await prepare(wish, as: name, requester)
            // It may have been removed while the place was asked.
            guard let old = rules[id]?.stored else { throw Self.noRule(rule) }
            guard name == nil || [old.maker, requester.user].contains(prepared.maker) else {
                throw Refusal(
                    .notAllowed,
                    "nobody gets the history of a rule of others: remove it, and make a new one",
                    field: "as"
                )
            }
            var stored = StoredRule(id, prepared.new, slug: old.slug, added: old.added)
            stored.changed = now
            let changed = stored
            try withRuleRefusals { () throws(AccountsError) in try accounts.store.changeRule(changed) }
            return hand(changed, prepared)
        }
    }

    /// Switches a rule on or off; one that is so already stays so.
    func turn(_ rule: String, isOn: Bool, by requester: Requester) async throws(Refusal) {
        let slug = (try? visible(rule, requester))?.stored.slug
        try await logged(isOn ? .turnOn : .turnOff, by: requester, about: slug) { () async throws(Refusal) in
            let id = try changeable(rule, requester).stored.id
            try withRuleRefusals { () throws(AccountsError) in
                try accounts.store.setRule(id, isEnabled: isOn)
            }
            rules[id]?.stored.isEnabled = isOn
            rules[id]?.rule.isEnabled = isOn
            ports.engine.send(.switched(id, isOn: isOn))
        }
    }

    func remove(_ rule: String, by requester: Requester) async throws(Refusal) {
        let slug = (try? visible(rule, requester))?.stored.slug
        try await logged(.remove, by: requester, about: slug) { () async throws(Refusal) in
            // A damaged one has no maker who could remove it.
            let id: Int
            if let number = Int(rule), damaged.contains(number), ownsEverything(requester) {
                id = number
            } else {
                id = try changeable(rule, requester).stored.id
            }
            try withRuleRefusals { () throws(AccountsError) in _ = try accounts.store.removeRule(id) }
            damaged.remove(id)
            drop(id)
            ports.engine.send(.removed(id))
        }
    }

    /// Does a rule's actions now, whatever its conditions say.
    ///
    /// - Returns: The numbers of the rule and of the firing, whose actions have begun.
    @discardableResult
    func runNow(_ rule: String, by requester: Requester) async throws(Refusal) -> (rule: Int, firing: Int64) {
        let slug = (try? visible(rule, requester))?.stored.slug
        return try await logged(.run, by: requester, about: slug) { () async throws(Refusal) in
            let id = try changeable(rule, requester).stored.id
            let firing = try await ports.engine.run(id).get()
            return (rule: id, firing: firing)
        }
    }

    /// Does a rule's actions now, and waits for their end.
    ///
    /// - Parameter seconds: For so long at most; then its outcome is `running`.
    func runNow(
        _ rule: String,
        waiting seconds: Int,
        by requester: Requester
    ) async throws(Refusal) -> JSONObject {
        let (id, number) = try await runNow(rule, by: requester)
        let end = ContinuousClock.now + .seconds(seconds)
        while ContinuousClock.now < end {
            let firing = try firings(of: id, Self.firings).last {
                $0.seq == number && $0.epoch == settings.epoch
            }
            if let firing, let outcome = firing.outcome {
                let results = firing.results.flatMap { try? JSONValue(parsing: $0) } ?? []
                return ["outcome": .string(outcome.rawValue), "results": results]
            }
            guard (try? await Task.sleep(for: .milliseconds(50))) != nil else { break }
        }
        return ["outcome": "running"]
    }

    /// The longest wait for the end of a firing, seconds: as long as the longest of most actions, a message.
    static let longestWait = 50
}
