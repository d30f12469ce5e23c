import Accounts
import Administration
import Bindings
import Flare
import People
import Rules
import Text
import Things

/// What stands against a rule: its maker's rights, and the flags of profiles.
///
/// - Source: contrib/contract/rules.md, "Firing", 3 and 6; "Notifications".
extension RuleService {
    /// Where the objects are that rules name, and what they are.
    struct Sight: Sendable {
        /// Without those that are gone.
        var objects: [ObjectReference: AccessObject] = [:]
        var place = RuleSurroundings()
        /// What people have called them, for messages.
        var names: [ObjectReference: String] = [:]
    }

    /// Why a rule must not run, or must not be made.
    struct Objection: Sendable {
        let suspension: RuleSuspension
        let refusal: Refusal

        init(_ suspension: RuleSuspension, _ code: RefusalCode, _ message: String, field: String? = nil) {
            self.init(suspension, Refusal(code, message, field: field))
        }

        init(_ suspension: RuleSuspension, _ refusal: Refusal) {
            (self.suspension, self.refusal) = (suspension, refusal)
        }
    }

    /// Where everything is that some rules name.
    ///
    /// - Parameter isWhole: Whether all other things of the environment are wanted, too.
    func sight(of rules: [Rule], isWhole: Bool = false) async -> Sight {
        var references: Set<ObjectReference> = []
        for rule in rules { references.formUnion(rule.references) }
        var sight = Sight()
        for reference in references {
            sight.objects[reference] = await ports.place.locate(reference)
        }
        let zones = rules.reduce(into: Set<FlareID>()) { $0.formUnion($1.drivenZones) }
        var wanted = RuleSurroundings.Wanted(zones: zones)
        wanted.things = Set(references.filter { $0.kind == .thing }.map(\.id))
        wanted.isWhole = isWhole
        sight.place = await ports.surroundings(wanted)
        return sight
    }

    /// Looks at all rules.
    func judgeAll() async {
        judged = now
        let before = rules
        let sight = await sight(of: before.values.map(\.rule))
        let gone = goneRecipients(of: before.values.map(\.rule))
        for (id, old) in before {
            // What was edited meanwhile was judged then.
            // Who has only switched it must not escape that.
            guard let known = rules[id], known.rule.isSame(as: old.rule),
                known.stored.maker == old.stored.maker
            else { continue }
            let found = objection(to: known.rule, of: known.stored.maker, in: sight)
            let suspension = found?.suspension ?? (known.rule.notifiesNobody(but: gone) ? .gone : nil)
            let missing = gone.isEmpty ? [] : missing(of: known, gone)
            // Written only when it is another one: the rules would be copied.
            if known.suspension != suspension { rules[id]?.suspension = suspension }
            if known.missing != missing { rules[id]?.missing = missing }
        }
        awaitGrants()
    }

    private func objection(to rule: Rule, of maker: AccountID, in sight: Sight) -> Objection? {
        guard accounts.table.user(maker)?.state == .active else {
            return Objection(.maker, .notAllowed, "the maker of the rule is off, or removed")
        }
        return objection(to: rule, of: maker, for: .user(maker), in: sight)
    }

    /// What stands against a rule.
    ///
    /// What is gone is left out: it has no rights of its own, and the engine suspends the rule.
    /// - Parameter caller: Whose rights count; a token may have less than the maker.
    func objection(
        to rule: Rule,
        of maker: AccountID,
        for caller: Caller,
        in sight: Sight
    ) -> Objection? {
        let uses = rule.uses
        return readObjection(uses, caller, sight) ?? writeObjection(uses, caller, sight)
            ?? recipientObjection(uses, maker, caller) ?? flagObjection(uses, sight)
    }

    // MARK: Rights

    private func refusal(_ caller: Caller, _ access: Access, on object: AccessObject) -> AccessRefusal? {
        let verdict = accounts.table.verdict(of: caller, access, on: object, at: now)
        if case .refused(let reason) = verdict { return reason }
        return nil
    }

    private func readObjection(_ uses: RuleUses, _ caller: Caller, _ sight: Sight) -> Objection? {
        let things = uses.reads.map(\.thing) + uses.connections + uses.nearness
        for reference in things + uses.zones {
            guard let object = sight[reference], let reason = refusal(caller, .read, on: object) else {
                continue
            }
            let what = "\(reference.kind.rawValue) \(sight.name(of: reference))"
            return Objection(.rights, .notAllowed, "you may not read \(what): \(reason)")
        }
        for node in uses.nodes {
            guard let reason = refusal(caller, .read, on: .device(node)) else { continue }
            return Objection(.rights, .notAllowed, "you may not read where device \(node) is: \(reason)")
        }
        guard uses.looksAtDevices, let reason = refusal(caller, .read, on: .devices) else { return nil }
        return Objection(
            .rights,
            .notAllowed,
            "a rule that looks at places or levels, follows the sun, or tells the zone, needs the right"
                + " \"read devices\": \(reason)"
        )
    }

    /// Requires that who asks may read what a rule looks at: its maker may have lost that right.
    func requireReading(_ rule: Rule, _ requester: Requester) async throws(Refusal) {
        guard case .user(let caller) = requester.identity, !ownsEverything(requester) else { return }
        let sight = await sight(of: [rule])
        if let found = readObjection(rule.uses, caller, sight) { throw found.refusal }
    }

    private func writeObjection(_ uses: RuleUses, _ caller: Caller, _ sight: Sight) -> Objection? {
        for write in uses.writes {
            switch write.target {
            case .nearby: continue
            case .thing(let reference):
                guard let object = sight[reference], let reason = refusal(caller, .write, on: object) else {
                    continue
                }
                let name = sight.name(of: reference)
                return Objection(.rights, .notAllowed, "you may not write thing \(name): \(reason)")
            case .zone(let reference):
                guard let reason = refusal(caller, ofWritingZone: reference, sight) else { continue }
                let name = sight.name(of: reference)
                return Objection(.rights, .notAllowed, "you may not write zone \(name): \(reason)")
            }
        }
        guard uses.setsCeiling, let reason = refusal(caller, .write, on: .devices) else { return nil }
        return Objection(
            .rights,
            .notAllowed,
            "a rule that sets a ceiling needs the right \"write devices\": \(reason)"
        )
    }

    /// Who may write all that is in a zone drives it, too.
    private func refusal(
        _ caller: Caller,
        ofWritingZone reference: RuleReference,
        _ sight: Sight
    ) -> AccessRefusal? {
        guard let zone = sight[reference], let reason = refusal(caller, .write, on: zone) else { return nil }
        let things = reference.id.map { sight.place.things(in: $0) } ?? []
        let mayWriteAll = things.allSatisfy { refusal(caller, .write, on: AccessObject($0.thing)) == nil }
        return !things.isEmpty && mayWriteAll ? nil : reason
    }

    // MARK: Recipients

    /// Whom the maker may not notify.
    ///
    /// Contacts and installations are looked up only when a rule is made: see ``checkRecipients(of:_:_:)``.
    private func recipientObjection(_ uses: RuleUses, _ maker: AccountID, _ caller: Caller) -> Objection? {
        guard refusal(caller, .own, on: .everything) != nil else { return nil }
        for recipient in uses.recipients {
            switch recipient {
            case .contact, .installation, .display, .allDisplays: continue
            case .user(let name):
                if RecipientDirectory(accounts: accounts).user(name)?.id == maker { continue }
                return Objection(.rights, RecipientDirectory.notOwn("user:\(name)"))
            case .email, .sms: return Objection(.rights, RecipientDirectory.notOwn("an address"))
            }
        }
        return nil
    }

    /// Checks that the recipients of a new rule are there, and the maker's own unless he owns everything.
    func checkRecipients(of rule: Rule, _ maker: AccountID, _ caller: Caller) throws(Refusal) {
        let directory = RecipientDirectory(accounts: accounts)
        for recipient in rule.uses.recipients {
            do throws(Refusal) {
                let resolved = try directory.resolved(recipient, of: maker, as: caller)
                _ = try directory.reach(resolved, of: maker, as: caller)
            } catch {
                guard error.code == .staleTarget else { throw error }
                // Not a conflict, while the rule is being made.
                throw Refusal(.invalidValue, "notify: \(error.message)", field: "notify")
            }
        }
    }

    // MARK: Flags

    /// What profiles do not allow; a thing without a profile allows everything.
    private func flagObjection(_ uses: RuleUses, _ sight: Sight) -> Objection? {
        let place = sight.place
        for read in uses.reads where read.starts && uses.notifies {
            guard let kind = read.thing.id.flatMap({ place.things[$0]?.kind }), !kind.isNotifiable(read.field)
            else { continue }
            let thing = "the profile \(kind.name) of thing \(sight.name(of: read.thing))"
            let field = QuotedValue.of(read.field)
            return Objection(
                .notNotifiable,
                .notNotifiable,
                "\(thing) does not let rules notify of \(field)"
            )
        }
        for write in uses.writes where write.isScheduled {
            let things: [RuleSurroundings.Thing] =
                switch write.target {
                case .nearby: []
                case .thing(let thing): [thing.id.flatMap { place.things[$0] }].compactMap(\.self)
                case .zone(let zone): zone.id.map { place.things(in: $0) } ?? []
                }
            for thing in things {
                guard let property = thing.unschedulable(write.what), let kind = thing.kind else { continue }
                let reference = RuleReference(.thing, thing.thing.id)
                let name = sight.names[ObjectReference(.thing, thing.thing.id)] ?? thing.thing.name
                let what = "the profile \(kind.name) of thing \(name.isEmpty ? reference.text : name)"
                return Objection(
                    .notSchedulable,
                    .notSchedulable,
                    "\(what) does not let schedules set \(QuotedValue.of(property))"
                )
            }
        }
        return nil
    }
}

extension RuleService.Sight {
    fileprivate subscript(reference: RuleReference) -> AccessObject? {
        reference.id.flatMap { objects[ObjectReference(reference.kind, $0)] }
    }

    fileprivate func name(of reference: RuleReference) -> String {
        reference.id.flatMap { names[ObjectReference(reference.kind, $0)] } ?? reference.text
    }
}

extension RuleSurroundings.Thing {
    /// The first property that schedules must not set, among those that are set.
    fileprivate func unschedulable(_ what: RuleUses.Write.What) -> String? {
        guard let kind else { return nil }
        func property(ofAction name: String) -> String? { kind.property(ofAction: name, of: thing) }
        // A command has values and actions alike.
        let names: [String] =
            switch what {
            case .values(let names): names
            case .action(let name): [property(ofAction: name)].compactMap(\.self)
            case .command(let names): names + names.compactMap(property)
            }
        return names.first { !kind.isSchedulable($0) }
    }
}

extension Rule {
    /// Whether it is the same, be it on or off.
    fileprivate func isSame(as other: Rule) -> Bool {
        guard isEnabled != other.isEnabled else { return self == other }
        var other = other
        other.isEnabled = isEnabled
        return self == other
    }

    /// The things and zones that a rule names, whose references are identifiers.
    var references: Set<ObjectReference> {
        let uses = uses
        var references = uses.reads.map(\.thing) + uses.connections + uses.nearness + uses.zones
        for write in uses.writes {
            switch write.target {
            case .thing(let reference), .zone(let reference): references.append(reference)
            case .nearby: break
            }
        }
        return Set(references.compactMap { one in one.id.map { ObjectReference(one.kind, $0) } })
    }

    /// The zones that it drives.
    var drivenZones: Set<FlareID> {
        Set(
            uses.writes.compactMap { write in
                if case .zone(let zone) = write.target { zone.id } else { nil }
            }
        )
    }
}
