/// What somebody wants to do with a binding.
///
/// - Source: contrib/design/0091-things-with-owners.md, "Rights and secrets".
package enum BindingNeed: Sendable, Hashable, CaseIterable {
    /// Change its owners, its token, or remove it.
    case own
    /// Give commands.
    case write
    /// See its state and commands.
    case read
    /// Report its state: the thing itself, or who owns it.
    case report
    /// Answer commands: the thing itself alone.
    case results
}

/// A binding as rights look at it.
package struct BindingAccess: Sendable, Hashable {
    package let id: BindingID
    /// Its owners while it is linked to no thing; of a linked one the grants of its thing count alone.
    package let owners: Set<Grantee>
    /// The thing of the environment that it is linked to, with where that is now.
    package let thing: AccessObject?

    package init(_ id: BindingID, owners: Set<Grantee> = [], thing: AccessObject? = nil) {
        (self.id, self.owners, self.thing) = (id, owners, thing)
    }
}

extension AccessTable {
    /// Whether somebody may do something with a binding at a moment, or why not.
    ///
    /// A thing does what is its own and nothing else. The app's key, and a token for nobody by name, onboard things and
    /// do nothing with a binding. While a binding is linked to no thing, its owners own it, and grants of `all` count.
    ///
    /// - Parameter now: Milliseconds since 1970, UTC.
    package func verdict(
        of caller: BindingCaller,
        _ need: BindingNeed,
        on binding: BindingAccess,
        at now: Int64
    ) -> Verdict {
        switch caller {
        case .thing(let id):
            return id == binding.id && need.isOfThing ? .granted(by: nil) : .refused(.noGrant)
        case .app, .anonymous: return .refused(.noGrant)
        case .user(let user):
            guard let access = need.access else { return .refused(.noGrant) }
            if let thing = binding.thing { return verdict(of: user, access, on: thing, at: now) }
            return ownerVerdict(
                of: user,
                access,
                binding,
                verdict(of: user, access, on: .everything, at: now)
            )
        }
    }

    /// The verdict for who may be an owner of a binding without a thing.
    ///
    /// - Parameter general: What the grants of `all` say.
    private func ownerVerdict(
        of caller: Caller,
        _ access: Access,
        _ binding: BindingAccess,
        _ general: Verdict
    ) -> Verdict {
        guard !general.isGranted, case .user(let id, let ceiling) = caller, user(id)?.state == .active,
            binding.owners.contains(where: { includes(id, in: $0) })
        else { return general }
        if let ceiling, ceiling < access { return .refused(.ceiling(ceiling)) }
        return .granted(by: nil)
    }
}

extension AccessTable {
    /// Whether an owner may do something with an object at a moment: the user, or all active users of the group.
    ///
    /// - Parameter now: Milliseconds since 1970, UTC.
    package func allMay(_ owner: Grantee, _ access: Access, on object: AccessObject, at now: Int64) -> Bool {
        let users: Set<AccountID>
        switch owner {
        case .user(let id): users = [id]
        case .group(let id):
            guard case .users(let members)? = group(id)?.members else { return false }
            users = members.filter { user($0)?.state == .active }
        }
        return !users.isEmpty
            && users.allSatisfy { verdict(of: .user($0), access, on: object, at: now).isGranted }
    }

    /// Whether a thing is somebody else's, too, who could have given it the name by which a binding finds it, and would
    /// own what is linked.
    ///
    /// That is who has a grant `own` of the thing, a group of things, its zone or its environment that has not ended. Who
    /// has `own all` may do everything anyway.
    /// - Parameters:
    ///   - caller: Who links it.
    ///   - owners: Of the binding.
    package func isShared(
        _ thing: AccessObject,
        by caller: Caller,
        with owners: Set<Grantee>,
        at now: Int64
    ) -> Bool {
        let scopes = thing.scopes(in: index).reduce(into: Set<Scope>()) { $0.formUnion($1) }
        func isOther(_ id: AccountID) -> Bool {
            if case .user(let user, _) = caller, user == id { return false }
            return !owners.contains { includes(id, in: $0) }
                && !verdict(of: .user(id), .own, on: .everything, at: now).isGranted
        }
        return index.grants.contains { grant in
            guard grant.access == .own, grant.scope != .all, scopes.contains(grant.scope),
                grant.ends.map({ now < $0 }) ?? true, !owners.contains(grant.grantee)
            else { return false }
            switch grant.grantee {
            case .user(let id): return user(id) != nil && isOther(id)
            case .group(let id):
                guard case .users(let members)? = group(id)?.members else { return false }
                return members.contains(where: isOther)
            }
        }
    }
}

extension BindingNeed {
    /// The right that a user needs; `nil` for what is the thing's alone.
    fileprivate var access: Access? {
        switch self {
        case .own, .report: .own
        case .write: .write
        case .read: .read
        case .results: nil
        }
    }

    /// Whether the thing itself may do it.
    fileprivate var isOfThing: Bool {
        switch self {
        case .own, .write: false
        case .read, .report, .results: true
        }
    }
}
