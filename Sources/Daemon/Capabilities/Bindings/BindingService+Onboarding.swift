import Accounts
import Administration
import Bindings
import Controller
import Flare
import JSON
import People
import Text
import Things

extension BindingService {
    /// What the command line says beside the request itself.
    struct OnboardingExtras: Sendable {
        /// The thing of the place, and the zone for one that is made, by slug or identifier.
        var thing: String?
        var zone: String?
        /// The instance that gets the thing; `nil` for none.
        var tag: String?
    }

    /// The bindings that a request names.
    private struct Found {
        let thing: StoredBinding?
        let gateway: StoredBinding?
        let hasEndNodes: Bool

        init(_ thing: StoredBinding?, gateway: StoredBinding? = nil, in store: AccountsStore)
            throws(AccountsError)
        {
            (self.thing, self.gateway) = (thing, gateway)
            hasEndNodes =
                try thing.map { thing throws(AccountsError) in
                    try store.hasEndNodes(thing.binding.id)
                } ?? false
        }

        var known: OnboardingRules.Known {
            OnboardingRules.Known(thing?.binding, gateway: gateway?.binding, hasEndNodes: hasEndNodes)
        }

        /// Whether what counts for a decision is still the same.
        func isSame(as other: Found) -> Bool {
            thing?.binding.id == other.thing?.binding.id
                && thing?.binding.isOwned == other.thing?.binding.isOwned
                && thing?.binding.thing == other.thing?.binding.thing && thing?.owners == other.thing?.owners
                && gateway?.binding.thing == other.gateway?.binding.thing
                && gateway?.owners == other.gateway?.owners
        }
    }

    private enum Outcome {
        case done(Onboarded, token: String?)
        case failed(BindingsError)
        /// Somebody else was quicker.
        case changed
    }

    /// So often another request may be quicker.
    private static let attempts = 5

    /// Onboards a thing, and links it to one of the place at the first owner's onboarding.
    func onboard(
        _ request: OnboardingRequest,
        by requester: Requester,
        _ extras: OnboardingExtras = OnboardingExtras()
    ) async throws(BindingsError) -> OnboardingAnswer {
        do throws(BindingsError) {
            let (answer, entry) = try await attempt(request, by: requester, extras)
            var members = members(of: request)
            // A thing that onboards itself, as often as it has a link, becomes none.
            if request.form.isByOwner { members += await linked(entry) }
            log(.onboard, by: requester, about: entry, members)
            return answer
        } catch {
            log(.onboard, by: requester, about: entry(of: request), members(of: request), error)
            throw error
        }
    }

    private func attempt(
        _ request: OnboardingRequest,
        by requester: Requester,
        _ extras: OnboardingExtras
    ) async throws(BindingsError) -> (OnboardingAnswer, BindingDirectory.Entry?) {
        let caller = requester.caller(of: request.form)
        if let refusal = OnboardingRules.refusal(of: caller, request.form) { throw .refused(refusal) }
        let owner = try request.owner.map { name throws(BindingsError) in try grantee(name, for: requester) }
        let instance = try extras.tag.map { tag throws(BindingsError) in try freeInstance(tag) }
        for _ in 0..<Self.attempts {
            let found = try find(request)
            // Before the cost of a password.
            if found.thing == nil, owner == nil { try requireRoom(for: nil, requester) }
            let password = try await check(request, found.thing, requester)
            let id = found.thing?.binding.id ?? Self.newID()
            let isAllowed = await isOwnerAllowed(owner, found, requester)
            let isOwner = await owns(found.thing, requester)
            let giving = await authority(for: owner, found, requester)
            let kept = try instance?.onboarded(id, owner: owner).get()
            func decide(_ known: OnboardingRules.Known) -> Result<Onboarded, BindingsError> {
                OnboardingRules.onboard(
                    request,
                    known,
                    password,
                    as: id,
                    by: caller,
                    isOwnerAllowed: isAllowed,
                    isOwner: isOwner,
                    at: now
                )
            }
            let expected = try decide(found.known).get()
            try await requireGateway(found.gateway, requester)
            let wish = wish(of: request, extras, expected, isOwner: isOwner)
            let plan = try await plan(expected.binding, found.thing, owner, wish, requester)
            if found.thing == nil { try requireRight(toMake: expected.binding.vendor, plan, requester) }
            if case .wait = plan, found.thing == nil || expected.isFirstOwner {
                try requireRoom(for: owner, requester)
            }
            let outcome = try change(id) { store throws -> Outcome in
                // What was read before may be another one by now.
                let present = try Self.find(request, store)
                guard present.isSame(as: found) else { return .changed }
                switch decide(present.known) {
                case .failure(let error): return .failed(error)
                case .success(var onboarded):
                    // Until the link, which may have to wait.
                    if let wish { onboarded.binding.wish = wish }
                    try store.keep(
                        onboarded.binding,
                        gateway: present.gateway?.binding,
                        heardAt: requester.isThing ? now : nil
                    )
                    if let owner { try store.add(owner, to: onboarded.binding, by: giving) }
                    if case .link(let thing, let object, let isMade, _) = plan {
                        let route = onboarded.binding.route(isMade: isMade)
                        try store.linkBinding(
                            id,
                            to: thing,
                            isMade: isMade,
                            route: route,
                            giver: requester.user,
                            of: object,
                            at: now
                        )
                    }
                    if let kept { try store.save(kept) }
                    let token = onboarded.givesToken ? try store.addThingToken(id, at: now).text : nil
                    return .done(onboarded, token: token)
                }
            }
            switch outcome {
            case .changed: continue
            case .failed(let error): throw error
            case .done(let onboarded, let token):
                if let gateway = found.gateway?.binding.id { directory.put(try stored(gateway)) }
                await finish(plan, of: id, requester)
                let unused = plan == .wait && wish == nil ? await unused(extras, onboarded.binding) : []
                let answer = OnboardingAnswer(
                    id,
                    isOwned: onboarded.binding.isOwned,
                    token: token,
                    endpoint: endpoint(of: onboarded.binding),
                    ignored: onboarded.ignored + unused
                )
                return (answer, directory.entry(id))
            }
        }
        throw .refused(.rateLimited, "others onboard the same thing just now; try again")
    }

    // MARK: The place

    /// What an onboarding says of the place; `nil` if it gives the binding no thing.
    ///
    /// That of the first owner does, and a later one of an owner that says which thing, or where. What others have said
    /// before does not count: they could have named a thing of their own, to own what is claimed.
    private func wish(
        of request: OnboardingRequest,
        _ extras: OnboardingExtras,
        _ expected: Onboarded,
        isOwner: Bool
    ) -> PlaceWish? {
        guard expected.binding.thing == nil else { return nil }
        var wish = PlaceWish(thing: extras.thing, zone: extras.zone)
        guard expected.isFirstOwner else {
            return wish.isEmpty || !expected.binding.isOwned || !isOwner ? nil : wish
        }
        wish.thing = wish.thing ?? request.properties?["thing"]?.string
        wish.zone = wish.zone ?? request.properties?["zone"]?.string
        return wish
    }

    /// How an onboarding gives a binding its thing.
    private func plan(
        _ binding: ThingBinding,
        _ known: StoredBinding?,
        _ owner: Grantee?,
        _ wish: PlaceWish?,
        _ requester: Requester
    ) async throws(BindingsError) -> LinkPlan {
        guard let wish else { return .wait }
        var binding = binding
        binding.wish = wish
        let owners = Set(known?.owners ?? []).union([owner].compactMap(\.self))
        return try await plan(binding, of: owners, requester)
    }

    /// What was said about the place, and has changed nothing.
    private func unused(_ extras: OnboardingExtras, _ binding: ThingBinding) async -> [String] {
        var names: [String] = []
        if let name = extras.thing {
            let linked = [binding.thing].compactMap(\.self)
            let called = linked.map { "\($0)" } + (await place.slugs(linked)).values
            if !called.contains(name) { names.append("thing") }
        }
        if extras.zone != nil { names.append("zone") }
        return names
    }

    // MARK: What a request names

    private func find(_ request: OnboardingRequest) throws(BindingsError) -> Found {
        try withBindingsErrors { () throws(AccountsError) in try Self.find(request, accounts.store) }
    }

    private static func find(_ request: OnboardingRequest, _ store: AccountsStore) throws(AccountsError)
        -> Found
    {
        switch request.thing {
        case .id(let id): try Found(try store.binding(id), in: store)
        case .vendor(let vendor): try Found(try store.binding(ofVendor: vendor), in: store)
        case .endNode(let vendor, let gateway):
            try Found(try store.binding(ofVendor: vendor), gateway: try store.binding(gateway), in: store)
        }
    }

    private nonisolated func entry(of request: OnboardingRequest) -> BindingDirectory.Entry? {
        switch request.thing {
        case .id(let id): directory.entry(id)
        case .vendor(let vendor), .endNode(let vendor, _): directory.entry(ofVendor: vendor)
        }
    }

    // MARK: The password

    /// Checks the password of a known thing within the limits of guessing, or hashes that of a new one.
    private func check(
        _ request: OnboardingRequest,
        _ known: StoredBinding?,
        _ requester: Requester
    ) async throws(BindingsError) -> OnboardingRules.Password {
        let password = Array(request.password.utf8)
        let verdict: PasswordVerdict
        do throws(AccountsError) {
            guard let binding = known?.binding else {
                // Nothing is made by an identifier.
                if case .id = request.thing { return .isWrong }
                let hash = try await accounts.thingPasswords.hash(
                    password,
                    lengths: PasswordHash.thingLengths
                )
                return .isFirst(hash: "\(hash)")
            }
            verdict = try await administration.guess(
                password,
                ofThing: "thing/\(binding.id)",
                against: binding.password,
                from: requester.address
            )
            if verdict == .wrong { passwordFailed(binding) }
        } catch {
            throw BindingsError(error)
        }
        switch verdict {
        case .right: return .isRight
        case .wrong: return .isWrong
        case .limited(let seconds): throw .tooManyGuesses(seconds)
        }
    }

    // MARK: Rights

    /// Whether who asks may make somebody an owner of a thing whose password they know.
    ///
    /// - Source: contrib/design/0091-things-with-owners.md, "Rights and secrets".
    private func isOwnerAllowed(_ owner: Grantee?, _ found: Found, _ requester: Requester) async -> Bool {
        guard case .door(.user(let caller)) = requester.identity else { return true }
        guard let owner, case .user(let id, let ceiling) = caller else { return false }
        let table = accounts.table
        if table.includes(id, in: owner), ceiling ?? .own >= .own, table.user(id)?.state == .active {
            return true
        }
        if table.verdict(of: caller, .own, on: .everything, at: now).isGranted { return true }
        guard let entry = found.thing.map(BindingDirectory.Entry.init) else { return false }
        return table.verdict(of: .user(caller), .own, on: await access(entry), at: now).isGranted
    }

    /// On whose behalf an owner of a linked thing gets the grant: who knows its password takes it, everybody else gives it.
    private func authority(for owner: Grantee?, _ found: Found, _ requester: Requester) async -> Authority {
        guard let owner, let user = requester.user, !accounts.table.includes(user, in: owner) else {
            return .program(at: now)
        }
        return await authority(over: found.thing?.binding.thing, requester)
    }

    /// On whose behalf a grant of a thing is given or taken away.
    ///
    /// - Parameter thing: `nil` while the binding is linked to none: then there are no grants.
    func authority(over thing: FlareID?, _ requester: Requester) async -> Authority {
        guard requester.user != nil, let thing else { return .program(at: now) }
        let object = await place.locate(thing)
        return Authority(requester.caller, at: now) { $0 == .thing(thing) ? object : nil }
    }

    /// Requires that who adds an end node owns its gateway.
    private func requireGateway(_ gateway: StoredBinding?, _ requester: Requester) async throws(BindingsError)
    {
        guard let gateway, case .door(let caller) = requester.identity else { return }
        let access = await access(BindingDirectory.Entry(gateway))
        guard accounts.table.verdict(of: caller, .own, on: access, at: now).isGranted else {
            throw .refused(.notAllowed, "you do not own the gateway", field: "gatewayThingID")
        }
    }
}

extension AccountsStore {
    /// Stores what an onboarding has made of a binding; the gateway of an end node becomes one.
    ///
    /// - Parameter heard: When the thing itself was heard; `nil` if somebody else has onboarded it.
    fileprivate func keep(
        _ binding: ThingBinding,
        gateway: ThingBinding?,
        heardAt heard: Int64?
    ) throws(AccountsError) {
        var binding = binding
        if let heard { (binding.route, binding.seen) = (.edge, heard) }
        try saveBinding(binding)
        guard var gateway, gateway.layout != .gateway else { return }
        gateway.layout = .gateway
        try saveBinding(gateway)
    }

    /// Adds an owner: of a linked binding by a grant of its thing.
    func add(_ owner: Grantee, to binding: ThingBinding, by authority: Authority) throws(AccountsError) {
        guard let thing = binding.thing else { return try addOwner(owner, of: binding.id) }
        _ = try addGrant(Grant(id: 0, owner, .own, .thing(thing)), by: authority)
    }
}

extension BindingService.Requester {
    /// For the rules of onboarding, which know no command line.
    fileprivate func caller(of form: OnboardingForm) -> BindingCaller {
        switch identity {
        case .door(let caller): caller
        case .program: form.isByOwner ? .user(.user(.everybody)) : .app
        case .edge: .anonymous
        }
    }

    /// The user who asks; `nil` for a thing, a program, and the command line.
    var user: AccountID? {
        guard case .door(.user(.user(let id, _))) = identity else { return nil }
        return id
    }

    /// Whether it is a thing, or a program with the app's key that speaks for one.
    var isThing: Bool {
        switch identity {
        case .door(.thing), .door(.app), .door(.anonymous), .edge: true
        case .door(.user), .program: false
        }
    }

    /// Who asks, as somebody who may see things.
    var caller: Caller {
        guard case .door(.user(let caller)) = identity else { return .nobody }
        return caller
    }
}

extension ThingBinding {
    /// Where commands go once it is linked: to the thing itself if it was heard, or was made for it.
    func route(isMade: Bool) -> Route { isMade || route == .edge ? .edge : .flare }
}
