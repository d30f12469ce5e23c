import GRDB
package import People
import Threading

/// A user as an administrator sees them.
package struct UserRecord: Sendable, Hashable {
    package let user: User
    package let display: String
    package let email: String
    package let hasPassword: Bool
    package let made: Int64
    /// When they last spoke; `nil` if never.
    package let seen: Int64?

    /// `nil` for a damaged row.
    init?(_ row: Row) {
        guard let id = AccountID(row["id"]), let state = UserState(rawValue: row["state"]),
            AccountName.isLegal(row["name"])
        else { return nil }
        user = User(id: id, name: row["name"], state: state)
        let password: String? = row["password"]
        (display, email, hasPassword) = (row["display"], row["email"], password != nil)
        (made, seen) = (row["made"], row["seen"])
    }
}

/// What a new user has.
package struct NewUser: Sendable, Hashable {
    package var name: String
    package var display = ""
    package var email = ""
    package var password: PasswordHash?
    package var state = UserState.active
    /// The name of a group of users.
    package var group: String?

    package init(_ name: String) { self.name = name }
}

/// What the stored hash of a password must be when a change happens, because it was compared with before.
package enum ExpectedPassword: Sendable, Hashable {
    case any
    /// `nil` for none.
    case stored(String?)

    func require(of user: AccountID, _ database: Database) throws {
        guard case .stored(let expected) = self else { return }
        let sql = "SELECT password FROM user WHERE id = ?"
        guard try String?.fetchOne(database, sql: sql, arguments: ["\(user)"]) ?? nil == expected else {
            throw AccountsError.unauthenticated("the name or the password is wrong")
        }
    }
}

extension AccountsStore {
    /// All users, by name.
    package func users() throws(AccountsError) -> [UserRecord] {
        try read {
            try Row.fetchAll($0, sql: "SELECT * FROM user ORDER BY name").compactMap { UserRecord($0) }
        }
    }

    package func addUser(_ new: NewUser, by authority: Authority) throws(AccountsError)
        -> AccountID
    {
        try administer(authority) { database, table in
            guard AccountName.isLegal(new.name), !AccountName.reserved.contains(new.name) else {
                throw AccountsError.badValue(
                    "a user's name must be \(AccountName.rule), and not \(AccountName.reserved.sorted().joined(separator: " or "))"
                        + " (is \(quoted(new.name)))"
                )
            }
            guard try !Self.exists(database, "SELECT 1 FROM user WHERE name = ?", [new.name]) else {
                throw AccountsError.refused("there is a user \(quoted(new.name)) already")
            }
            guard try Self.count(database, AccountsSchema.users) < PeopleLimits.users else {
                throw AccountsError.refused("there are \(PeopleLimits.users) users, and no more are possible")
            }
            let id = Self.newID()
            try database.execute(
                sql: """
                    INSERT INTO user (id, name, display, email, password, state, made) VALUES (?, ?, ?, ?, ?, ?, ?)
                    """,
                arguments: [
                    "\(id)", new.name, AccountText.display(new.display), AccountText.email(new.email),
                    new.password.map { "\($0)" }, new.state.rawValue,
                    authority.now,
                ]
            )
            if let group = new.group {
                try authority.requireLasting(table, database)
                try Self.add(["\(id)"], to: table.requireGroup(group), .users, database)
            }
            return id
        }
    }

    /// Adds a user whom nobody of the home has asked for: who signs up, or whom a proxy names.
    ///
    /// A user of the name that a listed device has would own the device, at once or when it counts again. One with the name
    /// of a thing would take the thing's topics from it, as the broker knows both by their names. Only an owner may make
    /// these.
    package func addNewcomer(_ new: NewUser, at now: Int64) throws(AccountsError) -> AccountID {
        let isListed = listedUsers.withLock { $0.contains(new.name) }
        guard !isListed else {
            throw .refused("the list of devices names this user already; an owner can make the user")
        }
        let (isOfThing, count) = try read { database in
            (try Self.isOfThing(new.name, database), try Self.count(database, AccountsSchema.users))
        }
        guard !isOfThing else {
            throw .refused("a thing has this name already; an owner can make the user")
        }
        let most = PeopleLimits.users - PeopleLimits.usersOfAdministrators
        guard count < most else {
            throw .refused("there are \(count) users already; an owner can make more")
        }
        return try addUser(new, by: .program(at: now))
    }

    /// Whether a thing that was onboarded has a name.
    static func isOfThing(_ name: String, _ database: Database) throws -> Bool {
        try exists(database, "SELECT 1 FROM binding WHERE vendor = ?", [name])
    }

    /// Switches a user on or off; who is off loses all sessions.
    package func setState(
        _ state: UserState,
        ofUser name: String,
        by authority: Authority
    ) throws(AccountsError) {
        try administer(authority) { database, table in
            let user = try table.requireUser(name)
            try database.execute(
                sql: "UPDATE user SET state = ? WHERE id = ?",
                arguments: [state.rawValue, "\(user.id)"]
            )
            if state != .active { try Self.endSessions(of: user.id, database) }
        }
    }

    /// Removes a user with all that is theirs: grants and what they gave by those, secrets, contacts, installations.
    package func removeUser(_ name: String, by authority: Authority) throws(AccountsError) {
        try administer(authority) { database, table in
            try Self.remove(table.requireUser(name).id, database)
        }
    }

    /// Removes users who signed up before a moment and did not verify their address, so that they do not fill the table.
    package func removeUnverified(before time: Int64) throws(AccountsError) {
        try write { database in
            let ids = try String.fetchAll(
                database,
                sql: "SELECT id FROM user WHERE state = 'pending' AND seen IS NULL AND made < ?",
                arguments: [time]
            )
            for id in ids.compactMap({ AccountID($0) }) { try Self.remove(id, database) }
        }
    }

    private static func remove(_ id: AccountID, _ database: Database) throws {
        try database.execute(sql: "DELETE FROM user WHERE id = ?", arguments: ["\(id)"])
        try database.execute(sql: "DELETE FROM member WHERE member = ?", arguments: ["\(id)"])
        try database.execute(sql: "DELETE FROM contact WHERE user = ?", arguments: ["\(id)"])
        for (table, column) in [("permission", "grantee"), ("secret", "holder")] {
            try database.execute(
                sql: "DELETE FROM \(table) WHERE \(column) = ?",
                arguments: ["\(Grantee.user(id))"]
            )
        }
        try removeFromBindings(.user(id), database)
        try removeUngiven(database)
    }

    /// Changes what is shown of a user; they may do it themselves.
    ///
    /// - Parameters:
    ///   - display: `nil` leaves it as it is.
    ///   - email: `nil` leaves it as it is.
    ///   - present: What the stored hash must still be, as in ``setPassword(_:ofUser:replacing:by:)``.
    package func setProfile(
        ofUser name: String,
        display: String?,
        email: String?,
        replacing present: ExpectedPassword = .any,
        by authority: Authority
    ) throws(AccountsError) {
        try write(by: authority) { database in
            let id = try Self.owner(name, database, authority, changes: true)
            // By the address a forgotten password is set.
            if email != nil { try authority.requireLastingSecret(database) }
            try present.require(of: id, database)
            try database.execute(
                sql: "UPDATE user SET display = ifnull(?, display), email = ifnull(?, email) WHERE id = ?",
                arguments: [
                    display.map { try AccountText.display($0) }, email.map { try AccountText.email($0) },
                    "\(id)",
                ]
            )
        }
    }

    /// Sets or takes a password, which ends all sessions; they may do it themselves.
    ///
    /// Whether they know the present one is for the caller to ask.
    /// - Parameter present: What the stored hash must still be: the one that was compared with.
    package func setPassword(
        _ hash: PasswordHash?,
        ofUser name: String,
        replacing present: ExpectedPassword = .any,
        by authority: Authority
    ) throws(AccountsError) {
        try write(by: authority) { database in
            let id = try Self.owner(name, database, authority, changes: true)
            try authority.requireLastingSecret(database)
            try present.require(of: id, database)
            try Self.setPassword(hash, of: id, database)
        }
    }

    static func setPassword(_ hash: PasswordHash?, of user: AccountID, _ database: Database) throws {
        try database.execute(
            sql: "UPDATE user SET password = ? WHERE id = ?",
            arguments: [hash.map { "\($0)" }, "\(user)"]
        )
        try endSessions(of: user, database)
        try database.execute(
            sql: "DELETE FROM secret WHERE holder = ? AND kind = 'link'",
            arguments: ["\(Grantee.user(user))"]
        )
    }

    /// What a sign-in is checked against: `nil` for an unknown name; the stored hash is `nil` without a password.
    package func credentials(ofUser name: String) throws(AccountsError) -> (user: User, password: String?)? {
        guard AccountName.isLegal(name) else { return nil }
        return try read { database in
            guard
                let row = try Row.fetchOne(
                    database,
                    sql: "SELECT * FROM user WHERE name = ?",
                    arguments: [name]
                ),
                let record = UserRecord(row)
            else { return nil }
            return (record.user, row["password"])
        }
    }

    /// Records when users were last identified.
    static func recordSeen(_ users: [AccountID: Int64], _ database: Database) throws {
        for (id, time) in users {
            try database.execute(
                sql: "UPDATE user SET seen = ? WHERE id = ? AND ifnull(seen, 0) < ?",
                arguments: [time, "\(id)", time]
            )
        }
    }

    static func exists(_ database: Database, _ sql: String, _ arguments: StatementArguments) throws -> Bool {
        try Row.fetchOne(database, sql: sql, arguments: arguments) != nil
    }

    static func count(_ database: Database, _ table: String) throws -> Int {
        try Int.fetchOne(database, sql: "SELECT COUNT(*) FROM \(table)") ?? 0
    }
}
