/// Who may give rights, and who must keep them.
extension AccessTable {
    /// Whether an active user has `own all`, alone or by a group, now and without an end.
    ///
    /// A change after which nobody has is refused: the last owner cannot be removed, switched off or reduced. A grant
    /// that will end does not count, or the home would be nobody's on that day.
    package func hasLastingOwner(at now: Int64) -> Bool {
        index.grants.contains { grant in
            guard grant.scope == .all, grant.access == .own, grant.allows(.own, at: now), grant.ends == nil
            else {
                return false
            }
            switch grant.grantee {
            case .user(let id): return user(id)?.state == .active
            case .group(let id):
                guard case .users(let members)? = group(id)?.members else { return false }
                return members.contains { user($0)?.state == .active }
            }
        }
    }

    /// Whether a change to another table leaves a lasting owner; it may also stay without one.
    package func mayBecome(_ other: AccessTable, at now: Int64) -> Bool {
        other.hasLastingOwner(at: now) || !hasLastingOwner(at: now)
    }

    /// Whether somebody may give or take grants of a scope: who owns it does.
    ///
    /// A group of things is inside itself and `all` only, since its members may change.
    /// - Parameter place: Where an environment, zone or thing is now; `nil` if it is gone, which only `own all` may
    ///   still take away.
    package func mayGive(
        _ caller: Caller,
        _ scope: Scope,
        at now: Int64,
        place: (Scope) -> AccessObject?
    ) -> Verdict {
        // Gone things, and everything with what will come, are for who administers.
        let object = scope == .all ? nil : AccessObject(scope, place: place)
        return verdict(of: caller, .own, on: object ?? .administration, at: now)
    }
}
