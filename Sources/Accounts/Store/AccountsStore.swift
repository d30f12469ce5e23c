package import GRDB
package import People
import Threading

/// Users, groups, grants, secrets, contacts and the log in a database.
///
/// Each operation checks its rules and is one transaction, so that two programs at once cannot break a rule together.
/// Names are those of users and groups; times are milliseconds since 1970, UTC.
/// - Source: contrib/contract/people.md, "Users and grants".
package final class AccountsStore: Sendable {
    private let writer: any DatabaseWriter
    /// Who may have installations; `nil` until that is read.
    ///
    /// Only this process adds installations; it is changed in the queue alone, so that none is missed.
    let installationOwners = Locked<Set<AccountID>?>(nil)
    /// See ``AccessTable/deviceOwners``; `nil` as long as nobody has said.
    let deviceOwners = Locked<[String: String]?>(nil)
    /// See ``AccountsRegistry/Settings/listedUsers``.
    let listedUsers = Locked<Set<String>>([])

    /// - Parameter writer: A database with the tables of ``AccountsSchema``.
    package init(_ writer: any DatabaseWriter) { self.writer = writer }

    /// Adds what is built in: the group `all`, and the owner if there are no users.
    ///
    /// - Parameter owner: The owner's name.
    package func prepare(owner: String, at now: Int64) throws(AccountsError) {
        guard AccountName.isLegal(owner), !AccountName.reserved.contains(owner) else {
            throw .badValue("the owner's name must be \(AccountName.rule)")
        }
        try write { database in
            try AccountsSchema.addBuiltIn(database, owner: owner, id: Self.newID(), at: now)
        }
    }

    /// Users, groups and grants as they are now; damaged rows are left out.
    package func table() throws(AccountsError) -> AccessTable {
        try read { database in
            defer { database.releaseMemory() }
            return try AccessTable(reading: database)
        }
    }

    // MARK: Transactions

    /// Does several operations as one transaction: either all of them are stored, or none is.
    package func atomically<Result>(_ work: (AccountsStore) throws -> Result) throws(AccountsError) -> Result
    {
        try write { _ in try work(self) }
    }

    /// Counts the changes that other programs made since the database was opened.
    func foreignChanges() throws(AccountsError) -> Int64 {
        do {
            return try writer.unsafeReentrantRead {
                try Int64.fetchOne($0.cachedStatement(sql: "PRAGMA data_version")) ?? 0
            }
        } catch {
            throw AccountsError(error)
        }
    }

    func read<Result>(_ work: (Database) throws -> Result) throws(AccountsError) -> Result {
        do {
            // Reentrant, for operations inside of ``atomically(_:)``.
            return try writer.unsafeReentrantRead { database in
                if database.isInsideTransaction { return try work(database) }
                var result: Result?
                try database.inTransaction(.deferred) {
                    result = try work(database)
                    return .commit
                }
                return try Self.result(result)
            }
        } catch {
            throw AccountsError(error)
        }
    }

    func write<Result>(_ work: (Database) throws -> Result) throws(AccountsError) -> Result {
        try inQueue { database in
            var result: Result?
            if database.isInsideTransaction {
                try database.inSavepoint {
                    result = try work(database)
                    return .commit
                }
            } else {
                try database.inTransaction(.immediate) {
                    result = try work(database)
                    return .commit
                }
            }
            return try Self.result(result)
        }
    }

    /// Does work during which nobody else in this process writes, without a transaction.
    func inQueue<Result>(_ work: (Database) throws -> Result) throws(AccountsError) -> Result {
        do { return try writer.unsafeReentrantWrite(work) } catch { throw AccountsError(error) }
    }

    /// What the work in a transaction returned.
    static func result<Result>(_ result: Result?) throws(AccountsError) -> Result {
        guard let result else { throw .database(code: 21, message: "the transaction did not run") }
        return result
    }

    /// Does a change for somebody, whose session or token must still be stored when it happens.
    func write<Result>(
        by authority: Authority,
        _ work: (Database) throws -> Result
    ) throws(AccountsError) -> Result {
        try write { database in
            _ = try authority.storedSecret(database)
            return try work(database)
        }
    }

    /// A change for which somebody must administer, after which there must still be a lasting owner.
    ///
    /// - Parameter work: Gets a table with all users and groups, but no grants save `own all`.
    func administer<Result>(
        _ authority: Authority,
        _ work: (Database, AccessTable) throws -> Result
    ) throws(AccountsError) -> Result {
        try write(by: authority) { database in
            let table = try AccessTable(reading: database, .administration)
            try authority.requireAdministration(table)
            return try Self.keepingOwner(database, table, at: authority.now) { try work(database, table) }
        }
    }

    /// Does work after which there must still be a lasting owner.
    ///
    /// - Parameter table: As it is before, with the grants of `own all` at least.
    static func keepingOwner<Result>(
        _ database: Database,
        _ table: AccessTable,
        at now: Int64,
        _ work: () throws -> Result
    ) throws -> Result {
        let result = try work()
        guard try table.mayBecome(AccessTable(reading: database, .administration), at: now) else {
            throw AccountsError.refused(
                "this would leave nobody with 'own all' for good; give it to another active user first"
            )
        }
        return result
    }

    /// One user, without reading the other tables.
    static func user(_ id: AccountID, _ database: Database) throws -> User? {
        try Row.fetchOne(database, sql: "SELECT * FROM user WHERE id = ?", arguments: ["\(id)"])
            .flatMap { UserRecord($0)?.user }
    }

    /// The user of a name, whose things somebody may see and change: their own, or those of all who administer.
    ///
    /// - Parameter changes: Whether something is changed that has no end of its own.
    static func owner(
        _ name: String,
        _ database: Database,
        _ authority: Authority,
        changes: Bool = false
    ) throws -> AccountID {
        let table = try AccessTable(reading: database, .administration)
        let user = try table.requireUser(name)
        try authority.require(user.id, or: table)
        if changes, user.id != authority.user { try authority.requireLasting(table, database) }
        return user.id
    }

    /// A new identifier of a user or a group.
    package static func newID() -> AccountID {
        AccountID(high: UInt64.random(in: 1 ... .max), low: UInt16.random(in: 0 ... .max))
    }
}

/// On whose behalf an operation is done, and when.
package struct Authority: Sendable {
    package let caller: Caller
    /// Milliseconds since 1970, UTC.
    package var now: Int64
    /// The session or token by which they were recognized, if it was by one.
    private let secret: SecretToken?
    /// Where an environment, zone or thing is now; `nil` without a model at hand.
    private let place: (@Sendable (Scope) -> AccessObject?)?

    /// - Parameter place: Where an environment, zone or thing is now; it returns `nil` for what is gone.
    package init(
        _ caller: Caller,
        by secret: SecretToken? = nil,
        at now: Int64,
        place: (@Sendable (Scope) -> AccessObject?)? = nil
    ) {
        (self.caller, self.secret, self.now, self.place) = (caller, secret, now, place)
    }

    /// The program itself, which may do everything that the rules allow.
    package static func program(at now: Int64) -> Authority { Authority(.nobody, at: now) }

    /// The user who is the caller, if without a token that allows less.
    var user: AccountID? {
        guard case .user(let id, let ceiling) = caller, ceiling == nil || ceiling == .own else { return nil }
        return id
    }

    /// The user who gives something, for the record.
    var giver: AccountID? {
        guard case .user(let id, _) = caller else { return nil }
        return id
    }

    /// The session or token as it is stored; `nil` for who was recognized by none.
    ///
    /// - Throws: ``AccountsError/unauthenticated(_:)`` if it was removed meanwhile.
    func storedSecret(_ database: Database) throws -> SecretRecord? {
        guard let secret else { return nil }
        guard let record = try AccountsStore.record(of: secret, database) else {
            throw AccountsError.unauthenticated("the \(secret.kind.rawValue) has ended; sign in again")
        }
        return record
    }

    package func requireAdministration(_ table: AccessTable) throws(AccountsError) {
        try require(table.verdict(of: caller, .own, on: .administration, at: now))
    }

    /// Requires that the caller is this user, or administers.
    package func require(_ user: AccountID, or table: AccessTable) throws(AccountsError) {
        if self.user == user, table.user(user)?.state == .active { return }
        if case .user(user, let ceiling?) = caller, ceiling < .own {
            try require(.refused(.ceiling(ceiling)))
        }
        try requireAdministration(table)
    }

    /// What owns a scope must own: gone things, and everything, need who administers.
    func object(of scope: Scope) -> AccessObject {
        (scope == .all ? nil : AccessObject(scope) { place?($0) }) ?? .administration
    }

    package func requireGiving(_ scope: Scope, _ table: AccessTable) throws(AccountsError) {
        try require(table.mayGive(caller, scope, at: now) { place?($0) })
    }

    /// Requires that a grant may be taken away: owners of a part take the `own` of others only if they gave it, so that
    /// nobody loses what they had before whom they let in.
    func requireTaking(_ grant: Grant, _ table: AccessTable) throws(AccountsError) {
        guard grant.access == .own, let user, grant.giver != user, grant.grantee != .user(user),
            !isAdministrator(table)
        else { return }
        throw .refused("not allowed: an 'own' is taken away by who gave it, or by who has 'own all'")
    }

    /// Requires that an environment, zone or thing is there, as far as that can be known.
    func requireExistence(of scope: Scope) throws(AccountsError) {
        switch scope {
        // A device may be listed later, or be one of the database that is hidden now.
        case .all, .devices, .device, .group: return
        case .environment, .zone, .thing:
            guard let place, place(scope) == nil else { return }
            throw .unknown("there is no \(scope)")
        }
    }

    private func require(_ verdict: Verdict) throws(AccountsError) {
        if case .refused(let reason) = verdict { throw .refused("not allowed: \(reason)") }
    }
}

extension AccessTable {
    /// The user of a name, or an error with a hint.
    package func requireUser(_ name: String) throws(AccountsError) -> User {
        guard let user = user(named: name) else {
            throw .unknown("there is no user \(quoted(name))\(hint(name, users.map(\.name)))")
        }
        return user
    }

    /// The group of a name, or an error with a hint.
    package func requireGroup(_ name: String) throws(AccountsError) -> Grouping {
        guard let group = group(named: name) else {
            throw .unknown("there is no group \(quoted(name))\(hint(name, groups.map(\.name)))")
        }
        return group
    }
}
