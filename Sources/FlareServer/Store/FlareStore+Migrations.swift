package import Databases
import GRDB

extension FlareStore {
    /// The tables; existing steps are never changed, new ones are appended.
    package static let schema: DatabaseSchema = {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("v1") { db in
            // A table per class. `sequence` is the order of creation over all classes, `document` the JSON.
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
        return DatabaseSchema(migrator)
    }()
}
