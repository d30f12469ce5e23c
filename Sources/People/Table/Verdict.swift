import Text

/// The answer of the one check.
package enum Verdict: Sendable, Hashable {
    /// By a grant; `nil` for whoever needs none.
    case granted(by: Int64?)
    case refused(AccessRefusal)

    package var isGranted: Bool { if case .granted = self { true } else { false } }
}

extension Verdict: CustomStringConvertible {
    /// `granted by 7` or `refused: expired 2026-11-21T00:00:00Z`.
    package var description: String {
        switch self {
        case .granted(let id?): "granted by \(id)"
        case .granted(nil): "granted"
        case .refused(let reason): "refused: \(reason)"
        }
    }
}

/// Why the check refuses; times are milliseconds since 1970, UTC.
package enum AccessRefusal: Sendable, Hashable {
    case noGrant
    /// The last grant that would have been enough ended then.
    case expired(Int64)
    /// A grant that is enough begins then.
    case begins(Int64)
    /// A share that is enough waits for the user.
    case notAccepted
    case unknownUser
    case userIsOff
    case userIsPending
    /// The user has the right, but not with this token, or not without signing in.
    case ceiling(Access)
    /// Only `own all` administers.
    case needsOwnAll
}

extension AccessRefusal: CustomStringConvertible {
    package var description: String {
        switch self {
        case .noGrant: "no grant"
        case .expired(let time): "expired \(CivilTime(milliseconds: time).shortText)"
        case .begins(let time): "begins \(CivilTime(milliseconds: time).shortText)"
        case .notAccepted: "the share is not accepted yet"
        case .unknownUser: "there is no such user"
        case .userIsOff: "the user is off"
        case .userIsPending: "the user is not verified or approved yet"
        case .ceiling(let access):
            "no more than \(access.rawValue) is allowed with this token, or without signing in"
        case .needsOwnAll: "administration needs own all"
        }
    }
}
