import GRDB
import People
import Text
import Threading

/// Nobody gives more than they have, in time either.
///
/// What somebody gives remembers the grant by which they own its scope, and ends no later than it. It is removed with it,
/// in the same transaction, and when its giver leaves the group that has it. What an administrator without an end gives
/// to others is the home's, and stays. Whose device it is by the list has no grant for it: what they give goes when the
/// list names somebody else.
/// - Source: contrib/design/0055-giving.md; contrib/contract/people.md, "Giving".
extension AccountsStore {
    /// Removes grants whose giver has lost the right to give them.
    static func removeUngiven(_ database: Database) throws {
        repeat {
            try database.execute(
                sql: """
                    DELETE FROM permission WHERE source IS NOT NULL AND source <> \(Grant.listOfDevices) AND NOT EXISTS (
                        SELECT 1 FROM permission AS origin WHERE origin.id = permission.source
                            AND (origin.grantee = 'user:' || permission.giver OR EXISTS (
                                SELECT 1 FROM member WHERE 'group:' || member.grouping = origin.grantee
                                    AND member.member = permission.giver)))
                    OR source = \(Grant.listOfDevices) AND giver NOT IN (SELECT id FROM user)
                    """
            )
        } while database.changesCount > 0
    }

    /// Follows a list of devices from now on: what the former users of devices gave by it is removed.
    ///
    /// Where the list is not known, nothing is removed; and nothing of a device that does not count now.
    func use(_ settings: AccountsRegistry.Settings) throws(AccountsError) {
        listedUsers.withLock { $0 = settings.listedUsers }
        // First, so that nobody gives anything more as a former user.
        deviceOwners.withLock { $0 = settings.deviceOwners }
        guard let counting = settings.deviceOwners else { return }
        let owners = counting.merging(settings.hiddenOwners) { owner, _ in owner }
        guard try !formerGrants(owners).isEmpty else { return }
        try write { database in
            for id in try Self.formerGrants(owners, database) {
                try database.execute(sql: "DELETE FROM permission WHERE id = ?", arguments: [id])
            }
            try Self.removeUngiven(database)
        }
    }

    private func formerGrants(_ owners: [String: String]) throws(AccountsError) -> [Int64] {
        try read { try Self.formerGrants(owners, $0) }
    }

    /// What was given by the list of devices, by who is not the user of the device.
    private static func formerGrants(_ owners: [String: String], _ database: Database) throws -> [Int64] {
        let rows = try Row.fetchAll(
            database,
            sql: """
                SELECT permission.id, scope, user.name FROM permission LEFT JOIN user ON user.id = giver
                WHERE source = \(Grant.listOfDevices)
                """
        )
        return rows.compactMap { row in
            let (text, name) = (String.fromDatabaseValue(row[1]), String.fromDatabaseValue(row[2]))
            if let text, case .device(let node)? = Scope(text), let name, owners[node] == name { return nil }
            return row[0]
        }
    }

    /// Users, groups and the grants by which somebody gives others rights on a scope.
    func table(giving scope: Scope, _ database: Database) throws -> AccessTable {
        var table = try AccessTable(reading: database, .giving(scope))
        table.deviceOwners = deviceOwners.withLock { $0 } ?? [:]
        return table
    }

    /// See ``Authority/requireLastingSecret(_:)``.
    package func requireLastingSecret(of authority: Authority) throws(AccountsError) {
        try read { try authority.requireLastingSecret($0) }
    }
}

extension Authority {
    /// Limits a new grant by the right of its giver.
    ///
    /// - Parameter table: With all grants of `own`.
    func limit(_ grant: inout Grant, _ table: AccessTable, _ database: Database) throws {
        guard let giver else { return }
        let object = object(of: grant.scope)
        let isByList = table.isGivenByList(object, by: giver, at: now)
        let origin = isByList ? nil : table.origin(for: giver, object, at: now)
        guard isByList || origin != nil else { return }
        let ends = [grant.ends, origin?.ends, try tokenEnd(database)].compactMap(\.self).min()
        if let starts = grant.starts, let ends, starts >= ends {
            throw AccountsError.refused("not allowed: it would begin after your own right ends")
        }
        grant.ends = ends
        guard let origin else {
            grant.source = Grant.listOfDevices
            return
        }
        let isHomes = origin.scope == .all && origin.ends == nil && !table.includes(giver, in: grant.grantee)
        grant.source = isHomes ? nil : origin.id
    }

    /// Limits a share by the right of its giver.
    ///
    /// - Returns: The grant by which it is given.
    func limit(_ share: inout Share, _ table: AccessTable, _ database: Database) throws
        -> Int64?
    {
        var grant = share.grant(id: 0, by: giver, replacing: nil)
        try limit(&grant, table, database)
        share.ends = grant.ends
        return grant.source
    }

    /// When a new token ends: no later than what it is made with.
    ///
    /// - Parameter until: What is asked for; `nil` for as late as possible.
    func end(ofToken until: Int64?, _ database: Database) throws -> Int64? {
        [until, try storedSecret(database)?.until].compactMap(\.self).min()
    }

    /// Requires, for what has no end of its own, that the right to administer has none either.
    func requireLasting(_ table: AccessTable, _ database: Database) throws {
        try requireLastingSecret(database)
        guard let giver, let end = table.origin(for: giver, .administration, at: now)?.ends else { return }
        throw AccountsError.refused(
            "not allowed: this has no end, and your 'own all' ends \(CivilTime(milliseconds: end).shortText)"
        )
    }

    /// Requires that they were not recognized by a token that ends.
    func requireLastingSecret(_ database: Database) throws {
        guard try tokenEnd(database) != nil else { return }
        throw AccountsError.refused("not allowed: this has no end, and the token ends; sign in to do it")
    }

    /// The end of the token by which they were recognized; a session is the user in person.
    private func tokenEnd(_ database: Database) throws -> Int64? {
        guard let record = try storedSecret(database), record.kind == .token else { return nil }
        return record.until
    }
}
