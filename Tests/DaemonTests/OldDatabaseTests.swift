import Accounts
import Controller
import Daemon
import Databases
import Flare
import Foundation
import GRDB
import Positioning
import Receivers
import TestSupport
import Testing

/// Databases as each earlier version made them: the statements of its steps, from its own source, with some rows.
///
/// Whoever adds a step adds a file with what the version before it made, and changes no other.
struct OldDatabaseTests {
    private static let names = [
        "trilateral-v1", "trilateral-v2", "trilateral-v3", "trilateral-v4", "trilateral-v5", "trilateral-v6",
        "trilateral-v7", "trilateral-v8", "trilateral-v9", "trilateral-v10", "trilateral-v11",
        "trilateral-v12",
        "trilateral-v12-without-v11", "trilateral-v15", "trilateral-v16", "trilateral-v17", "trilateral-v18",
        "flare-v1", "history-v1", "history-v2",
    ]

    private static func database(_ name: String) -> StateDatabase? {
        name.split(separator: "-").first.flatMap { StateDatabase(rawValue: "\($0).db") }
    }

    /// Makes the file that a version made.
    private static func make(_ name: String, at path: String) async throws {
        let file = Bundle.module.bundleURL.appending(path: "Databases/\(name).sql")
        let text = try String(contentsOf: file, encoding: .utf8)
        let queue = try DatabaseQueue(path: path)
        try await queue.writeWithoutTransaction { try $0.execute(sql: text) }
        try queue.close()
    }

    /// The tables with their columns, and the indexes.
    private static func shape(_ queue: DatabaseQueue) async throws -> [String] {
        try await queue.read { database in
            let columns = try String.fetchAll(
                database,
                sql: """
                    SELECT m.name || '.' || c.name || ' ' || c.type || ' ' || c."notnull" || ' ' || c.pk
                    FROM sqlite_schema m, pragma_table_info(m.name) c WHERE m.type = 'table' ORDER BY m.name, c.name
                    """
            )
            let sql = "SELECT name FROM sqlite_schema WHERE type = 'index' ORDER BY name"
            return try columns + String.fetchAll(database, sql: sql)
        }
    }

    @Test(arguments: names)
    func `a database of an earlier version gets the tables of this one`(name: String) async throws {
        try await withTemporaryFolder { folder in
            let schema = try #require(Self.database(name)?.schema)
            try await Self.make(name, at: folder.path("old.db"))
            let old = try DatabaseQueue(path: folder.path("old.db"))
            let new = try DatabaseQueue(path: folder.path("new.db"))
            try schema.apply(to: old, "old.db")
            try schema.apply(to: new, "new.db")
            #expect(try await Self.shape(old) == Self.shape(new))
            #expect(DatabaseCheck.run(.full, on: folder.path("old.db")) == .sound)
        }
    }

    @Test func `there is a database of the latest steps`() throws {
        for database in StateDatabase.allCases {
            guard let step = database.schema?.steps.last else { continue }
            let name = database.name.replacing(".db", with: "-\(step)")
            #expect(Self.names.contains(name))
        }
    }

    @Test(arguments: names.filter { $0.hasPrefix("trilateral") })
    func `the state of an earlier version is read by this one`(name: String) async throws {
        try await withTemporaryFolder { folder in
            try await Self.make(name, at: folder.path("trilateral.db"))
            let store = try StateStore(folder: folder.url)
            defer { store.close() }
            let memory = try store.memory()
            let (home, device) = (FlareID(high: 0, low: 1), FlareID(high: 0, low: 2))
            #expect(memory.environment == home && memory.devices == [home: device])
            #expect(memory.sensors[.compass] == false)
            #expect(memory.slugs[.thing, FlareID(high: 0, low: 3)] == "desk-lamp")
            #expect(try store.installationID() == "0badcafe")
            let rows = try store.withAccounts { try $0.log() }
            // From v6 on there is a log.
            let isOld = ["v1", "v2", "v3", "v4", "v5"].contains { name.hasSuffix("-\($0)") }
            #expect(rows.map(\.state) == (isOld ? [] : ["accepted"]))
        }
    }

    @Test func `the list of devices of an earlier version is read`() async throws {
        try await withTemporaryFolder { folder in
            try await Self.make("trilateral-v18", at: folder.path("trilateral.db"))
            let store = try StateStore(folder: folder.url)
            defer { store.close() }
            let found = try store.listedDevices()
            #expect(found.devices.map(\.node) == ["anna"] && found.unreadable.isEmpty)
            #expect(
                found.devices.first?.heardAs == ["irk:ec0234a357c8ad05341010a60a397d9b", "phone:anna"]
            )
        }
    }

    @Test func `firings of an earlier version stay, and their numbers are not used again`() async throws {
        try await withTemporaryFolder { folder in
            let path = folder.path("trilateral.db")
            try await Self.make("trilateral-v15", at: path)
            let old = try DatabaseQueue(path: path)
            try await old.write { database in
                try database.execute(
                    sql: """
                        INSERT INTO firing (seq, epoch, rule, at, why, outcome) VALUES (4, 'e', 3, 7, 'once', 'done');
                        INSERT INTO firing (seq, epoch, rule, at, why) VALUES (9, 'e', 3, 7, 'once');
                        DELETE FROM firing WHERE seq = 9
                        """
                )
            }
            try old.close()
            let store = try StateStore(folder: folder.url)
            defer { store.close() }
            let (firings, last) = try store.withAccounts {
                (try $0.firings(ofRule: 3, limit: 10), try $0.lastFiringNumber())
            }
            #expect(firings.map(\.seq) == [4] && firings.first?.outcome == .done && last == 9)
        }
    }

    @Test func `a survey that is stored stays as it is`() async throws {
        try await withTemporaryFolder { folder in
            try await Self.make("trilateral-v17", at: folder.path("trilateral.db"))
            let store = try StateStore(folder: folder.url)
            defer { store.close() }
            let environment = FlareEnvironment(id: FlareID(high: 0, low: 1))
            let map = BeaconMap(environment: environment, zones: [], things: [])
            let stored = try #require(try store.surveyPoints(of: map).first)
            #expect(stored.id == 1 && stored.point.name == "door" && stored.point.position.x == 0.5)
            #expect(stored.point.receiver == "00:11:22:33:44:55" && stored.point.seconds == 20)
            let level = try #require(stored.point.levels[FlareID(high: 0, low: 3)])
            #expect(level.decibels == -12.5 && level.packets == 60 && level.spread == 4.2)
            #expect(try store.removeChangedSurveyLevels(in: map).isEmpty)
        }
    }
}
