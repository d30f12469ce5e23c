package import GRDB

/// The tables of things with owners, and of the programs that work with them.
///
/// - Source: contrib/contract/bindings.md, "Onboarding".
extension AccountsSchema {
    /// Adds the tables, and the index that finds a command by its identifier: a later migration.
    ///
    /// The password of a binding is a hash. A push token is stored as it is, since messages are sent to it.
    package static func addBindings(_ database: Database) throws {
        try database.execute(
            sql: """
                CREATE TABLE binding (id TEXT PRIMARY KEY NOT NULL, vendor TEXT NOT NULL UNIQUE,
                    password TEXT NOT NULL, type TEXT, firmware TEXT, layout TEXT, properties TEXT NOT NULL,
                    interval TEXT, fixed TEXT NOT NULL, owned INTEGER NOT NULL, gateway TEXT, thing TEXT,
                    made_thing INTEGER NOT NULL, making INTEGER NOT NULL, route TEXT NOT NULL, state TEXT,
                    made INTEGER NOT NULL, seen INTEGER NOT NULL) STRICT;
                CREATE UNIQUE INDEX binding_thing ON binding (thing) WHERE thing IS NOT NULL;
                CREATE INDEX binding_gateway ON binding (gateway) WHERE gateway IS NOT NULL;
                CREATE TABLE binding_owner (binding TEXT NOT NULL, grantee TEXT NOT NULL,
                    PRIMARY KEY (binding, grantee)) STRICT;
                CREATE TABLE installation (id TEXT PRIMARY KEY NOT NULL, token TEXT NOT NULL,
                    device_type TEXT NOT NULL, development INTEGER NOT NULL, owner TEXT NOT NULL,
                    UNIQUE (token, development)) STRICT;
                CREATE INDEX installation_owner ON installation (owner);
                CREATE TABLE instance (tag TEXT PRIMARY KEY NOT NULL, realm TEXT NOT NULL, site TEXT NOT NULL,
                    owner TEXT, thing TEXT, installation TEXT, format INTEGER NOT NULL) STRICT;
                CREATE UNIQUE INDEX command_id ON command (id) WHERE id IS NOT NULL;
                """
        )
    }

    /// Adds what a row of the log has of a thing's command besides, as JSON: a later migration.
    ///
    /// The index is over those commands that have not ended, which are read at each start.
    package static func addCommandDetails(_ database: Database) throws {
        try database.execute(
            sql: """
                ALTER TABLE command ADD COLUMN details TEXT;
                CREATE INDEX command_open ON command (state) WHERE state IN ('SENDING', 'DELIVERED');
                """
        )
    }

    /// Adds when a thing had its last state: a later migration.
    package static func addStateTimes(_ database: Database) throws {
        try database.execute(sql: "ALTER TABLE binding ADD COLUMN state_at INTEGER")
    }

    /// Adds what an owner has asked for of the place, of a thing that waits for its own: a later migration.
    package static func addWishes(_ database: Database) throws {
        try database.execute(
            sql: """
                ALTER TABLE binding ADD COLUMN wish_thing TEXT;
                ALTER TABLE binding ADD COLUMN wish_zone TEXT;
                """
        )
    }
}
