package import Flare

/// What somebody who owns a thing offers to one user.
///
/// Times are milliseconds since 1970, UTC.
package struct Share: Sendable, Hashable {
    package var thing: FlareID
    package var user: AccountID
    /// ``Access/read`` or ``Access/write``.
    package var access: Access
    package var starts: Int64?
    package var ends: Int64?

    package init(
        _ thing: FlareID,
        with user: AccountID,
        _ access: Access = .read,
        starts: Int64? = nil,
        ends: Int64? = nil
    ) {
        (self.thing, self.user, self.access) = (thing, user, access)
        (self.starts, self.ends) = (starts, ends)
    }

    /// The present share of the same thing with the same user, which this one replaces.
    package func replaced(in table: AccessTable) -> Grant? {
        table.index.grants.first { $0.share && $0.grantee == .user(user) && $0.scope == .thing(thing) }
    }

    /// The grant that this makes.
    ///
    /// Of a share that is replaced stays accepted what both allow. If the new one allows more, or begins earlier, or
    /// ends later, the rest waits for the user.
    /// - Parameters:
    ///   - id: Of a new grant; the one of a replaced share stays.
    ///   - replaced: See ``replaced(in:)``.
    package func grant(id: Int64, by giver: AccountID?, replacing replaced: Grant?) -> Grant {
        let whole = GrantPart(access, starts: starts, ends: ends)
        let part = replaced.flatMap { $0.accepted == nil ? nil : $0.part?.intersection(whole) }
        var grant = Grant(
            id: replaced?.id ?? id,
            .user(user),
            access,
            .thing(thing),
            starts: starts,
            ends: ends,
            giver: giver,
            share: true,
            accepted: part == nil ? nil : replaced?.accepted
        )
        grant.kept = part == whole ? nil : part
        return grant
    }
}
