package import GRDB
import People

/// The tables of users and rights in `trilateral.db`.
///
/// Times are milliseconds since 1970, UTC; secrets are stored as hashes only.
/// - Source: contrib/contract/people.md, "Users and grants".
package enum AccountsSchema {
    /// The rows of users other than the built-in one, for queries.
    static let users = "user WHERE id <> '\(AccountID.listener)'"

    /// Makes the tables: one migration of the database that holds them.
    package static func migrate(_ database: Database) throws {
        try database.execute(
            sql: """
                CREATE TABLE user (id TEXT PRIMARY KEY NOT NULL, name TEXT NOT NULL UNIQUE, display TEXT NOT NULL,
                    email TEXT NOT NULL, password TEXT, state TEXT NOT NULL, made INTEGER NOT NULL, seen INTEGER) STRICT;
                CREATE TABLE grouping (id TEXT PRIMARY KEY NOT NULL, name TEXT NOT NULL UNIQUE, kind TEXT NOT NULL) STRICT;
                CREATE TABLE member (grouping TEXT NOT NULL, member TEXT NOT NULL, PRIMARY KEY (grouping, member)) STRICT;
                CREATE TABLE permission (id INTEGER PRIMARY KEY AUTOINCREMENT, grantee TEXT NOT NULL, scope TEXT NOT NULL,
                    access TEXT NOT NULL, starts INTEGER, ends INTEGER, giver TEXT, share INTEGER NOT NULL,
                    accepted INTEGER) STRICT;
                CREATE INDEX permission_scope ON permission (scope);
                CREATE TABLE secret (hash BLOB PRIMARY KEY NOT NULL, kind TEXT NOT NULL, holder TEXT NOT NULL, name TEXT NOT NULL,
                    ceiling TEXT, made INTEGER NOT NULL, until INTEGER, used INTEGER) STRICT;
                CREATE INDEX secret_holder ON secret (holder);
                CREATE TABLE contact (id INTEGER PRIMARY KEY AUTOINCREMENT, user TEXT NOT NULL, name TEXT NOT NULL,
                    email TEXT NOT NULL, phone TEXT NOT NULL, channels TEXT NOT NULL) STRICT;
                CREATE INDEX contact_user ON contact (user);
                CREATE TABLE command (seq INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT, at INTEGER NOT NULL, epoch TEXT,
                    face TEXT NOT NULL, speaker TEXT NOT NULL, source TEXT, kind TEXT NOT NULL, target TEXT, slug TEXT,
                    actions TEXT, results TEXT, state TEXT NOT NULL, code TEXT, tx TEXT, took_ms REAL,
                    times INTEGER NOT NULL) STRICT;
                CREATE INDEX command_at ON command (at);
                CREATE INDEX command_refused ON command (code, at) WHERE code IS NOT NULL;
                """
        )
    }

    /// Adds by which grant something was given, and what is accepted of a share that was widened: a later migration.
    package static func addOrigins(_ database: Database) throws {
        try database.execute(
            sql: """
                ALTER TABLE permission ADD COLUMN source INTEGER;
                ALTER TABLE permission ADD COLUMN kept_access TEXT;
                ALTER TABLE permission ADD COLUMN kept_starts INTEGER;
                ALTER TABLE permission ADD COLUMN kept_ends INTEGER;
                """
        )
    }

    /// Renames the state `obeyed` of older rows of the command log to `accepted`: a later migration.
    package static func renameAccepted(_ database: Database) throws {
        try database.execute(sql: "UPDATE command SET state = 'accepted' WHERE state = 'obeyed'")
    }

    /// Adds the indexes that find the rows of one object in the command log: a later migration.
    ///
    /// The second one has only rows that were refused before their target was found, by the name or identifier that was sent.
    package static func indexTargets(_ database: Database) throws {
        try database.execute(
            sql: """
                CREATE INDEX command_target ON command (target) WHERE target IS NOT NULL;
                CREATE INDEX command_unresolved ON command (slug) WHERE target IS NULL AND slug IS NOT NULL;
                """
        )
    }

    /// Adds the index that finds the row of a stranger's address and minute in the command log: a later migration.
    package static func indexStrangers(_ database: Database) throws {
        try database.execute(
            sql: "CREATE INDEX command_stranger ON command (speaker, source, at) WHERE seq < 0"
        )
    }

    /// Adds what is built in: the group `all` with its grants, and the owner if there are no users at all.
    ///
    /// - Parameter owner: The owner's name; see ``AccountName``.
    static func addBuiltIn(_ database: Database, owner: String, id: AccountID, at now: Int64) throws {
        let everybody = AccountID.everybody
        try database.execute(
            sql: "INSERT OR IGNORE INTO grouping (id, name, kind) VALUES (?, ?, ?)",
            arguments: ["\(everybody)", Grouping.everybodyName, Grouping.Kind.users.rawValue]
        )
        if database.changesCount > 0 {
            for (access, scope) in [(Access.write, Scope.all), (.read, .devices)] {
                try Self.insert(Grant(id: 0, .group(everybody), access, scope), database)
            }
        }
        guard try Int.fetchOne(database, sql: "SELECT COUNT(*) FROM \(users)") == 0 else { return }
        try database.execute(
            sql: "INSERT INTO user (id, name, display, email, state, made) VALUES (?, ?, '', '', ?, ?)",
            arguments: ["\(id)", owner, UserState.active.rawValue, now]
        )
        try Self.insert(Grant(id: 0, .user(id), .own, .all), database)
    }

    /// Adds a grant under a new identifier, which is returned.
    @discardableResult
    static func insert(_ grant: Grant, _ database: Database) throws -> Int64 {
        try database.execute(
            sql: """
                INSERT INTO permission (grantee, scope, access, starts, ends, giver, share, accepted, source)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
                """,
            arguments: [
                "\(grant.grantee)", "\(grant.scope)", grant.access.rawValue, grant.starts, grant.ends,
                grant.giver.map { "\($0)" }, grant.share ? 1 : 0, grant.accepted,
                grant.source,
            ]
        )
        return database.lastInsertedRowID
    }
}
