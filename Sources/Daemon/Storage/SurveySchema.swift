import GRDB

/// The tables of surveys.
///
/// - Source: contrib/contract/positioning.md, "6.10 Survey".
enum SurveySchema {
    static func add(_ database: Database) throws {
        try database.execute(
            sql: """
                CREATE TABLE survey_point (id INTEGER PRIMARY KEY AUTOINCREMENT, environment TEXT NOT NULL,
                    floor INTEGER NOT NULL, name TEXT NOT NULL, x REAL NOT NULL, y REAL NOT NULL, z REAL NOT NULL,
                    receiver TEXT NOT NULL, taken_at INTEGER NOT NULL, seconds REAL,
                    UNIQUE (environment, receiver, name)) STRICT;
                CREATE TABLE survey_level (point INTEGER NOT NULL, thing TEXT NOT NULL, level_db REAL NOT NULL,
                    packets REAL NOT NULL, spread_db REAL, PRIMARY KEY (point, thing)) STRICT;
                CREATE TABLE survey_beacon (environment TEXT NOT NULL, thing TEXT NOT NULL, x REAL NOT NULL,
                    y REAL NOT NULL, z REAL NOT NULL, power_dbm REAL, floor INTEGER NOT NULL,
                    PRIMARY KEY (environment, thing)) STRICT;
                """
        )
    }
}
