/// Whether a user may sign in and speak.
package enum UserState: String, Sendable, Hashable, CaseIterable {
    case active
    /// Signed up, and not yet verified or approved.
    case pending
    case off
}

/// A user, without secrets.
package struct User: Sendable, Hashable {
    package let id: AccountID
    /// Unique and fixed; see ``AccountName``.
    package let name: String
    package var state: UserState

    package init(id: AccountID, name: String, state: UserState = .active) {
        (self.id, self.name, self.state) = (id, name, state)
    }
}
