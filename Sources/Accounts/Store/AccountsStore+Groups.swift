package import Flare
import GRDB
package import People

/// Who is to join or to leave a group.
package enum MemberNames: Sendable, Hashable {
    /// Names of users.
    case users([String])
    case things([FlareID])

    fileprivate var kind: Grouping.Kind {
        switch self {
        case .users: .users
        case .things: .things
        }
    }

    /// As they are stored.
    fileprivate func words(_ table: AccessTable) throws -> [String] {
        switch self {
        case .users(let names): try names.map { "\(try table.requireUser($0).id)" }
        case .things(let ids): ids.map { "\($0)" }
        }
    }
}

extension AccountsStore {
    package func addGroup(
        _ name: String,
        of kind: Grouping.Kind,
        by authority: Authority
    ) throws(AccountsError) -> AccountID {
        try administer(authority) { database, _ in
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
    package func removeGroup(_ name: String, by authority: Authority) throws(AccountsError) {
        try administer(authority) { database, table in
            let id = try table.requireGroup(name).id
            guard id != .everybody else { throw AccountsError.refused("the group \"all\" is built in") }
            try database.execute(sql: "DELETE FROM grouping WHERE id = ?", arguments: ["\(id)"])
            try database.execute(sql: "DELETE FROM member WHERE grouping = ?", arguments: ["\(id)"])
            try database.execute(
                sql: "DELETE FROM permission WHERE grantee = ? OR scope = ?",
                arguments: ["\(Grantee.group(id))", "\(Scope.group(id))"]
            )
            try Self.removeFromBindings(.group(id), database)
            try Self.removeUngiven(database)
        }
    }

    /// Adds members to a group, or removes them; members that are there, or gone, already are no error.
    package func change(
        _ group: String,
        _ members: MemberNames,
        joins: Bool,
        by authority: Authority
    ) throws(AccountsError) {
        try administer(authority) { database, table in
            let words = try members.words(table)
            if joins { try authority.requireLasting(table, database) }
            let group = try table.requireGroup(group)
            if joins { return try Self.add(words, to: group, members.kind, database) }
            try Self.check(group, members.kind)
            for word in words {
                try database.execute(
                    sql: "DELETE FROM member WHERE grouping = ? AND member = ?",
                    arguments: ["\(group.id)", word]
                )
            }
            if members.kind == .users { try Self.removeUngiven(database) }
        }
    }

    /// - Parameter members: As they are stored.
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
