package import Databases
import GRDB

/// The tables of `history.db`, which are nobody's contract.
///
/// Everything is stored in the order in which it is written: what is written at random costs a page for each row.
/// - `sample` has the latest samples as they come; `packed` has the older ones, a row for each thing in each round of packing.
/// - `sums` has those of each group, by its beginning and then by thing, since the groups of all things end together;
///   `packed_sums` has the older ones, a row for each thing and span of groups, by the end of the span and then by thing.
package enum HistorySchema {
    /// The tables.
    package static var schema: DatabaseSchema { DatabaseSchema(migrations) }

    private static var migrations: DatabaseMigrator {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("v1") { database in
            try database.execute(
                sql: """
                    CREATE TABLE thing (number INTEGER PRIMARY KEY, id TEXT UNIQUE, interval TEXT NOT NULL,
                        first INTEGER NOT NULL) STRICT;
                    CREATE TABLE sample (row INTEGER PRIMARY KEY, thing INTEGER NOT NULL, at INTEGER NOT NULL,
                        body BLOB NOT NULL) STRICT;
                    CREATE TABLE round (number INTEGER PRIMARY KEY, first INTEGER NOT NULL, last INTEGER NOT NULL,
                        packed INTEGER NOT NULL) STRICT;
                    CREATE TABLE packed (key INTEGER PRIMARY KEY, first INTEGER NOT NULL, last INTEGER NOT NULL,
                        body BLOB NOT NULL) STRICT;
                    CREATE TABLE sums (key INTEGER PRIMARY KEY, body BLOB NOT NULL) STRICT;
                    CREATE TABLE mark (name TEXT PRIMARY KEY, value INTEGER NOT NULL) STRICT;
                    """
            )
        }
        migrator.registerMigration("v2") { database in
            try database.execute(
                sql: "CREATE TABLE packed_sums (key INTEGER PRIMARY KEY, body BLOB NOT NULL) STRICT"
            )
        }
        return migrator
    }

    /// The columns of each table.
    private static let columns = [
        "thing": ["number", "id", "interval", "first"], "sample": ["row", "thing", "at", "body"],
        "round": ["number", "first", "last", "packed"], "packed": ["key", "first", "last", "body"],
        "sums": ["key", "body"], "packed_sums": ["key", "body"], "mark": ["name", "value"],
    ]

    /// Whether all tables are there with all their columns, so that no statement can be wrong.
    static func isWhole(_ database: Database) throws -> Bool {
        try columns.allSatisfy { table, columns in
            let sql = "SELECT name FROM pragma_table_info(?) ORDER BY cid"
            return try String.fetchAll(database, sql: sql, arguments: [table]) == columns
        }
    }

    /// Whether a table is there that no migration is known to have made.
    static func hasUnknownTables(_ database: Database) throws -> Bool {
        guard try migrations.appliedIdentifiers(database).isEmpty else { return false }
        return try columns.keys.contains { try database.tableExists($0) }
    }

    /// The error of a file whose tables are others.
    static let damage = DatabaseError(
        resultCode: .SQLITE_CORRUPT,
        message: "a table is missing, or is another one"
    )
}

/// The key of a row that belongs to a thing: what comes first in the order, and the thing's number in the lowest bits.
enum ThingKey {
    private static let bits: Int64 = 24
    /// The greatest number of a thing.
    static let maximumNumber: Int64 = 1 << bits - 1
    /// What a thing's number may be.
    static let numbers: ClosedRange<Int64> = 1...maximumNumber
    /// What a round's number may be: what is left of 64 bits.
    static let rounds: ClosedRange<Int64> = 1...(1 << 38)
    private static let minute: Int64 = 60_000

    /// In a round of packing.
    static func packed(_ round: Int64, _ number: Int64) -> Int64 { round << bits | number }

    /// All of a round.
    static func packed(_ round: Int64) -> Range<Int64> { packed(round, 0)..<packed(round + 1, 0) }

    /// Sums of the group that begins at a time, which is a legal one: 38 bits of minutes, and their sign.
    ///
    /// Of packed sums it is the end of their span, so that what is too old comes first.
    static func sums(_ start: Int64, _ number: Int64) -> Int64 { (start / minute) << bits | number }

    /// The time in a key of sums.
    static func start(of key: Int64) -> Int64 { (key >> bits) &* minute }

    /// The thing's number in a key.
    static func number(of key: Int64) -> Int64 { key & maximumNumber }

    /// Keys of sums, of all legal times and somewhat more: a span may begin before them, and end behind.
    static let legalSums: ClosedRange<Int64> = -(1 << 62)...(1 << 62)
}

/// What is remembered besides the tables, by name; by the name of an interval, where the packing of its sums goes on.
enum Mark: String {
    /// The samples up to this row are in the stored sums.
    case summed
    /// Samples are complete from this time on; milliseconds since 1970.
    case samplesFrom
    /// Sums are complete from this time on.
    case sumsFrom
}
