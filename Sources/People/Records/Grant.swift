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

    /// Whether it is a share that nobody has accepted.
    package var isWaiting: Bool { share && accepted == nil }

    /// Whether it counts at a moment, as far as dates and acceptance say.
    package func counts(at now: Int64) -> Bool {
        !isWaiting && starts ?? .min <= now && ends.map { now < $0 } ?? true
    }
}
