import GRDB

extension FlareStore {
    /// The steps that make the tables, in order; what stands here is never changed, only added to.
    static let migrations: DatabaseMigrator = {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("v1") { db in
            // A table for each class; `sequence` is the order of creation over all classes, `document` the object
            // as REST shows it.
            for table in ["environment", "zone", "thing", "device"] {
                try db.execute(
                    sql: """
                        CREATE TABLE \(table) (
                            sequence INTEGER PRIMARY KEY,
                            id TEXT NOT NULL UNIQUE,
                            document TEXT NOT NULL
                        ) STRICT
                        """
                )
            }
        }
        return migrator
    }()
}
