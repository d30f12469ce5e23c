package import Bindings
import GRDB
import People

/// What programs keep between their runs.
///
/// - Source: contrib/contract/bindings.md, "Instances".
extension AccountsStore {
    /// All instances, by tag; a damaged row is left out.
    package func instances() throws(AccountsError) -> [AppInstance] {
        try read { database in
            try Row.fetchAll(database, sql: "SELECT * FROM instance ORDER BY tag").compactMap {
                AppInstance($0)
            }
        }
    }

    package func instance(_ tag: String) throws(AccountsError) -> AppInstance? {
        try read { database in
            let sql = "SELECT * FROM instance WHERE tag = ?"
            return try Row.fetchOne(database, sql: sql, arguments: [tag]).flatMap { AppInstance($0) }
        }
    }

    /// Adds an instance, or replaces the one with its tag.
    ///
    /// - Throws: ``AccountsError/refused(_:)`` if there are too many.
    package func save(_ instance: AppInstance) throws(AccountsError) {
        try write { database in
            let isKnown = try Self.exists(
                database,
                "SELECT 1 FROM instance WHERE tag = ?",
                [instance.tag]
            )
            guard try isKnown || Self.count(database, "instance") < PeopleLimits.instances else {
                throw AccountsError.refused(
                    "there are \(PeopleLimits.instances) instances, and no more are possible;"
                        + " `trilateral instance rm` removes one"
                )
            }
            try database.execute(
                sql: """
                    INSERT OR REPLACE INTO instance (tag, realm, site, owner, thing, installation, format)
                    VALUES (?, ?, ?, ?, ?, ?, ?)
                    """,
                arguments: [
                    instance.tag, instance.realm, instance.site.rawValue, instance.owner.map { "\($0)" },
                    instance.thing.map { "\($0)" }, instance.installation, instance.format,
                ]
            )
        }
    }

    /// Removes an instance.
    ///
    /// - Returns: Whether it was there.
    package func removeInstance(_ tag: String) throws(AccountsError) -> Bool {
        try write { database in
            try database.execute(sql: "DELETE FROM instance WHERE tag = ?", arguments: [tag])
            return database.changesCount > 0
        }
    }

    package func removeInstances() throws(AccountsError) {
        try write { try $0.execute(sql: "DELETE FROM instance") }
    }
}

extension AppInstance {
    /// `nil` for a damaged row.
    ///
    /// Of a newer format only the tag, the application and the format are sure: it is refused for its format
    /// before anything else is looked at.
    fileprivate init?(_ row: Row) {
        let format: Int = row["format"]
        do throws(StoredColumns.Damage) {
            let columns = StoredColumns(row)
            self.init(
                row["tag"],
                realm: row["realm"],
                site: try columns.required("site") { Site(rawValue: $0) },
                owner: try columns.optional("owner") { Grantee($0) },
                thing: try columns.optional("thing") { BindingID($0) },
                installation: row["installation"],
                format: format
            )
        } catch {
            guard format > Self.currentFormat else { return nil }
            self.init(row["tag"], realm: row["realm"], site: .unitedStates, format: format)
        }
    }
}
