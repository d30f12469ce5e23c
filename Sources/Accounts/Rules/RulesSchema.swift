package import GRDB

/// The tables of rules.
///
/// - Source: contrib/contract/rules.md, "Tables, limits, speed".
package enum RulesSchema {
    /// Adds the tables: a later migration than those of ``AccountsSchema``.
    ///
    /// Numbers of rules and firings are never used again, also when the last row is gone: hence AUTOINCREMENT, of
    /// firings until ``lightenFirings(_:)``.
    /// There is no foreign key. A firing outlives its rule, and the memory of a rule goes with it by
    /// ``AccountsStore/removeRule(_:)``. One row that breaks a key, left by another program, would
    /// stop each later migration, and so the daemon.
    package static func add(_ database: Database) throws {
        // Long texts come last, so that the columns before them are read without them.
        try database.execute(
            sql: """
                CREATE TABLE rule (id INTEGER PRIMARY KEY AUTOINCREMENT, slug TEXT NOT NULL UNIQUE,
                    title TEXT NOT NULL, enabled INTEGER NOT NULL, maker TEXT NOT NULL, form TEXT NOT NULL,
                    added INTEGER NOT NULL, changed INTEGER NOT NULL, body TEXT NOT NULL, original TEXT) STRICT;
                CREATE INDEX rule_maker ON rule (maker);
                CREATE TABLE rule_state (rule INTEGER PRIMARY KEY, memory TEXT NOT NULL) STRICT;
                CREATE TABLE firing (seq INTEGER PRIMARY KEY AUTOINCREMENT, epoch TEXT NOT NULL,
                    rule INTEGER NOT NULL, at INTEGER NOT NULL, why TEXT NOT NULL, outcome TEXT, results TEXT,
                    took_ms INTEGER) STRICT;
                CREATE INDEX firing_rule ON firing (rule);
                CREATE INDEX firing_at ON firing (at);
                CREATE INDEX firing_open ON firing (epoch) WHERE outcome IS NULL;
                """
        )
    }

    /// Makes a firing cheap to store, since an action waits for it.
    ///
    /// No index by time: firings are looked for by time once an hour, and all are then looked at. No AUTOINCREMENT,
    /// which writes another page for each row; ``AccountsStore/trimFirings(before:rows:)`` keeps the last number.
    package static func lightenFirings(_ database: Database) throws {
        try database.execute(
            sql: """
                CREATE TABLE light (seq INTEGER PRIMARY KEY, epoch TEXT NOT NULL, rule INTEGER NOT NULL,
                    at INTEGER NOT NULL, why TEXT NOT NULL, outcome TEXT, results TEXT, took_ms INTEGER) STRICT;
                INSERT INTO light SELECT seq, epoch, rule, at, why, outcome, results, took_ms FROM firing;
                CREATE TEMP TABLE kept AS SELECT seq FROM sqlite_sequence WHERE name = 'firing';
                DROP TABLE firing;
                ALTER TABLE light RENAME TO firing;
                INSERT INTO sqlite_sequence (name, seq) SELECT 'firing', seq FROM kept;
                DROP TABLE kept;
                CREATE INDEX firing_rule ON firing (rule);
                CREATE INDEX firing_open ON firing (epoch) WHERE outcome IS NULL;
                """
        )
    }
}
