import Foundation
import GRDB
package import People

extension AccountsStore {
    /// Sessions and tokens that have not ended, of all users or of one; oldest first.
    package func secrets(_ kind: SecretToken.Kind? = nil, ofUser name: String? = nil, at now: Int64)
        throws(AccountsError)
        -> [SecretRecord]
    {
        try read { database in
            let user = try name.map { try AccessTable(reading: database, .administration).requireUser($0) }
            return try Self.records(database, of: user?.id).filter {
                $0.counts(at: now) && (kind == nil ? $0.kind != .link : $0.kind == kind)
            }
        }
    }

    /// What counts now, of users and things, apart from links.
    static func secretsInUse(_ database: Database, at now: Int64) throws -> [SecretRecord] {
        var records: [SecretRecord] = []
        let rows = try Row.fetchCursor(database, sql: "SELECT * FROM secret WHERE kind <> 'link'")
        while let row = try rows.next() {
            if let record = SecretRecord(row), record.counts(at: now) { records.append(record) }
        }
        return records
    }

    /// Adds a token, which is returned and cannot be asked for again; users do it themselves.
    ///
    /// It ends no later than the session or token that it is made with. For others, somebody whose right to administer
    /// ends makes none: a token goes on when that right is taken away.
    /// - Parameters:
    ///   - ceiling: The most that it allows; `nil` for all that the user may.
    ///   - until: Its end; `nil` for as late as possible.
    package func addToken(
        _ name: String,
        ofUser user: String,
        ceiling: Access?,
        until: Int64?,
        by authority: Authority
    ) throws(AccountsError) -> (SecretToken, SecretRecord) {
        let name = try AccountText.label(name, of: "token")
        try checkDates(starts: nil, ends: until, at: authority.now)
        return try write(by: authority) { database in
            let id = try Self.owner(user, database, authority, changes: true)
            let until = try authority.end(ofToken: until, database)
            try Self.purge(database, at: authority.now)
            let tokens = try Self.records(database, of: id).filter { $0.kind == .token }
            guard !tokens.contains(where: { $0.name == name }) else {
                throw AccountsError.refused("\(user) has a token \(quoted(name)) already; remove it first")
            }
            guard tokens.count < PeopleLimits.tokens else {
                throw AccountsError.refused(
                    "\(user) has \(PeopleLimits.tokens) tokens, and no more are possible"
                )
            }
            return try Self.add(.token, .user(id), name, ceiling, until, database, at: authority.now)
        }
    }

    /// Adds a session of an active user, or of the listener's password; beyond the limit the one that was used least recently ends.
    ///
    /// - Parameters:
    ///   - name: What it was made by; clipped to 64 characters.
    ///   - password: What the stored hash must still be: the one that was compared with.
    ///   - former: A session that ends, because its browser signs in again.
    package func addSession(
        of user: AccountID,
        name: String,
        until: Int64,
        verified password: ExpectedPassword = .any,
        replacing former: SecretToken? = nil,
        at now: Int64
    ) throws(AccountsError) -> (SecretToken, SecretRecord) {
        try write { database in
            try password.require(of: user, database)
            if let former { try Self.end(former, database) }
            // The built-in user is in no list.
            let isListener = user == .listener
            if !isListener { try Self.requireActive(user, database) }
            try Self.purge(database, at: now)
            try database.execute(
                sql: """
                    DELETE FROM secret WHERE hash IN (SELECT hash FROM secret WHERE holder = ? AND kind = 'session'
                        ORDER BY ifnull(used, made) DESC, made DESC LIMIT -1 OFFSET ?)
                    """,
                arguments: [
                    "\(Grantee.user(user))",
                    (isListener ? PeopleLimits.listenerSessions : PeopleLimits.sessions) - 1,
                ]
            )
            let name = String(name.unicodeScalars.prefix(64))
            return try Self.add(.session, .user(user), name, nil, until, database, at: now)
        }
    }

    /// Ends a session or a token by its ``SecretRecord/id``; users end their own.
    package func removeSecret(_ id: String, by authority: Authority) throws(AccountsError) {
        try write(by: authority) { database in
            let table = try AccessTable(reading: database, .administration)
            let found = try Self.records(database).first { $0.id == id && $0.kind != .link }
            let isOwn = authority.user.map { found?.user == $0 } ?? false
            guard let found, isOwn || authority.isAdministrator(table) else {
                throw AccountsError.noRow(found?.kind.rawValue ?? "token", quoted(id))
            }
            try Self.delete(found, database)
        }
    }

    /// Ends the session that was brought; an unknown one is no error.
    package func endSession(_ session: SecretToken) throws(AccountsError) {
        try write { try Self.end(session, $0) }
    }

    static func end(_ session: SecretToken, _ database: Database) throws {
        try database.execute(
            sql: "DELETE FROM secret WHERE hash = ? AND kind = 'session'",
            arguments: [Data(session.hash)]
        )
    }

    /// Writes when secrets were used; those that were removed meanwhile stay so.
    static func record(_ uses: [SecretIndex.Use], _ database: Database) throws {
        for use in uses {
            try database.execute(
                sql: "UPDATE secret SET used = ?, until = ifnull(?, until) WHERE hash = ?",
                arguments: [use.used, use.until, Data(use.hash)]
            )
        }
    }

    // MARK: Rows

    static func requireActive(_ user: AccountID, _ database: Database) throws {
        guard try self.user(user, database)?.state == .active else {
            throw AccountsError.refused("not allowed: the user is not active")
        }
    }

    static func endSessions(of user: AccountID, _ database: Database) throws {
        try database.execute(
            sql: "DELETE FROM secret WHERE holder = ? AND kind = 'session'",
            arguments: ["\(Grantee.user(user))"]
        )
    }

    /// A secret as it is stored.
    static func record(of secret: SecretToken, _ database: Database) throws -> SecretRecord? {
        try Row.fetchOne(
            database,
            sql: "SELECT * FROM secret WHERE hash = ? AND kind = ?",
            arguments: [Data(secret.hash), secret.kind.rawValue]
        )
        .flatMap { SecretRecord($0) }
    }

    /// Those of all users, or of one.
    static func records(_ database: Database, of user: AccountID? = nil) throws -> [SecretRecord] {
        let condition = user == nil ? "kind <> 'thing'" : "holder = ?"
        return try Row.fetchAll(
            database,
            sql: "SELECT * FROM secret WHERE \(condition) ORDER BY made, rowid",
            arguments: user.map { ["\(SecretHolder.user($0))"] } ?? []
        ).compactMap { SecretRecord($0) }
    }

    static func add(
        _ kind: SecretToken.Kind,
        _ holder: SecretHolder,
        _ name: String,
        _ ceiling: Access?,
        _ until: Int64?,
        _ database: Database,
        at now: Int64
    ) throws -> (SecretToken, SecretRecord) {
        let secret = SecretToken(kind)
        try database.execute(
            sql:
                "INSERT INTO secret (hash, kind, holder, name, ceiling, made, until) VALUES (?, ?, ?, ?, ?, ?, ?)",
            arguments: [
                Data(secret.hash), kind.rawValue, "\(holder)", name, ceiling?.rawValue, now, until,
            ]
        )
        return (
            secret, SecretRecord(secret, of: holder, name: name, ceiling: ceiling, made: now, until: until)
        )
    }

    static func delete(_ record: SecretRecord, _ database: Database) throws {
        try database.execute(sql: "DELETE FROM secret WHERE hash = ?", arguments: [Data(record.hash)])
    }

    /// Removes what has ended.
    static func purge(_ database: Database, at now: Int64) throws {
        try database.execute(sql: "DELETE FROM secret WHERE until <= ?", arguments: [now])
    }
}
