/// A row of the table `permission`: somebody may do something with something, from then till then.
///
/// Times are milliseconds since 1970, UTC.
package struct Grant: Sendable, Hashable {
    package var id: Int64
    package var grantee: Grantee
    package var scope: Scope
    package var access: Access
    /// It counts from this moment; `nil` from ever.
    package var starts: Int64?
    /// It does not count from this moment on; `nil` for ever.
    package var ends: Int64?
    /// The user who gave it; `nil` if the program did.
    package var giver: AccountID?
    /// Whether it counts only once the user has accepted it.
    package var share: Bool
    /// When the user accepted the share.
    package var accepted: Int64?
    /// What they accepted of a share that was widened since.
    package var kept: GrantPart?
    /// The grant of the giver by which it was given and with which it goes, or ``listOfDevices``; `nil` if it stays by
    /// itself.
    package var source: Int64?

    /// The ``source`` of what the user of a listed device gives: they own the device without a grant.
    package static let listOfDevices: Int64 = 0

    package init(
        id: Int64,
        _ grantee: Grantee,
        _ access: Access,
        _ scope: Scope,
        starts: Int64? = nil,
        ends: Int64? = nil,
        giver: AccountID? = nil,
        share: Bool = false,
        accepted: Int64? = nil
    ) {
        (self.id, self.grantee, self.access, self.scope) = (id, grantee, access, scope)
        (self.starts, self.ends, self.giver) = (starts, ends, giver)
        (self.share, self.accepted) = (share, accepted)
    }

    /// Whether it is a share that its user has not accepted, or not all of it.
    package var isWaiting: Bool { share && (accepted == nil || kept != nil) }

    /// What it allows once its dates have come: of a share what was accepted; `nil` for nothing.
    package var part: GrantPart? { isWaiting ? kept : GrantPart(access, starts: starts, ends: ends) }

    /// Whether it allows something at a moment, as far as dates and acceptance say.
    package func allows(_ access: Access, at now: Int64) -> Bool {
        part.map { $0.access >= access && $0.counts(at: now) } ?? false
    }
}

/// What is allowed, from then till then.
package struct GrantPart: Sendable, Hashable {
    package var access: Access
    package var starts: Int64?
    package var ends: Int64?

    package init(_ access: Access, starts: Int64? = nil, ends: Int64? = nil) {
        (self.access, self.starts, self.ends) = (access, starts, ends)
    }

    func counts(at now: Int64) -> Bool { starts ?? .min <= now && ends.map { now < $0 } ?? true }

    /// What both allow; `nil` for nothing.
    func intersection(_ other: GrantPart) -> GrantPart? {
        let starts = [starts, other.starts].compactMap(\.self).max()
        let ends = [ends, other.ends].compactMap(\.self).min()
        if let starts, let ends, ends <= starts { return nil }
        return GrantPart(min(access, other.access), starts: starts, ends: ends)
    }
}
