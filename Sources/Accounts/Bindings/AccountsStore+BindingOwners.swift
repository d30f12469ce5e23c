package import Bindings
package import Flare
import GRDB
package import People
import Text

/// Owners of a binding: rows of their own until a thing of the place is linked, then grants `own` of it.
///
/// - Source: contrib/contract/people.md, "Giving".
extension AccountsStore {
    /// Adds an owner while no thing is linked; one that is there already is no error.
    ///
    /// - Throws: ``AccountsError/conflict(_:)`` if a thing is linked: its owners are grants.
    package func addOwner(_ grantee: Grantee, of id: BindingID) throws(AccountsError) {
        try write { database in
            try Self.requireUnlinked(id, database)
            try Self.requireExistence(of: grantee, database)
            try database.execute(
                sql: "INSERT OR IGNORE INTO binding_owner (binding, grantee) VALUES (?, ?)",
                arguments: ["\(id)", "\(grantee)"]
            )
        }
    }

    /// Removes an owner while no thing is linked; one that is not there is no error.
    ///
    /// - Throws: ``AccountsError/conflict(_:)`` if a thing is linked: its owners are grants.
    package func removeOwner(_ grantee: Grantee, of id: BindingID) throws(AccountsError) {
        try write { database in
            try Self.requireUnlinked(id, database)
            try database.execute(
                sql: "DELETE FROM binding_owner WHERE binding = ? AND grantee = ?",
                arguments: ["\(id)", "\(grantee)"]
            )
        }
    }

    /// Links a thing of the place, which the binding's owners own then; a link to another thing ends first, and what an
    /// owner has asked for is done.
    ///
    /// Who may link is decided elsewhere. Whoever links a thing that was there gives their own right on, as
    /// with every grant, and so that right must have no end. A thing that was made is its owners' for good.
    /// Grants that are there stay.
    /// - Parameters:
    ///   - isMade: Whether the thing was made for the binding.
    ///   - giver: The user who links; `nil` for the program.
    ///   - object: Where the thing is; without it the giver's rights in its zone and environment are unknown.
    /// - Throws: ``AccountsError/refused(_:)`` if another binding has the thing, if the giver's right ends, or
    ///   if there are too many grants.
    package func linkBinding(
        _ id: BindingID,
        to thing: FlareID,
        isMade: Bool,
        route: ThingBinding.Route,
        giver: AccountID?,
        of object: AccessObject? = nil,
        at now: Int64
    ) throws(AccountsError) {
        try write { database in
            if let former = try Self.link(of: id, database).thing, former != thing {
                try Self.unlink(id, from: former, database, at: now)
            }
            try Self.requireFree(thing, for: id, database)
            try database.execute(
                sql: """
                    UPDATE binding
                    SET thing = ?, made_thing = ?, making = 0, route = ?, wish_thing = NULL, wish_zone = NULL
                    WHERE id = ?
                    """,
                arguments: ["\(thing)", isMade ? 1 : 0, route.rawValue, "\(id)"]
            )
            let owners = try Self.owners(of: id, database)
            try database.execute(sql: "DELETE FROM binding_owner WHERE binding = ?", arguments: ["\(id)"])
            guard !owners.isEmpty else { return }
            let table = try AccessTable(reading: database, .giving(.thing(thing)))
            let place = object ?? .thing(thing, zone: nil, environment: nil)
            let origin = isMade ? nil : giver.flatMap { table.origin(for: $0, place, at: now) }
            if let end = origin?.ends {
                throw AccountsError.refused(
                    "not allowed: an owner has no end, and your 'own' of the thing ends"
                        + " \(CivilTime(milliseconds: end).shortText)"
                )
            }
            let grants = try owners.map { owner in
                var grant = Grant(id: 0, owner, .own, .thing(thing), giver: giver)
                if let giver, let origin {
                    let isHomes = origin.scope == .all && !table.includes(giver, in: owner)
                    grant.source = isHomes ? nil : origin.id
                } else if owner == giver.map({ .user($0) }) {
                    // A thing of one's own is not given, and does not count among what one may give.
                    grant.giver = nil
                }
                return grant
            }.filter { try !Self.isThere($0, database, at: now) }
            let authority = Authority(giver.map { .user($0) } ?? .nobody, at: now)
            try authority.requireRoom(in: table, for: grants.count, database)
            for grant in grants { try AccountsSchema.insert(grant, database) }
        }
    }

    /// Ends the link to a thing, as when it was removed: who owns it for good owns the binding instead.
    ///
    /// Grants that end, or have not begun, stay what they are. Without a link nothing happens.
    package func unlinkBinding(_ id: BindingID, at now: Int64) throws(AccountsError) {
        try write { database in
            guard let thing = try Self.link(of: id, database).thing else { return }
            try Self.unlink(id, from: thing, database, at: now)
        }
    }

    // MARK: Rows

    static func owners(of id: BindingID, _ database: Database) throws -> [Grantee] {
        try String.fetchAll(
            database,
            sql: "SELECT grantee FROM binding_owner WHERE binding = ? ORDER BY grantee",
            arguments: ["\(id)"]
        ).compactMap { Grantee($0) }
    }

    /// Requires that no other binding has a thing.
    static func requireFree(_ thing: FlareID, for id: BindingID, _ database: Database) throws {
        let sql = "SELECT vendor FROM binding WHERE thing = ? AND id <> ?"
        guard let other = try String.fetchOne(database, sql: sql, arguments: ["\(thing)", "\(id)"]) else {
            return
        }
        throw AccountsError.refused("the thing \(thing) is linked to \(quoted(other)) already")
    }

    /// A grant that gives the same and lasts as long, or longer.
    private static func isThere(_ grant: Grant, _ database: Database, at now: Int64) throws -> Bool {
        if try equal(grant, database) != nil { return true }
        return try exists(
            database,
            "SELECT 1 FROM permission WHERE \(lasting) AND grantee = ?3 AND source IS NULL",
            ["\(grant.scope)", now, "\(grant.grantee)"]
        )
    }

    /// The grants `own` of a scope that count now and have no end.
    private static let lasting = """
        scope = ?1 AND access = 'own' AND share = 0 AND (starts IS NULL OR starts <= ?2) AND ends IS NULL
        """

    private static func unlink(
        _ id: BindingID,
        from thing: FlareID,
        _ database: Database,
        at now: Int64
    ) throws {
        let scope = "\(Scope.thing(thing))"
        try database.execute(
            sql: """
                INSERT OR IGNORE INTO binding_owner (binding, grantee)
                SELECT ?3, grantee FROM permission WHERE \(lasting)
                """,
            arguments: [scope, now, "\(id)"]
        )
        try database.execute(sql: "DELETE FROM permission WHERE \(lasting)", arguments: [scope, now])
        try removeUngiven(database)
        try database.execute(
            sql: "UPDATE binding SET thing = NULL, made_thing = 0 WHERE id = ?",
            arguments: ["\(id)"]
        )
    }

    /// The vendor of a binding and the thing that is linked.
    private static func link(of id: BindingID, _ database: Database) throws -> (
        vendor: String, thing: FlareID?
    ) {
        let sql = "SELECT vendor, thing FROM binding WHERE id = ?"
        guard let row = try Row.fetchOne(database, sql: sql, arguments: ["\(id)"]) else {
            throw AccountsError.noRow("thing", id)
        }
        let thing: String? = row[1]
        return (row[0], thing.flatMap { FlareID($0) })
    }

    private static func requireUnlinked(_ id: BindingID, _ database: Database) throws {
        let link = try link(of: id, database)
        guard let thing = link.thing else { return }
        throw AccountsError.conflict(
            "\(quoted(link.vendor)) is linked: its owners are those with a grant 'own' of thing:\(thing)"
        )
    }

    private static func requireExistence(of grantee: Grantee, _ database: Database) throws {
        switch grantee {
        case .user(let id):
            guard try user(id, database) == nil || id == .listener else { return }
            throw AccountsError.unknown("there is no such user")
        case .group(let id):
            let sql = "SELECT name, kind FROM grouping WHERE id = ?"
            guard let row = try Row.fetchOne(database, sql: sql, arguments: ["\(id)"]) else {
                throw AccountsError.unknown("there is no such group")
            }
            guard Grouping.Kind(rawValue: row[1]) == .users else {
                throw AccountsError.conflict("the group \(quoted(row[0])) is one of things; owners are users")
            }
        }
    }
}
