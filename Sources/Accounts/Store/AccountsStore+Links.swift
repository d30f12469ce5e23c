import GRDB
package import People
import Threading

/// What a link in an email message is for; the raw value is stored.
package enum LinkPurpose: String, Sendable, Hashable, CaseIterable {
    /// Shows that the address is the user's; 24 hours.
    case verify
    /// Sets a new password; 30 minutes.
    case reset
    /// Makes another address the user's; 24 hours.
    case email

    /// Milliseconds.
    package var lifetime: Int64 {
        switch self {
        case .verify, .email: 86_400_000
        case .reset: 1_800_000
        }
    }
}

/// A link that is stored and has not ended.
package struct AccountsLink: Sendable, Hashable {
    package let purpose: LinkPurpose
    package let user: User
    /// The address that it makes the user's.
    package let address: String?

    /// What the secret's row has as its name.
    static func name(_ purpose: LinkPurpose, _ address: String?) -> String {
        address.map { "\(purpose.rawValue) \($0)" } ?? purpose.rawValue
    }
}

extension AccountsStore {
    /// The most links of a user; the oldest end.
    private static let mostLinks = 20

    /// Makes a link's secret.
    ///
    /// Links that were sent before stay valid: a new request does not end them.
    /// - Parameter address: What ``LinkPurpose/email`` makes the user's address.
    package func addLink(
        _ purpose: LinkPurpose,
        of user: AccountID,
        address: String? = nil,
        at now: Int64
    ) throws(AccountsError) -> SecretToken {
        try write { database in
            guard try Self.user(user, database) != nil else {
                throw AccountsError.unknown("there is no such user")
            }
            try Self.purge(database, at: now)
            try database.execute(
                sql: """
                    DELETE FROM secret WHERE hash IN (SELECT hash FROM secret WHERE holder = ? AND kind = 'link'
                        ORDER BY made DESC, rowid DESC LIMIT -1 OFFSET ?)
                    """,
                arguments: ["\(Grantee.user(user))", Self.mostLinks - 1]
            )
            let (name, until) = (AccountsLink.name(purpose, address), now + purpose.lifetime)
            return try Self.add(.link, .user(user), name, nil, until, database, at: now).0
        }
    }

    /// Makes a link for another address of a user; they do it themselves, or who administers.
    package func addEmailLink(
        of user: User,
        address: String,
        replacing present: ExpectedPassword = .any,
        by authority: Authority
    ) throws(AccountsError) -> SecretToken {
        try write(by: authority) { database in
            let table = try AccessTable(reading: database, .administration)
            try authority.require(user.id, or: table)
            try authority.requireLastingSecret(database)
            try present.require(of: user.id, database)
            return try addLink(.email, of: user.id, address: address, at: authority.now)
        }
    }

    /// What a link is for and whose it is, without using it up; `nil` if it is unknown, used or too old.
    package func link(_ link: SecretToken, at now: Int64) throws(AccountsError) -> AccountsLink? {
        try read { try Self.find(link, $0, at: now) }
    }

    /// Uses up a link that verifies an address.
    ///
    /// - Parameter activates: Whether the user, if pending, is active from now on; else somebody has to approve.
    package func verify(_ link: SecretToken, activates: Bool, at now: Int64) throws(AccountsError) -> User {
        let listed = listedUsers.withLock { $0 }
        return try write { database in
            let user = try Self.consume(link, .verify, database, at: now).user
            // Who was never seen has not verified anything.
            try database.execute(
                sql: "UPDATE user SET seen = ? WHERE id = ?",
                arguments: [now, "\(user.id)"]
            )
            guard activates, user.state == .pending else { return user }
            // Whom the list of devices names by now would own a device, and who has the name of a thing that came meanwhile
            // would take its topics: an owner decides, as for a newcomer.
            guard !listed.contains(user.name), try !Self.isOfThing(user.name, database) else { return user }
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
            let user = try Self.consume(link, .reset, database, at: now).user
            try Self.setPassword(password, of: user.id, database)
            return user
        }
    }

    /// Uses up a link that makes another address the user's.
    package func setEmail(by link: SecretToken, at now: Int64) throws(AccountsError) -> User {
        try write { database in
            let found = try Self.consume(link, .email, database, at: now)
            try database.execute(
                sql: "UPDATE user SET email = ? WHERE id = ?",
                arguments: [AccountText.email(found.address ?? ""), "\(found.user.id)"]
            )
            return found.user
        }
    }

    private static func consume(
        _ link: SecretToken,
        _ purpose: LinkPurpose,
        _ database: Database,
        at now: Int64
    ) throws -> AccountsLink {
        guard let found = try find(link, database, at: now), found.purpose == purpose else {
            throw AccountsError.refused("this link was used already, or is too old; ask for another one")
        }
        // Others of the same purpose have nothing left to do.
        try database.execute(
            sql: """
                DELETE FROM secret WHERE holder = ? AND kind = 'link' AND (name = ? OR substr(name, 1, ?) = ?)
                """,
            arguments: [
                "\(Grantee.user(found.user.id))", purpose.rawValue, purpose.rawValue.utf8.count + 1,
                purpose.rawValue + " ",
            ]
        )
        return found
    }

    private static func find(_ link: SecretToken, _ database: Database, at now: Int64) throws -> AccountsLink?
    {
        guard let record = try self.record(of: link, database), record.counts(at: now),
            case let words = record.name.split(separator: " ", maxSplits: 1).map(String.init),
            let purpose = words.first.flatMap({ LinkPurpose(rawValue: $0) }),
            let id = record.user, let user = try self.user(id, database)
        else { return nil }
        return AccountsLink(purpose: purpose, user: user, address: words.dropFirst().first)
    }
}
