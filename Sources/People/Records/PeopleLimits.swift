/// The most of everything.
package enum PeopleLimits {
    package static let users = 1000
    /// Of all users, the last, whom an administrator makes: who sign up leave them free.
    package static let usersOfAdministrators = 100
    /// Without the built-in one.
    package static let groups = 200
    package static let grants = 10_000
    /// Of all grants, the last, which are for who administers.
    package static let grantsOfAdministrators = 1000
    /// By one user who does not administer.
    package static let grantsGiven = 500
    /// Of one user.
    package static let tokens = 50
    /// Of one user.
    package static let sessions = 50
    /// Of the listener's own password, which many displays may share.
    package static let listenerSessions = 1000
    /// Of one user.
    package static let contacts = 200
    package static let bindings = 10_000
    /// Tokens of one thing.
    package static let thingTokens = 2
    /// Of one user.
    package static let installations = 50
    package static let instances = 1000
    package static let rules = 5000
    /// Of one user.
    package static let rulesOfUser = 200
    /// Members of one group of things; a group of users has at most all users.
    package static let things = 10_000
}
