import Accounts
package import Bindings
import Flare
package import JSON
package import People
import Rules
import Text
import Things
package import Web

/// Rules as programs for Thing-IF know them: the triggers of a thing.
///
/// - Source: contrib/contract/rules.md, "Thing-IF".
package struct RuleTriggers: ThingIFTriggers {
    private let service: RuleService
    private let bindings: BindingService

    /// - Parameter bindings: Knows the things with owners, and who asks.
    package init(_ service: RuleService, _ bindings: BindingService) {
        (self.service, self.bindings) = (service, bindings)
    }

    package func caller(
        bringing credentials: ThingIFCredentials,
        to app: String,
        from address: String?
    ) async -> Result<BindingCaller, BindingsError> {
        await bindings.caller(bringing: credentials, to: app, from: address)
    }

    // MARK: Requests

    package func addTrigger(
        _ trigger: JSONObject,
        of target: TargetName,
        by caller: BindingCaller,
        from address: String?
    ) async -> Result<String, BindingsError> {
        await result { () async throws(Refusal) in
            let (thing, requester) = try await checked(target, caller, from: address)
            let wish = try Self.wish(trigger, of: thing)
            let known = try await service.add(wish, as: nil, by: requester)
            return "\(known.stored.id)"
        }
    }

    package func triggers(
        of target: TargetName,
        limit: Int,
        after key: String?,
        for caller: BindingCaller
    ) async -> Result<JSONObject, BindingsError> {
        await result { () async throws(Refusal) in
            let (thing, requester) = try await checked(target, caller, from: nil)
            let first = try key.map { text throws(Refusal) -> Int in
                guard let id = Int(text) else {
                    throw Refusal(
                        .invalidValue,
                        "paginationKey must be that of an earlier list",
                        field: "paginationKey"
                    )
                }
                return id
            }
            var page: [(id: Int, json: JSONObject)] = []
            let (rules, originals) = try await service.all(withOriginalsOf: .trigger)
            for known in rules where known.stored.id > first ?? 0 {
                guard service.sees(known, requester),
                    let json = json(known, originals[known.stored.id], of: thing)
                else { continue }
                page.append((known.stored.id, json))
                if page.count > limit { break }
            }
            let shown = page.prefix(limit)
            let isOn = await standings(of: shown.map(\.id))
            var body: JSONObject = [
                "triggers": .array(shown.map { .object(Self.switched($0.json, isOn[$0.id])) })
            ]
            if page.count > limit { body["nextPaginationKey"] = (shown.last?.id).map { .string("\($0)") } }
            return body
        }
    }

    package func trigger(
        _ id: String,
        of target: TargetName,
        for caller: BindingCaller
    ) async -> Result<JSONObject, BindingsError> {
        await result { () async throws(Refusal) in
            await shown(try await found(id, of: target, caller, from: nil))
        }
    }

    package func changeTrigger(
        _ id: String,
        of target: TargetName,
        with members: JSONObject,
        by caller: BindingCaller,
        from address: String?
    ) async -> Result<Void, BindingsError> {
        await result { () async throws(Refusal) in
            let found = try await found(id, of: target, caller, from: address)
            var trigger = await shown(found).merging(members) { $1 }
            trigger["triggerID"] = nil
            let wish = try Self.wish(trigger, of: found.thing)
            _ = try await service.edit(id, to: wish, as: nil, by: found.requester)
        }
    }

    package func turnTrigger(
        _ id: String,
        of target: TargetName,
        isOn: Bool,
        by caller: BindingCaller,
        from address: String?
    ) async -> Result<Void, BindingsError> {
        await result { () async throws(Refusal) in
            let requester = try await found(id, of: target, caller, from: address).requester
            try await service.turn(id, isOn: isOn, by: requester)
        }
    }

    package func removeTrigger(
        _ id: String,
        of target: TargetName,
        by caller: BindingCaller,
        from address: String?
    ) async -> Result<Void, BindingsError> {
        await result { () async throws(Refusal) in
            let requester = try await found(id, of: target, caller, from: address).requester
            try await service.remove(id, by: requester)
        }
    }

    // MARK: Who asks, and for what

    /// The thing of the place that a target is, and who asks.
    ///
    /// - Throws: `not_onboarded` while nobody has claimed it; `not_allowed` for who is no user, or may not read it.
    private func checked(
        _ target: TargetName,
        _ caller: BindingCaller,
        from address: String?
    ) async throws(Refusal) -> (thing: FlareID, requester: RuleService.Requester) {
        guard let entry = bindings.directory.entry(target) else {
            throw Refusal(.unknownThing, "there is no such thing")
        }
        guard case .user(let user) = caller else {
            throw Refusal(.notAllowed, "triggers are those of users; send the token of one")
        }
        guard entry.isOwned else { throw .noOwner(entry.vendor) }
        let access = await bindings.access(entry)
        let verdict = bindings.accounts.table.verdict(of: caller, .read, on: access, at: bindings.now)
        if case .refused(let reason) = verdict {
            throw Refusal(.notAllowed, "you may not read this thing: \(reason)")
        }
        guard let thing = entry.thing else {
            throw Refusal(.unknownThing, "thing \(entry.vendor) is not in the place yet")
        }
        let requester = RuleService.Requester(
            identity: .user(user),
            address: address,
            interface: BindingService.Requester.interface
        )
        return (thing, requester)
    }

    /// A trigger of a thing, for whoever may see it.
    private struct Found {
        let id: Int
        let thing: FlareID
        /// Without whether it is on.
        let json: JSONObject
        let requester: RuleService.Requester
    }

    private func found(
        _ id: String,
        of target: TargetName,
        _ caller: BindingCaller,
        from address: String?
    ) async throws(Refusal) -> Found {
        let (thing, requester) = try await checked(target, caller, from: address)
        guard Int(id).map({ "\($0)" == id }) ?? false, let known = await service.known(id),
            service.sees(known, requester),
            let json = json(known, try await service.original(of: known), of: thing)
        else { throw Refusal(.unknownRule, "the thing has no trigger \(QuotedValue.of(id))") }
        return Found(id: known.stored.id, thing: thing, json: json, requester: requester)
    }

    private func shown(_ found: Found) async -> JSONObject {
        Self.switched(found.json, await standings(of: [found.id])[found.id])
    }

    private func standings(of ids: [Int]) async -> [Int: Bool] {
        await service.ports.engine.standings(ids).mapValues(\.isOn)
    }

    // MARK: The form

    /// The member of the stored original that says whose trigger it is.
    private static let owner = "thing"

    private static func wish(
        _ trigger: JSONObject,
        of thing: FlareID
    ) throws(Refusal) -> RuleService.Wish {
        var trigger = trigger
        trigger["deviceNickname"] = nil
        trigger[owner] = .string("\(thing)")
        return RuleService.Wish(try RuleReader().read(.object(trigger), as: .trigger))
    }

    /// A rule as a trigger of a thing; `nil` if it is none, or if this form cannot say it.
    ///
    /// - Parameter original: What it came in as.
    private func json(
        _ known: RuleService.Known,
        _ original: JSONValue?,
        of thing: FlareID
    ) -> JSONObject? {
        let maker = bindings.accounts.table.user(known.stored.maker)?.name ?? "\(known.stored.maker)"
        guard Self.thing(of: known, original) == thing, let target = known.rule.driven,
            let bound = bindings.directory.entry(ofThing: target),
            var json = known.rule.kiiTrigger(issuer: "user:\(maker)")
        else { return nil }
        json["triggerID"] = .string("\(known.stored.id)")
        if var command = json["command"]?.object {
            command["target"] = .string("thing:\(bound.id)")
            json["command"] = .object(command)
        }
        if known.stored.form == RuleForm.trigger.rawValue {
            json["metadata"] = original?["metadata"]
        }
        return json
    }

    /// Whose trigger a rule is: the thing below which it was made, else the one that it looks at, else the one that
    /// it drives.
    private static func thing(of known: RuleService.Known, _ original: JSONValue?) -> FlareID? {
        if known.stored.form == RuleForm.trigger.rawValue,
            let owner = original?[owner]?.string, let id = FlareID(owner)
        {
            return id
        }
        return known.rule.uses.reads.first?.thing.id ?? known.rule.driven
    }

    private static func switched(_ json: JSONObject, _ isOn: Bool?) -> JSONObject {
        var json = json
        if let isOn { json["disabled"] = .bool(!isOn) }
        return json
    }

    // MARK: Errors

    private func result<Success>(
        _ work: () async throws(Refusal) -> Success
    ) async -> Result<Success, BindingsError> {
        do throws(Refusal) { return .success(try await work()) } catch { return .failure(.refused(error)) }
    }
}

extension Rule {
    /// The only thing that it drives.
    fileprivate var driven: FlareID? {
        guard actions.count == 1, case .drive(_, .thing(let thing))? = actions.first?.work else { return nil }
        return thing.id
    }
}
