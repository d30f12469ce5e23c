import GRDB
package import People

extension AccountsStore {
    /// Adds a grant of what the giver owns, which ends no later than their own; an equal one is not added again.
    ///
    /// - Parameter grant: Its identifier, giver and share are ignored.
    /// - Returns: The identifier.
    package func addGrant(_ grant: Grant, by authority: Authority) throws(AccountsError)
        -> Int64
    {
        try checkDates(starts: grant.starts, ends: grant.ends, at: authority.now)
        return try write(by: authority) { database in
            let table = try self.table(giving: grant.scope, database)
            try authority.requireGiving(grant.scope, table)
            try authority.requireExistence(of: grant.scope)
            try Self.check(grant, in: table)
            var grant = grant
            (grant.giver, grant.share, grant.accepted) = (authority.giver, false, nil)
            try authority.limit(&grant, table, database)
            if let equal = try Self.equal(grant, database) { return equal }
            try authority.requireRoom(table, database)
            return try AccountsSchema.insert(grant, database)
        }
    }

    /// Takes a grant away: whoever may give it may, and of a share also its user.
    package func removeGrant(_ id: Int64, by authority: Authority) throws(AccountsError) {
        try write(by: authority) { database in
            let table = try self.table(giving: .all, database)
            guard let grant = try Grant.find(id, database) else {
                try Self.removeDamaged(id, database, table, authority)
                return
            }
            let isOwnShare = grant.share && authority.user.map { grant.grantee == .user($0) } ?? false
            if !isOwnShare {
                try authority.requireGiving(grant.scope, table)
                try authority.requireTaking(grant, table)
            }
            try Self.keepingOwner(database, table, at: authority.now) {
                try database.execute(sql: "DELETE FROM permission WHERE id = ?", arguments: [id])
                try Self.removeUngiven(database)
            }
        }
    }

    /// Removes a row that cannot be understood.
    private static func removeDamaged(
        _ id: Int64,
        _ database: Database,
        _ table: AccessTable,
        _ authority: Authority
    ) throws {
        try authority.requireAdministration(table)
        try database.execute(sql: "DELETE FROM permission WHERE id = ?", arguments: [id])
        guard database.changesCount > 0 else { throw AccountsError.noRow("grant", id) }
    }

    // MARK: Shares

    /// Offers a thing to a user; a second share of the pair replaces the first and keeps its identifier.
    ///
    /// - Returns: The identifier.
    package func addShare(_ share: Share, by authority: Authority) throws(AccountsError)
        -> Int64
    {
        try checkDates(starts: share.starts, ends: share.ends, at: authority.now)
        guard share.access < .own else {
            throw .badValue("a share gives read or write; give 'own' with a grant")
        }
        guard authority.giver != share.user else { throw .refused("nobody shares a thing with themselves") }
        return try write(by: authority) { database in
            let table = try self.table(giving: .thing(share.thing), database)
            try authority.requireGiving(.thing(share.thing), table)
            try authority.requireExistence(of: .thing(share.thing))
            let replaced = share.replaced(in: table)
            var limited = share
            let source = try authority.limit(&limited, table, database)
            var grant = limited.grant(id: 0, by: authority.giver, replacing: replaced)
            grant.source = source
            try Self.check(grant, in: table)
            guard let replaced else {
                try authority.requireRoom(table, database)
                return try AccountsSchema.insert(grant, database)
            }
            try database.execute(
                sql: """
                    UPDATE permission SET access = ?, starts = ?, ends = ?, giver = ?, source = ?, accepted = ?,
                        kept_access = ?, kept_starts = ?, kept_ends = ? WHERE id = ?
                    """,
                arguments: [
                    grant.access.rawValue, grant.starts, grant.ends, grant.giver.map { "\($0)" },
                    grant.source,
                    grant.accepted, grant.kept?.access.rawValue, grant.kept?.starts, grant.kept?.ends,
                    replaced.id,
                ]
            )
            return replaced.id
        }
    }

    /// Accepts a share: its user does, or an administrator for them; twice is no error.
    package func acceptShare(_ id: Int64, by authority: Authority) throws(AccountsError) {
        try write(by: authority) { database in
            let table = try AccessTable(reading: database, .administration)
            // Shares of other people are answered as ones that do not exist.
            guard let grant = try Grant.find(id, database), grant.share,
                case .user(let user) = grant.grantee,
                authority.user == user || authority.isAdministrator(table)
            else { throw AccountsError.noRow("share", id) }
            try database.execute(
                sql: """
                    UPDATE permission SET accepted = ?, kept_access = NULL, kept_starts = NULL, kept_ends = NULL
                    WHERE id = ? AND (accepted IS NULL OR kept_access IS NOT NULL)
                    """,
                arguments: [authority.now, id]
            )
        }
    }

    // MARK: Checks

    /// The grant that is the same, and goes when the new one would.
    static func equal(_ grant: Grant, _ database: Database) throws -> Int64? {
        try Int64.fetchOne(
            database,
            sql: """
                SELECT id FROM permission WHERE scope = ? AND grantee = ? AND access = ? AND starts IS ? AND ends IS ?
                    AND source IS ? AND (source IS NULL OR giver IS ?) AND share = 0 ORDER BY id LIMIT 1
                """,
            arguments: [
                "\(grant.scope)", "\(grant.grantee)", grant.access.rawValue, grant.starts, grant.ends,
                grant.source, grant.giver.map { "\($0)" },
            ]
        )
    }

    private static func check(_ grant: Grant, in table: AccessTable) throws {
        switch grant.grantee {
        case .user(let id):
            guard table.user(id) != nil else { throw AccountsError.unknown("there is no such user") }
        case .group(let id):
            guard let group = table.group(id) else { throw AccountsError.unknown("there is no such group") }
            guard group.kind == .users else {
                throw AccountsError.conflict(
                    "the group \(quoted(group.name)) is one of things; grants go to users"
                )
            }
        }
        if case .group(let id) = grant.scope {
            guard let group = table.group(id) else { throw AccountsError.unknown("there is no such group") }
            guard group.kind == .things else {
                throw AccountsError.conflict(
                    "the group \(quoted(group.name)) is one of users; grants are about things"
                )
            }
        }
    }
}

extension Authority {
    /// Requires that another grant is possible: nobody uses up what others need, and who administers finds room.
    fileprivate func requireRoom(_ table: AccessTable, _ database: Database) throws {
        if !isAdministrator(table), let giver {
            let given = try Int.fetchOne(
                database,
                sql: "SELECT COUNT(*) FROM permission WHERE giver = ?",
                arguments: ["\(giver)"]
            )
            guard given ?? 0 < PeopleLimits.grantsGiven else {
                throw AccountsError.refused(
                    "you have given \(PeopleLimits.grantsGiven) rights, and no more are possible"
                )
            }
        }
        try requireRoom(in: table, for: 1, database)
    }

    /// Requires that there is room for further grants, whoever has given how many.
    func requireRoom(in table: AccessTable, for added: Int, _ database: Database) throws {
        let most = PeopleLimits.grants - (isAdministrator(table) ? 0 : PeopleLimits.grantsOfAdministrators)
        guard try AccountsStore.count(database, "permission") + added <= most else {
            throw AccountsError.refused("there are \(most) grants, and no more are possible")
        }
    }

    func isAdministrator(_ table: AccessTable) -> Bool {
        table.verdict(of: caller, .own, on: .administration, at: now).isGranted
    }
}
