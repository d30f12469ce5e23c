import Foundation
import GRDB
package import People

/// What a link in a letter is for; the raw value is stored.
package enum LinkPurpose: String, Sendable, Hashable, CaseIterable {
    /// Shows that the address is the user's; 24 hours.
    case verify
    /// Sets a new password; 30 minutes.
    case reset

    /// Milliseconds.
    package var lifetime: Int64 { self == .verify ? 86_400_000 : 1_800_000 }
}

extension AccountsStore {
    /// Makes a link's secret; earlier ones of the same purpose are void.
    package func addLink(_ purpose: LinkPurpose, of user: AccountID, at now: Int64) throws(AccountsError)
        -> SecretToken
    {
        try write { database in
            guard try Self.user(user, database) != nil else {
                throw AccountsError.unknown("there is no such user")
            }
            try Self.purge(database, at: now)
            try database.execute(
                sql: "DELETE FROM secret WHERE holder = ? AND kind = 'link' AND name = ?",
                arguments: ["\(SecretHolder.user(user))", purpose.rawValue]
            )
            let until = now + purpose.lifetime
            return try Self.add(.link, .user(user), purpose.rawValue, nil, until, database, at: now).0
        }
    }

    /// What a link is for and whose it is, without using it up; `nil` if it is unknown, used or too old.
    package func link(_ link: SecretToken, at now: Int64) throws(AccountsError) -> (LinkPurpose, User)? {
        try read { try Self.find(link, $0, at: now) }
    }

    /// Uses up a link that verifies an address.
    ///
    /// - Parameter activates: Whether the user, if pending, is active from now on; else somebody has to approve.
    package func verify(_ link: SecretToken, activates: Bool, at now: Int64) throws(AccountsError) -> User {
        try write { database in
            let user = try Self.consume(link, .verify, database, at: now)
            // Who was never seen has not verified anything.
            try database.execute(
                sql: "UPDATE user SET seen = ? WHERE id = ?",
                arguments: [now, "\(user.id)"]
            )
            guard activates, user.state == .pending else { return user }
            try database.execute(
                sql: "UPDATE user SET state = ? WHERE id = ?",
                arguments: [UserState.active.rawValue, "\(user.id)"]
            )
            return User(id: user.id, name: user.name, state: .active)
        }
    }

    /// Uses up a link that sets a new password, which ends all sessions.
    package func reset(_ link: SecretToken, to password: PasswordHash, at now: Int64) throws(AccountsError)
        -> User
    {
        try write { database in
            let user = try Self.consume(link, .reset, database, at: now)
            try Self.setPassword(password, of: user.id, database)
            return user
        }
    }

    private static func consume(
        _ link: SecretToken,
        _ purpose: LinkPurpose,
        _ database: Database,
        at now: Int64
    ) throws -> User {
        guard let (found, user) = try find(link, database, at: now), found == purpose else {
            throw AccountsError.refused("this link was used already, or is too old; ask for another one")
        }
        try database.execute(sql: "DELETE FROM secret WHERE hash = ?", arguments: [Data(link.hash)])
        return user
    }

    private static func find(_ link: SecretToken, _ database: Database, at now: Int64) throws -> (
        LinkPurpose, User
    )? {
        let sql = "SELECT * FROM secret WHERE hash = ? AND kind = 'link'"
        guard let row = try Row.fetchOne(database, sql: sql, arguments: [Data(link.hash)]),
            let record = SecretRecord(row), record.counts(at: now), case .user(let id) = record.holder,
            let purpose = LinkPurpose(rawValue: record.name),
            let user = try self.user(id, database)
        else { return nil }
        return (purpose, user)
    }
}
