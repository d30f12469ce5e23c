import Accounts
package import Controller
package import Databases
package import Flare
package import Foundation
import GRDB
package import Logging
import OperatingSystem

/// The daemon's persistent state: `trilateral.db` in the state folder.
///
/// Device ids (one for each environment), the list of devices, the chosen environment, sensor switches, short names, the
/// log of the lifecycle, and this installation's own id.
package final class StateStore: Sendable {
    let database: DatabaseQueue
    package let path: String

    /// - Throws: ``StateStoreError``.
    package init(folder: URL) throws(StateStoreError) {
        let path = folder.appending(path: "trilateral.db").path(percentEncoded: false)
        self.path = path
        database = try Self.open(path, Self.schema)
    }

    /// The file of the history of things, beside the database.
    package var historyPath: String {
        URL(filePath: path).deletingLastPathComponent().appending(path: "history.db").path(
            percentEncoded: false
        )
    }

    /// Opens or makes a database, and brings it up to date.
    static func open(_ path: String, _ schema: DatabaseSchema) throws(StateStoreError) -> DatabaseQueue {
        var configuration = Configuration()
        configuration.busyMode = .timeout(2)
        configuration.prepareDatabase { database in
            try database.execute(sql: "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL")
            // KiB; a quarter of SQLite's default, since the system caches the file too.
            try database.execute(sql: "PRAGMA cache_size = -512")
        }
        DatabaseFile.makePrivate(path)
        return try mappingErrors(path) {
            let database = try DatabaseQueue(path: path, configuration: configuration)
            try schema.apply(to: database, path)
            return database
        }
    }

    /// Opens the database only for reading, as it is: nothing is made or changed.
    ///
    /// - Throws: ``StateStoreError``, also if there is none.
    package init(reading folder: URL) throws(StateStoreError) {
        let path = folder.appending(path: "trilateral.db").path(percentEncoded: false)
        self.path = path
        var configuration = Configuration()
        configuration.readonly = true
        configuration.busyMode = .timeout(2)
        database = try Self.mappingErrors(path) { [configuration] in
            try DatabaseQueue(path: path, configuration: configuration)
        }
    }

    /// Closes the database; later calls fail.
    package func close(logger: Logger? = nil) {
        do { try database.close() } catch { logger?.error("\(path) cannot be closed: \(error)") }
    }

    /// Runs work on the database; errors get its path.
    static func mappingErrors<Result>(
        _ path: String,
        _ work: () throws -> Result
    ) throws(StateStoreError) -> Result {
        do {
            return try work()
        } catch let error as StateStoreError {
            throw error
        } catch let error as NewerDatabase {
            throw .newerVersion(error)
        } catch let error as DatabaseError {
            throw .database(path: path, code: error.resultCode.rawValue, message: error.message ?? "")
        } catch {
            throw .database(path: path, code: 1, message: "\(error)")
        }
    }

    /// The tables; existing steps are never changed, new ones are appended.
    package static var schema: DatabaseSchema {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("v1") { database in
            try database.execute(
                sql: """
                    CREATE TABLE device (environment TEXT PRIMARY KEY, id TEXT NOT NULL) STRICT;
                    CREATE TABLE slug (kind TEXT NOT NULL, id TEXT NOT NULL, slug TEXT NOT NULL,
                        PRIMARY KEY (kind, id), UNIQUE (kind, slug)) STRICT;
                    CREATE TABLE setting (key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT;
                    """
            )
        }
        migrator.registerMigration("v2") { database in
            try database.execute(sql: "ALTER TABLE slug ADD COLUMN environment TEXT")
        }
        migrator.registerMigration("v3") { database in
            try database.execute(
                sql: "CREATE TABLE announcement (topic TEXT PRIMARY KEY, components TEXT NOT NULL) STRICT"
            )
        }
        migrator.registerMigration("v4") { database in
            try database.execute(
                sql: """
                    CREATE TABLE lifecycle_log (id INTEGER PRIMARY KEY AUTOINCREMENT, ts TEXT NOT NULL,
                        call TEXT NOT NULL, previous TEXT NOT NULL, current TEXT NOT NULL) STRICT
                    """
            )
        }
        migrator.registerMigration("v5") { database in
            try database.execute(
                sql: """
                    CREATE TABLE station (serial TEXT PRIMARY KEY, name TEXT NOT NULL UNIQUE, address TEXT NOT NULL,
                        url TEXT, password TEXT NOT NULL, updated TEXT NOT NULL) STRICT
                    """
            )
        }
        migrator.registerMigration("v6") { database in try AccountsSchema.migrate(database) }
        migrator.registerMigration("v7") { database in try AccountsSchema.addOrigins(database) }
        migrator.registerMigration("v8") { database in try AccountsSchema.renameAccepted(database) }
        migrator.registerMigration("v9") { database in try AccountsSchema.indexTargets(database) }
        migrator.registerMigration("v10") { database in try AccountsSchema.addBindings(database) }
        migrator.registerMigration("v11") { database in try AccountsSchema.addStateTimes(database) }
        migrator.registerMigration("v12") { database in try AccountsSchema.addCommandDetails(database) }
        migrator.registerMigration("v13") { database in try AccountsSchema.addWishes(database) }
        migrator.registerMigration("v14") { database in try AccountsSchema.indexStrangers(database) }
        migrator.registerMigration("v15") { database in try RulesSchema.add(database) }
        migrator.registerMigration("v16") { database in try RulesSchema.lightenFirings(database) }
        migrator.registerMigration("v17") { database in try SurveySchema.add(database) }
        migrator.registerMigration("v18") { database in try addListedDevices(database) }
        return DatabaseSchema(migrator)
    }

    /// Writes everything to a new file if the database's file was removed, so that the next run has it.
    package func writeBackIfGone() throws(StateStoreError) {
        guard access(path, F_OK) != 0 else { return }
        try Self.mappingErrors(path) {
            try DatabaseFile.make(path) {
                try database.writeWithoutTransaction {
                    try $0.execute(sql: "VACUUM INTO ?", arguments: [path])
                }
            }
        }
    }

    /// The stored state.
    package func memory() throws(StateStoreError) -> PersistedState {
        try read { database in
            var memory = PersistedState()
            for row in try Row.fetchAll(database, sql: "SELECT environment, id FROM device") {
                guard let environment = FlareID(row["environment"]), let id = FlareID(row["id"]) else {
                    continue
                }
                memory.devices[environment] = id
            }
            for row in try Row.fetchAll(database, sql: "SELECT * FROM slug ORDER BY rowid") {
                guard let kind = FlareClass(rawValue: row["kind"]), let id = FlareID(row["id"]) else {
                    continue
                }
                let home: String? = row["environment"]
                memory.slugs.restore(
                    row["slug"],
                    for: ObjectReference(kind, id),
                    home: home.flatMap { FlareID($0) }
                )
            }
            memory.environment = try Self.setting("environment", database).flatMap { FlareID($0) }
            for sensor in SensorKind.allCases {
                guard let value = try Self.setting("sensor.\(sensor.rawValue)", database) else { continue }
                memory.sensors[sensor] = value == "on"
            }
            for (key, value) in try Self.settings(below: Self.positionKey, database) {
                guard let environment = FlareID(key) else { continue }
                memory.positions[environment] = Self.position(value)
            }
            for (key, value) in try Self.settings(below: Self.nodeKey, database) {
                Self.restore(key, value, in: &memory)
            }
            return memory
        }
    }

    /// The roots below which retained topics may still exist on the broker.
    package func roots() throws(StateStoreError) -> [String] {
        try read { try Self.settings(below: Self.rootKey, $0).keys.sorted() }
    }

    /// The things that names in `links` mean.
    package func links() throws(StateStoreError) -> [String: FlareID] {
        try read { try Self.settings(below: Self.linkKey, $0).compactMapValues { FlareID($0) } }
    }

    static let nodeKey = "node/"
    private static let rootKey = "root/"
    private static let linkKey = "link/"

    /// The values of the keys that begin with something and a slash, by what follows it.
    private static func settings(below prefix: String, _ database: Database) throws -> [String: String] {
        let rows = try Row.fetchAll(
            database,
            sql: "SELECT key, value FROM setting WHERE key >= ? AND key < ?",
            // 0 is the character after the slash.
            arguments: [prefix, "\(prefix.dropLast())0"]
        )
        return Dictionary(
            rows.map { (String(($0["key"] as String).dropFirst(prefix.count)), $0["value"] as String) }
        ) { first, _ in first }
    }

    /// The epoch of the last run that published anything; `nil` if there is none.
    package func epoch() throws(StateStoreError) -> String? {
        try read { try Self.setting("epoch", $0) }
    }

    /// The discovery topics that were published, with their components.
    package func announced() throws(StateStoreError) -> [String: String] {
        try read { database in
            defer { database.releaseMemory() }
            let rows = try Row.fetchAll(database, sql: "SELECT topic, components FROM announcement")
            return Dictionary(rows.map { ($0["topic"], $0["components"]) }) { first, _ in first }
        }
    }

    /// Eight hexadecimal digits, constant for this installation.
    package func installationID() throws(StateStoreError) -> String {
        try write { database in
            if let known = try Self.setting("installation", database) { return known }
            let made = String(UInt32.random(in: .min ... .max), radix: 16)
            let id = String(repeating: "0", count: 8 - made.count) + made
            try Self.set("installation", id, database)
            return id
        }
    }

    /// Writes records in order, in one transaction.
    package func save(_ records: [ControllerEffect.PersistedRecord]) throws(StateStoreError) {
        try Self.mappingErrors(path) {
            try database.writeWithoutTransaction { database in
                try database.inRepeatedTransaction {
                    for record in records { try Self.save(record, database) }
                }
            }
        }
    }

    private static func save(_ record: ControllerEffect.PersistedRecord, _ database: Database) throws {
        switch record {
        case .environment(let id):
            try Self.set("environment", "\(id)", database)
        case .device(let id, let environment):
            try database.execute(
                sql: "INSERT OR REPLACE INTO device (environment, id) VALUES (?, ?)",
                arguments: ["\(environment)", "\(id)"]
            )
        case .slug(let slug, let object, let home):
            try database.execute(
                sql: "INSERT OR REPLACE INTO slug (kind, id, slug, environment) VALUES (?, ?, ?, ?)",
                arguments: [object.kind.rawValue, "\(object.id)", slug, home.map { "\($0)" }]
            )
        case .slugForgotten(let object):
            try database.execute(
                sql: "DELETE FROM slug WHERE kind = ? AND id = ?",
                arguments: [object.kind.rawValue, "\(object.id)"]
            )
        case .announced(let topic, let components):
            try database.execute(
                sql: "INSERT OR REPLACE INTO announcement (topic, components) VALUES (?, ?)",
                arguments: [topic, components]
            )
        case .withdrawn(let topic):
            try database.execute(sql: "DELETE FROM announcement WHERE topic = ?", arguments: [topic])
        case .root(let root, isUsed: true):
            try Self.set(Self.rootKey + root, "used", database)
        case .root(let root, isUsed: false):
            try Self.remove(Self.rootKey + root, database)
        case .link(let name, let thing?):
            try Self.set(Self.linkKey + name, "\(thing)", database)
        case .link(let name, nil):
            try Self.remove(Self.linkKey + name, database)
        case .epoch(let epoch):
            try Self.set("epoch", epoch, database)
        case .slice(let record):
            try (record.value as? any DatabaseRecord)?.save(database)
        case .sensor(let sensor, let on):
            try Self.set("sensor.\(sensor.rawValue)", on ? "on" : "off", database)
        case .position(let position, let environment):
            try Self.save(position, "\(Self.positionKey)\(environment)", database)
        case .node(let node, let record): try Self.save(record, of: node, database)
        }
    }

    func read<Result>(_ work: (Database) throws -> Result) throws(StateStoreError) -> Result {
        try Self.mappingErrors(path) { try database.read(work) }
    }

    func write<Result>(_ work: (Database) throws -> Result) throws(StateStoreError) -> Result {
        try Self.mappingErrors(path) { try database.write(work) }
    }

    static func setting(_ key: String, _ database: Database) throws -> String? {
        try String.fetchOne(database, sql: "SELECT value FROM setting WHERE key = ?", arguments: [key])
    }

    static func remove(_ key: String, _ database: Database) throws {
        try database.execute(sql: "DELETE FROM setting WHERE key = ?", arguments: [key])
    }

    static func set(_ key: String, _ value: String, _ database: Database) throws {
        try database.execute(
            sql: "INSERT OR REPLACE INTO setting (key, value) VALUES (?, ?)",
            arguments: [key, value]
        )
    }
}

/// Why the database cannot be used, with SQLite's result code.
package enum StateStoreError: Error, CustomStringConvertible {
    case database(path: String, code: Int32, message: String)
    case newerVersion(NewerDatabase)

    package var description: String {
        switch self {
        case .database(let path, let code, let message):
            "\(path) cannot be used: \(message) (SQLite \(code)); \(Self.advice(code))"
        case .newerVersion(let error): "\(error)"
        }
    }

    /// Whether the file itself is damaged, so that another attempt cannot succeed.
    package var isAboutContents: Bool {
        switch self {
        case .newerVersion: true
        // 1: a table is missing, or has other columns.
        case .database(_, let code, _): [1, 11, 26].contains(code & 0xFF)
        }
    }

    /// Advice for a primary result code of SQLite.
    private static func advice(_ code: Int32) -> String {
        switch code & 0xFF {
        case 13: "free some space"
        case 1, 11, 26: "restore a backup, or move the file away to start with an empty one"
        default: "check the folder's owner, permissions and free space"
        }
    }
}
