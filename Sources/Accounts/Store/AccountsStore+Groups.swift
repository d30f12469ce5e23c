package import Flare
import GRDB
package import People

extension AccountsStore {
    package func addGroup(
        _ name: String,
        of kind: Grouping.Kind,
        by authority: Authority,
        at now: Int64
    ) throws(AccountsError) -> AccountID {
        try administer(authority, at: now) { database, _ in
            guard AccountName.isLegal(name) else {
                throw AccountsError.badValue(
                    "a group's name must be \(AccountName.rule) (is \(quoted(name)))"
                )
            }
            guard try !Self.exists(database, "SELECT 1 FROM grouping WHERE name = ?", [name]) else {
                throw AccountsError.refused("there is a group \(quoted(name)) already")
            }
            // The built-in one is not counted.
            guard try Self.count(database, "grouping") <= PeopleLimits.groups else {
                throw AccountsError.refused(
                    "there are \(PeopleLimits.groups) groups, and no more are possible"
                )
            }
            let id = Self.newID()
            try database.execute(
                sql: "INSERT INTO grouping (id, name, kind) VALUES (?, ?, ?)",
                arguments: ["\(id)", name, kind.rawValue]
            )
            return id
        }
    }

    /// Removes a group with its grants, and the grants about it.
    package func removeGroup(_ name: String, by authority: Authority, at now: Int64) throws(AccountsError) {
        try administer(authority, at: now) { database, table in
            let id = try table.requireGroup(name).id
            guard id != .everybody else { throw AccountsError.refused("the group \"all\" is built in") }
            try database.execute(sql: "DELETE FROM grouping WHERE id = ?", arguments: ["\(id)"])
            try database.execute(sql: "DELETE FROM member WHERE grouping = ?", arguments: ["\(id)"])
            try database.execute(
                sql: "DELETE FROM permission WHERE grantee = ? OR scope = ?",
                arguments: ["\(Grantee.group(id))", "\(Scope.group(id))"]
            )
            try Self.removeUngiven(database)
        }
    }

    /// Adds users to a group of users; who is in it stays.
    package func join(_ group: String, users: [String], by authority: Authority, at now: Int64)
        throws(AccountsError)
    {
        try change(group, .users, joins: true, by: authority, at: now) { table in
            try users.map { try "\(table.requireUser($0).id)" }
        }
    }

    /// Adds things to a group of things; what is in it stays.
    package func join(_ group: String, things: [FlareID], by authority: Authority, at now: Int64)
        throws(AccountsError)
    {
        try change(group, .things, joins: true, by: authority, at: now) { _ in things.map { "\($0)" } }
    }

    /// Takes users out of a group; who is not in it is no error.
    package func leave(_ group: String, users: [String], by authority: Authority, at now: Int64)
        throws(AccountsError)
    {
        try change(group, .users, joins: false, by: authority, at: now) { table in
            try users.map { try "\(table.requireUser($0).id)" }
        }
    }

    /// Takes things out of a group; what is not in it is no error.
    package func leave(_ group: String, things: [FlareID], by authority: Authority, at now: Int64)
        throws(AccountsError)
    {
        try change(group, .things, joins: false, by: authority, at: now) { _ in things.map { "\($0)" } }
    }

    /// - Parameter members: As they are stored.
    private func change(
        _ group: String,
        _ kind: Grouping.Kind,
        joins: Bool,
        by authority: Authority,
        at now: Int64,
        _ members: (AccessTable) throws -> [String]
    ) throws(AccountsError) {
        try administer(authority, at: now) { database, table in
            let members = try members(table)
            if joins { try authority.requireLasting(table, database, at: now) }
            let group = try table.requireGroup(group)
            if joins { return try Self.add(members, to: group, kind, database) }
            try Self.check(group, kind)
            for member in members {
                try database.execute(
                    sql: "DELETE FROM member WHERE grouping = ? AND member = ?",
                    arguments: ["\(group.id)", member]
                )
            }
            if kind == .users { try Self.removeUngiven(database) }
        }
    }

    static func add(_ members: [String], to group: Grouping, _ kind: Grouping.Kind, _ database: Database)
        throws
    {
        try check(group, kind)
        for member in members {
            try database.execute(
                sql: "INSERT OR IGNORE INTO member (grouping, member) VALUES (?, ?)",
                arguments: ["\(group.id)", member]
            )
        }
        let sql = "SELECT COUNT(*) FROM member WHERE grouping = ?"
        let count = try Int.fetchOne(database, sql: sql, arguments: ["\(group.id)"]) ?? 0
        guard count <= PeopleLimits.things else {
            throw AccountsError.refused("a group has at most \(PeopleLimits.things) members")
        }
    }

    private static func check(_ group: Grouping, _ kind: Grouping.Kind) throws(AccountsError) {
        guard group.kind == kind else {
            throw .conflict("the group \(quoted(group.name)) is one of \(group.kind.rawValue)")
        }
    }
}
