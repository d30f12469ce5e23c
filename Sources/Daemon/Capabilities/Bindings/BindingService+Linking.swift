import Accounts
import Bindings
import Controller
import Flare
import JSON
import Logging
import People
import Text
import Things

/// Links bindings to things of the place: when their first owner comes, and when the place changes.
///
/// - Source: contrib/contract/bindings.md, "In the place".
extension BindingService {
    /// How a binding gets the thing that it wishes for, if who asks may give it that.
    ///
    /// - Parameter owners: Who is to own it.
    func plan(
        _ binding: ThingBinding,
        of owners: Set<Grantee>,
        _ requester: Requester
    ) async throws(BindingsError) -> LinkPlan {
        let wish = LinkWish(
            binding,
            for: requester.caller,
            owners: owners,
            taken: directory.things,
            state: try lastState(of: binding.id),
            route: route(of: binding)
        )
        switch await place.plan(wish) {
        case .failure(let refusal): throw .refused(refusal)
        case .success(let plan):
            guard let (access, object) = plan.need else { return plan }
            let verdict = accounts.table.verdict(of: requester.caller, access, on: object, at: now)
            if case .refused(let reason) = verdict {
                throw .refused(
                    .notAllowed,
                    "you may not \(access.rawValue) \(plan.objectName) for thing \(binding.vendor): \(reason)"
                )
            }
            return plan
        }
    }

    /// Whether who asks owns a binding already, and so may say which thing of the place it becomes, or who speaks for it.
    ///
    /// - Parameter stored: `nil` if there is none.
    func owns(_ stored: StoredBinding?, _ requester: Requester) async -> Bool {
        switch requester.identity {
        case .program: return true
        case .door(let caller):
            guard let stored else { return false }
            let access = await access(BindingDirectory.Entry(stored))
            return accounts.table.verdict(of: caller, .own, on: access, at: now).isGranted
        case .edge: return false
        }
    }

    /// Does what the plan of an onboarding leaves for later: makes a thing, or gives one its profile.
    func finish(_ plan: LinkPlan, of id: BindingID, _ requester: Requester) async {
        if case .link = plan { await beginStates(of: id) }
        switch plan {
        case .make(let edit, let zone, _): await make(edit, in: zone, for: id, giver: requester.user)
        case .link(let thing, _, _, let model?): await setModel(model, of: thing)
        case .link, .wait: break
        }
    }

    /// Makes a thing for a binding, and links it.
    ///
    /// The made thing names its binding, so that it is found if this ends before it is stored.
    private func make(_ edit: ObjectEdit, in zone: FlareID, for id: BindingID, giver: AccountID?) async {
        guard making.insert(id).inserted else { return }
        begun.insert(id)
        defer { making.remove(id) }
        do throws(BindingsError) {
            try setMaking(true, id)
        } catch {
            return logger.warning(
                "a thing is not made for its binding yet",
                metadata: ["thing": "\(id)", "error": "\(error)"]
            )
        }
        let answer = await place.execute(Command.Operation(AddObject(.thing, edit, in: "\(zone)")))
        guard let answer, answer.refusal == nil, let thing = answer.target?.object?.id else {
            // Without an answer it may have been made all the same.
            if answer != nil { try? setMaking(false, id) }
            let reason = answer?.refusal.map { "\($0)" } ?? "the Flare server did not answer"
            return logger.warning(
                "a thing is not made for its binding yet",
                metadata: ["thing": "\(id)", "error": "\(reason)"]
            )
        }
        do throws(BindingsError) {
            try change(id) {
                try $0.linkBinding(id, to: thing, isMade: true, route: .edge, giver: giver, at: now)
            }
            // It may have reported while it was made.
            await beginStates(of: id)
        } catch {
            logger.warning("a made thing is not linked", metadata: ["thing": "\(id)", "error": "\(error)"])
            // The binding was removed meanwhile, and nobody else knows of the thing.
            if directory.entry(id) == nil { _ = await remove(thing) }
        }
    }

    private func setMaking(_ isMaking: Bool, _ id: BindingID) throws(BindingsError) {
        try change(id) { store in
            guard var binding = try store.binding(id)?.binding else { return }
            binding.isMaking = isMaking
            try store.saveBinding(binding)
        }
    }

    private func setModel(_ model: String, of thing: FlareID) async {
        var edit = ObjectEdit()
        edit.data = ["oemModel": .string(model)]
        let answer = await place.execute(Command.Operation(EditObject(.thing, "\(thing)", edit)))
        guard let refusal = answer?.refusal else { return }
        logger.warning(
            "a thing does not get the profile that its type names",
            metadata: ["thing": "\(thing)", "error": "\(refusal)"]
        )
    }

    /// Removes a thing that was made for a binding.
    ///
    /// - Returns: Why it could not be removed; `nil` if it is gone.
    func remove(_ thing: FlareID) async -> BindingsError? {
        let operation = RemoveObject(.thing, "\(thing)", withContents: false)
        guard let answer = await place.execute(Command.Operation(operation)) else {
            return .refused(.timeout, "the Flare server did not answer; try again")
        }
        guard let refusal = answer.refusal, refusal.code != .unknownThing else { return nil }
        return .refused(refusal)
    }

    // MARK: When the place changes

    /// Those that wait and are looked at in one turn: each look needs the node's loop, and anybody can make thousands wait.
    private static let mostInTurn = 100

    /// Ends links to things that are gone, and links what waits for its thing.
    package func followPlace() async {
        let things = directory.things
        if !things.isEmpty {
            for thing in await place.gone(things).sorted() { unlink(thing) }
        }
        let former = lastLooked
        let rest = directory.waiting.drop { id in former.map { id <= $0 } ?? false }
        let turn = rest.prefix(Self.mostInTurn)
        for id in turn { await linkWaiting(id) }
        lastLooked = turn.count < rest.count ? turn.last : nil
        if lastLooked != nil { wake() }
    }

    /// A thing was removed: its binding stays with its owners, and none is made for it again.
    private func unlink(_ thing: FlareID) {
        guard let id = directory.entry(ofThing: thing)?.id else { return }
        do throws(BindingsError) {
            try change(id) { store in
                guard var binding = try store.binding(id)?.binding, binding.thing == thing else { return }
                try store.unlinkBinding(id, at: now)
                (binding.thing, binding.isMade) = (nil, true)
                try store.saveBinding(binding)
            }
        } catch {
            logger.warning("a removed thing is still linked", metadata: ["error": "\(error)"])
        }
    }

    private func linkWaiting(_ id: BindingID) async {
        guard !making.contains(id), let stored = try? stored(id), stored.binding.thing == nil,
            stored.binding.isOwned
        else { return }
        let binding = stored.binding
        guard let state = try? lastState(of: id) else { return }
        let wish = LinkWish(
            binding,
            for: .nobody,
            owners: Set(stored.owners),
            taken: directory.things,
            state: state,
            route: route(of: binding),
            isWaiting: true
        )
        // What it names may come later.
        guard case .success(let plan) = await place.plan(wish), let (access, object) = plan.need else {
            return
        }
        // An earlier run has begun to make a thing, and there is none.
        if case .make = plan, binding.isMaking, !begun.contains(id) { try? setMaking(false, id) }
        let table = accounts.table
        guard
            // Who has no right there gets none by it, whomever they have made an owner.
            !stored.owners.isEmpty,
            stored.owners.allSatisfy({ table.allMay($0, access, on: object, at: now) })
        else { return }
        switch plan {
        case .wait: break
        case .make(let edit, let zone, _):
            // Whoever removed its thing does not want another one.
            guard !binding.isMade else { return }
            await make(edit, in: zone, for: id, giver: nil)
        case .link(let thing, let object, let isMade, _):
            do throws(BindingsError) {
                try change(id) { store in
                    guard try store.binding(id) == stored else { return }
                    try store.linkBinding(
                        id,
                        to: thing,
                        isMade: isMade,
                        route: binding.route(isMade: isMade),
                        giver: nil,
                        of: object,
                        at: now
                    )
                }
                await finish(plan, of: id, .program(nil))
            } catch {
                logger.warning("a thing is not linked", metadata: ["thing": "\(id)", "error": "\(error)"])
            }
        }
    }
}

extension LinkPlan {
    /// The right that it needs, and on what; `nil` for none.
    ///
    /// - Source: contrib/design/0091-things-with-owners.md, "Rights and secrets".
    fileprivate var need: (Access, AccessObject)? {
        switch self {
        case .link(_, let object, let isMade, _): (isMade ? .write : .own, object)
        case .make(_, _, let object): (.write, object)
        case .wait: nil
        }
    }

    fileprivate var objectName: String {
        switch self {
        case .link: "the thing in the place"
        case .make: "the zone"
        case .wait: "the place"
        }
    }
}
