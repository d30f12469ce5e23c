package import Bindings
package import Flare
import GRDB
package import JSON
package import People

/// What a thing reported.
package struct BindingReport: Sendable, Hashable {
    package let id: BindingID
    /// `nil` if it was only heard.
    package let state: JSONObject?
    /// When it had the state, milliseconds since 1970, UTC; `nil` leaves that as it is.
    package let at: Int64?
    /// When it was heard, milliseconds since 1970, UTC; `nil` if it was not: somebody else reported it.
    package let seen: Int64?

    package init(_ id: BindingID, state: JSONObject?, at: Int64? = nil, seen: Int64?) {
        (self.id, self.state, self.at, self.seen) = (id, state, at, seen)
    }
}

/// Things as those know them who onboard them.
///
/// Who may do what is decided elsewhere. Each operation is a transaction, also inside of ``atomically(_:)``.
/// - Source: contrib/contract/bindings.md, "Onboarding".
extension AccountsStore {
    /// All bindings, by vendor; a damaged row is left out.
    package func bindings() throws(AccountsError) -> [StoredBinding] {
        try read { database in
            var owners: [String: [Grantee]] = [:]
            let sql = "SELECT binding, grantee FROM binding_owner ORDER BY grantee"
            let rows = try Row.fetchCursor(database, sql: sql)
            while let row = try rows.next() {
                if let grantee = Grantee(row[1]) { owners[row[0], default: []].append(grantee) }
            }
            var bindings: [StoredBinding] = []
            let bindingRows = try Row.fetchCursor(database, sql: "SELECT * FROM binding ORDER BY vendor")
            while let row = try bindingRows.next() {
                guard let binding = ThingBinding(row) else { continue }
                let isLinked = binding.thing != nil
                bindings.append(StoredBinding(binding, owners: isLinked ? [] : owners[row["id"]] ?? []))
            }
            return bindings
        }
    }

    /// `nil` if there is none, or if its row is damaged; so for the other two.
    package func binding(_ id: BindingID) throws(AccountsError) -> StoredBinding? {
        try binding(where: "id", is: "\(id)")
    }

    package func binding(ofVendor vendor: String) throws(AccountsError) -> StoredBinding? {
        try binding(where: "vendor", is: vendor)
    }

    package func binding(ofThing thing: FlareID) throws(AccountsError) -> StoredBinding? {
        try binding(where: "thing", is: "\(thing)")
    }

    /// Whether a binding is the gateway of others.
    package func hasEndNodes(_ id: BindingID) throws(AccountsError) -> Bool {
        try read { try Self.exists($0, "SELECT 1 FROM binding WHERE gateway = ?", ["\(id)"]) }
    }

    /// The names of those with a user of the broker, and whether they speak for end nodes, too; an end node has none.
    package func brokerThings() throws(AccountsError) -> [(vendor: String, isGateway: Bool)] {
        try read { database in
            let sql = """
                SELECT vendor, owned AND (ifnull(layout = ?, 0) OR EXISTS (
                    SELECT 1 FROM binding AS node WHERE node.gateway = binding.id
                )) FROM binding WHERE gateway IS NULL ORDER BY vendor
                """
            let gateway = ThingBinding.Layout.gateway.rawValue
            return try Row.fetchAll(database, sql: sql, arguments: [gateway]).map { row in
                (vendor: row[0], isGateway: row[1])
            }
        }
    }

    private func binding(where column: String, is value: String) throws(AccountsError) -> StoredBinding? {
        try read { database in
            let sql = "SELECT * FROM binding WHERE \(column) = ?"
            guard let row = try Row.fetchOne(database, sql: sql, arguments: [value]),
                let binding = ThingBinding(row)
            else { return nil }
            let owners = binding.thing == nil ? try Self.owners(of: binding.id, database) : []
            return StoredBinding(binding, owners: owners)
        }
    }

    /// Adds a binding, or changes everything of it but its vendor, password and time of making, and its state.
    ///
    /// The state comes by ``saveReports(_:)`` alone, so that no older one is put back. Its owners stay as they are;
    /// ``linkBinding(_:to:isMade:route:giver:of:at:)`` changes both.
    /// - Throws: ``AccountsError/refused(_:)`` if there are too many, or another has the vendor or the thing.
    package func saveBinding(_ binding: ThingBinding) throws(AccountsError) {
        try write { database in
            if let thing = binding.thing { try Self.requireFree(thing, for: binding.id, database) }
            if try !Self.exists(database, "SELECT 1 FROM binding WHERE id = ?", ["\(binding.id)"]) {
                try Self.requireRoom(for: binding, database)
            }
            try database.execute(sql: Self.saving, arguments: binding.stored)
        }
    }

    /// Adds a row, or changes the one with the identifier.
    private static let saving: String = {
        let columns = ThingBinding.columns
        let kept = ["id", "vendor", "password", "made", "state", "state_at"]
        let changes = columns.filter { !kept.contains($0) }.map { "\($0) = excluded.\($0)" }
        return """
            INSERT INTO binding (\(columns.joined(separator: ", ")))
            VALUES (\(columns.map { _ in "?" }.joined(separator: ", ")))
            ON CONFLICT (id) DO UPDATE SET \(changes.joined(separator: ", "))
            """
    }()

    private static func requireRoom(for binding: ThingBinding, _ database: Database) throws {
        guard try !exists(database, "SELECT 1 FROM binding WHERE vendor = ?", [binding.vendor]) else {
            throw AccountsError.refused("there is a thing of vendor name \(quoted(binding.vendor)) already")
        }
        guard try count(database, "binding") < PeopleLimits.bindings else {
            throw AccountsError.refused(
                "there are \(PeopleLimits.bindings) things with owners, and no more are possible;"
                    + " `trilateral thing forget` removes one"
            )
        }
    }

    /// Stores what many things reported, in order and in one transaction.
    package func saveReports(_ reports: [BindingReport]) throws(AccountsError) {
        try write { database in
            let sql = """
                UPDATE binding SET state = ifnull(?, state), state_at = ifnull(?, state_at), seen = ifnull(?, seen)
                WHERE id = ?
                """
            let statement = try database.cachedStatement(sql: sql)
            for report in reports {
                try statement.execute(arguments: [
                    report.state.map { "\($0)" }, report.at, report.seen, "\(report.id)",
                ])
            }
        }
    }

    /// Removes a binding with its owners and tokens; an unknown one is no error.
    ///
    /// Its end nodes lose their gateway, and instances lose it. Grants of a linked thing stay.
    package func removeBinding(_ id: BindingID) throws(AccountsError) {
        try write { database in
            let text = "\(id)"
            try database.execute(sql: "DELETE FROM binding WHERE id = ?", arguments: [text])
            try database.execute(sql: "DELETE FROM binding_owner WHERE binding = ?", arguments: [text])
            try database.execute(
                sql: "UPDATE binding SET gateway = NULL WHERE gateway = ?",
                arguments: [text]
            )
            try database.execute(sql: "UPDATE instance SET thing = NULL WHERE thing = ?", arguments: [text])
            try Self.endTokens(of: id, database)
        }
    }

    /// Removes a user or a group from owners and instances, and a user's installations.
    static func removeFromBindings(_ grantee: Grantee, _ database: Database) throws {
        let text = "\(grantee)"
        try database.execute(sql: "DELETE FROM binding_owner WHERE grantee = ?", arguments: [text])
        try database.execute(sql: "UPDATE instance SET owner = NULL WHERE owner = ?", arguments: [text])
        guard case .user(let id) = grantee else { return }
        try database.execute(
            sql: """
                UPDATE instance SET installation = NULL
                WHERE installation IN (SELECT id FROM installation WHERE owner = ?)
                """,
            arguments: ["\(id)"]
        )
        try database.execute(sql: "DELETE FROM installation WHERE owner = ?", arguments: ["\(id)"])
    }
}
