import GRDB
package import People

/// Links that sign in once, for a caller who can open the daemon's own socket.
///
/// They are stored as the links of email messages, by another name, so that none can be used as the other.
extension AccountsStore {
    private static let purpose = "sign-in"
    /// How long a link counts, milliseconds.
    package static let signInLinkLifetime: Int64 = 600_000

    /// Makes a link's secret; an earlier one of the user is void.
    package func addSignInLink(of user: AccountID, at now: Int64) throws(AccountsError) -> SecretToken {
        try write { database in
            try Self.requireActive(user, database)
            try Self.purge(database, at: now)
            try database.execute(
                sql: "DELETE FROM secret WHERE holder = ? AND kind = 'link' AND name = ?",
                arguments: ["\(Grantee.user(user))", Self.purpose]
            )
            let until = now + Self.signInLinkLifetime
            return try Self.add(.link, .user(user), Self.purpose, nil, until, database, at: now).0
        }
    }

    /// Uses up a link, and begins a session of its user.
    ///
    /// - Parameters:
    ///   - name: What the session is called in lists.
    ///   - former: The session of the same browser, which ends.
    package func signIn(
        by link: SecretToken,
        session name: String,
        ending former: SecretToken?,
        until: Int64,
        at now: Int64
    ) throws(AccountsError) -> (User, SecretToken) {
        try write { database in
            guard let record = try Self.record(of: link, database), record.name == Self.purpose,
                record.counts(at: now),
                let id = record.user, let user = try Self.user(id, database)
            else {
                throw AccountsError.refused(
                    "this link was used already, or is too old; `trilateral sign-in` prints another one"
                )
            }
            try Self.delete(record, database)
            let session = try addSession(
                of: user.id,
                name: name,
                until: until,
                replacing: former,
                at: now
            )
            return (user, session.0)
        }
    }
}
