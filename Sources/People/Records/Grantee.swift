/// Who has a grant.
package enum Grantee: Sendable, Hashable {
    case user(AccountID)
    /// The users of a group.
    case group(AccountID)

    /// Parses the stored form, `user:ID` or `group:ID`; `nil` for any other text.
    package init?(_ text: String) {
        let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, let id = AccountID(String(parts[1])) else { return nil }
        switch parts[0] {
        case "user": self = .user(id)
        case "group": self = .group(id)
        default: return nil
        }
    }
}

extension Grantee: CustomStringConvertible {
    /// The stored form.
    package var description: String {
        switch self {
        case .user(let id): "user:\(id)"
        case .group(let id): "group:\(id)"
        }
    }
}
