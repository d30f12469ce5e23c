package import Flare

/// A group: of users, who have its grants, or of things, which a grant can be about.
package struct Grouping: Sendable, Hashable {
    /// What the members are.
    package enum Members: Sendable, Hashable {
        case users(Set<AccountID>)
        case things(Set<FlareID>)
    }

    /// The stored form of the kind.
    package enum Kind: String, Sendable, Hashable, CaseIterable {
        case users, things
    }

    package let id: AccountID
    package let name: String
    package var members: Members

    /// The name of the built-in group ``AccountID/everybody``.
    package static let everybodyName = "all"

    package init(id: AccountID, name: String, members: Members) {
        (self.id, self.name, self.members) = (id, name, members)
    }

    package var kind: Kind {
        switch members {
        case .users: .users
        case .things: .things
        }
    }
}
