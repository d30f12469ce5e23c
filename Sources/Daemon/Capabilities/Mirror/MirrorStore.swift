package import Controller
import Databases
package import Flare
package import Foundation
import GRDB
import JSON

/// The last place of a remote server: `mirror.db` in the state folder.
///
/// A file of its own, which may be lost: the server has the place. So a damaged one is replaced by an empty one.
package final class MirrorStore: Sendable {
    /// The most bytes that the objects may have, as JSON.
    package static let capacity = 16 << 20

    private let database: DatabaseQueue
    private let path: String
    /// Why the file that was there is replaced; `nil` if it is not.
    package let damage: StateStoreError?

    /// - Throws: ``StateStoreError`` if the file can be neither opened nor replaced.
    package init(folder: URL) throws(StateStoreError) {
        path = folder.appending(path: "mirror.db").path(percentEncoded: false)
        do throws(StateStoreError) {
            database = try Self.open(path)
            damage = nil
        } catch {
            guard Self.isDamage(error) else { throw error }
            Self.remove(from: folder)
            database = try Self.open(path)
            damage = error
        }
    }

    package func close() { try? database.close() }

    /// Removes the file, if there is one.
    package static func remove(from folder: URL) {
        for suffix in ["", "-wal", "-shm"] {
            unlink(folder.appending(path: "mirror.db\(suffix)").path(percentEncoded: false))
        }
    }

    /// Whether the file itself is wrong; SQLite's general error (1) is about its tables.
    private static func isDamage(_ error: StateStoreError) -> Bool {
        if case .database(_, let code, _) = error, code & 0xFF == 1 { return true }
        return error.isAboutContents
    }

    private static func open(_ path: String) throws(StateStoreError) -> DatabaseQueue {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("v1") { database in
            try database.execute(
                sql: """
                    CREATE TABLE place (server TEXT NOT NULL, environment TEXT NOT NULL) STRICT;
                    CREATE TABLE object (kind TEXT NOT NULL, id TEXT NOT NULL, json TEXT NOT NULL,
                        PRIMARY KEY (kind, id)) STRICT;
                    """
            )
        }
        let database = try StateStore.open(path, DatabaseSchema(migrator))
        try StateStore.mappingErrors(path) { try database.read { try check($0) } }
        return database
    }

    /// Reads the whole file, of which SQLite otherwise notices a wrong part only when it needs it.
    private static func check(_ database: Database) throws {
        if let problem = try String.fetchOne(database, sql: "PRAGMA quick_check(1)"), problem != "ok" {
            throw DatabaseError(resultCode: .SQLITE_CORRUPT, message: problem)
        }
        for sql in ["SELECT server, environment FROM place", "SELECT kind, id, json FROM object"] {
            _ = try database.makeStatement(sql: sql)
        }
    }

    // MARK: Reading

    /// The place of a server; `nil` if there is none, or its environment cannot be read.
    ///
    /// Other objects that cannot be read are left out.
    package func place(of server: String) throws(StateStoreError) -> RememberedPlace? {
        try StateStore.mappingErrors(path) {
            try database.read { database in
                let sql = "SELECT environment FROM place WHERE server = ?"
                guard let text = try String.fetchOne(database, sql: sql, arguments: [server]),
                    let environment = FlareID(text)
                else { return nil }
                let environments = try Self.objects(.environment, database) { FlareEnvironment(json: $0) }
                guard environments.contains(where: { $0.id == environment }) else { return nil }
                return RememberedPlace(
                    environments: environments,
                    environment: environment,
                    zones: try Self.objects(.zone, database) { FlareZone(json: $0) },
                    things: try Self.objects(.thing, database) { FlareThing(json: $0) },
                    device: try Self.objects(.device, database) { FlareDevice(json: $0) }.first
                )
            }
        }
    }

    private static func objects<Object>(
        _ kind: FlareClass,
        _ database: Database,
        _ read: (JSONValue) -> Object?
    ) throws -> [Object] {
        try String.fetchAll(
            database,
            sql: "SELECT json FROM object WHERE kind = ? ORDER BY id",
            arguments: [kind.rawValue]
        ).compactMap { (try? JSONValue(parsing: $0)).flatMap(read) }
    }

    // MARK: Writing

    /// Writes objects in one transaction, and what place they belong to.
    ///
    /// - Parameters:
    ///   - objects: Their JSON; `nil` for those that are gone.
    ///   - isWhole: Whether these are all objects.
    package func write(
        _ objects: [(object: ObjectReference, json: String?)],
        isWhole: Bool,
        environment: FlareID,
        server: String
    ) throws(StateStoreError) {
        try StateStore.mappingErrors(path) {
            try database.write { database in
                try database.execute(sql: "DELETE FROM place")
                try database.execute(
                    sql: "INSERT INTO place (server, environment) VALUES (?, ?)",
                    arguments: [server, "\(environment)"]
                )
                if isWhole { try database.execute(sql: "DELETE FROM object") }
                for (object, json) in objects {
                    let key = [object.kind.rawValue, "\(object.id)"]
                    if let json {
                        try database.cachedStatement(
                            sql: "INSERT OR REPLACE INTO object (kind, id, json) VALUES (?, ?, ?)"
                        ).execute(arguments: StatementArguments(key + [json]))
                    } else if !isWhole {
                        try database.execute(
                            sql: "DELETE FROM object WHERE kind = ? AND id = ?",
                            arguments: StatementArguments(key)
                        )
                    }
                }
            }
        }
    }

    /// Forgets the place.
    package func clear() throws(StateStoreError) {
        try StateStore.mappingErrors(path) {
            try database.write { try $0.execute(sql: "DELETE FROM place; DELETE FROM object") }
        }
    }
}
