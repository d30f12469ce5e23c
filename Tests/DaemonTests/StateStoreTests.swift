import Accounts
@testable import Controller
import Daemon
import Databases
import Flare
import Foundation
import GRDB
import OperatingSystem
import TestSupport
import Testing

struct StateStoreTests {
    private let home = FlareID(high: 1, low: 1)
    private let office = FlareID(high: 1, low: 2)
    private let phone = FlareID(high: 4, low: 1)
    private let lamp = ObjectReference(.thing, FlareID(high: 3, low: 1))

    private func refusal(of folder: URL) -> StateStoreError? {
        do throws(StateStoreError) {
            _ = try StateStore(folder: folder)
            return nil
        } catch {
            return error
        }
    }

    @Test func `the key of web sessions is made once`() async throws {
        try await withTemporaryFolder { folder in
            let store = try StateStore(folder: folder.url)
            let key = try store.sessionKey()
            #expect(key.count == 32)
            #expect(try store.sessionKey() == key)
            #expect(try StateStore(folder: folder.url).sessionKey() == key)
            try await withTemporaryFolder { other in
                let another = try StateStore(folder: other.url).sessionKey()
                #expect(another != key)
            }
        }
    }

    @Test func `a new memory holds nothing but an own id that stays`() async throws {
        try await withTemporaryFolder { folder in
            let store = try StateStore(folder: folder.url)
            #expect(try store.memory() == PersistedState())
            #expect(try store.roots() == [] && store.epoch() == nil)
            let id = try store.installationID()
            #expect(id.count == 8)
            #expect(id.utf8.allSatisfy { "0123456789abcdef".utf8.contains($0) })
            #expect(try store.installationID() == id)
            #expect(try StateStore(folder: folder.url).installationID() == id)
        }
    }

    @Test func `what names in links mean is kept until it is removed`() async throws {
        try await withTemporaryFolder { folder in
            let store = try StateStore(folder: folder.url)
            #expect(try store.links().isEmpty)
            try store.save([
                .link("Desk lamp", lamp.id), .link("link/x", home), .link("gone", home), .link("gone", nil),
                .root("a/b", isUsed: true),
            ])
            let links = try StateStore(folder: folder.url).links()
            #expect(links == ["Desk lamp": lamp.id, "link/x": home])
            #expect(try store.roots() == ["a/b"])
        }
    }

    @Test func `the log of the lifecycle keeps the newest calls in order`() async throws {
        try await withTemporaryFolder { folder in
            let store = try StateStore(folder: folder.url)
            let moment = Instant(wallMilliseconds: 0, steadyMilliseconds: 0)
            let most = StateStore.longestLifecycleLog
            let calls = (0..<most + 5).map { number in
                Lifecycle.Transition(call: .applicationDidConnect, from: "\(number)", to: "b")
            }
            try store.save(calls.map { .lifecycle($0, at: moment) })
            let log = try await DatabaseQueue(path: store.path).read { database in
                let rows = try Row.fetchAll(database, sql: "SELECT * FROM lifecycle_log ORDER BY id")
                return rows.map { [$0["call"], $0["previous"], $0["current"]] as [String] }
            }
            #expect(log == calls.suffix(most).map { [$0.call.rawValue, $0.from, $0.to] })
        }
    }

    @Test func `discovery topics are stored until they are withdrawn`() async throws {
        try await withTemporaryFolder { folder in
            let store = try StateStore(folder: folder.url)
            #expect(try store.announced() == [:])
            try store.save([.announced(topic: "a", components: "light.")])
            try store.save([.announced(topic: "b", components: "light.")])
            try store.save([.announced(topic: "a", components: "light. select.palette")])
            try store.save([.withdrawn(topic: "b")])
            try store.save([.withdrawn(topic: "c")])
            #expect(try StateStore(folder: folder.url).announced() == ["a": "light. select.palette"])
        }
    }

    @Test func `every memento comes back in the next run, the newest of each`() async throws {
        try await withTemporaryFolder { folder in
            let mementos: [ControllerEffect.PersistedRecord] = [
                .environment(office), .environment(home), .device(lamp.id, environment: home),
                .device(phone, environment: home), .device(phone, environment: office),
                .slug("lamp", lamp, home: home), .slug("lamp", ObjectReference(.zone, home), home: home),
                .slug("home", ObjectReference(.environment, home), home: nil), .sensor(.gps, on: true),
                .sensor(.gps, on: false), .sensor(.beacons, on: true),
                .position(.held(since: 1000), environment: home), .epoch("1"), .epoch("2"),
                .position(.ended(at: 2000), environment: office),
                .node("anna", .position(.ended(at: 3000), environment: home)),
                .node("bert", .position(.held(since: 4000), environment: home)),
                .node("anna", .position(.ofAnother, environment: office)),
                .node("bert", .position(nil, environment: home)), .root("t/m", isUsed: true),
                .root("t/n", isUsed: true), .root("u", isUsed: true), .root("t/m", isUsed: false),
            ]
            let store = try StateStore(folder: folder.url)
            for memento in mementos { try store.save([memento]) }

            let next = try StateStore(folder: folder.url)
            let memory = try next.memory()
            #expect(memory.environment == home)
            #expect(memory.devices == [home: phone, office: phone])
            #expect(memory.sensors == [.gps: false, .beacons: true])
            #expect(memory.positions == [home: .held(since: 1000), office: .ended(at: 2000)])
            #expect(memory.nodes["anna"]?.positions == [home: .ended(at: 3000), office: .ofAnother])
            #expect(memory.nodes["bert"]?.positions ?? [:] == [:])
            #expect(memory.slugs.id(of: "lamp", kind: .thing) == lamp.id)
            #expect(memory.slugs.id(of: "lamp", kind: .zone) == home)
            #expect(memory.slugs.id(of: "home", kind: .environment) == home)
            #expect(try next.roots() == ["t/n", "u"])
            #expect(try next.epoch() == "2")
        }
    }

    @Test func `a short name belongs to one object of its class, and an object has one`() async throws {
        try await withTemporaryFolder { folder in
            let store = try StateStore(folder: folder.url)
            let other = ObjectReference(.thing, FlareID(high: 3, low: 2))
            try store.save([.slug("lamp", lamp, home: home)])
            try store.save([.slug("lamp", other, home: home)])
            #expect(try store.memory().slugs.id(of: "lamp", kind: .thing) == other.id)
            try store.save([.slug("sun", other, home: office)])
            #expect(try store.memory().slugs.objects(of: .thing) == [other])
            #expect(try store.memory().slugs.id(of: "sun", kind: .thing) == other.id)
            #expect(try store.memory().slugs.home(of: other) == office)
            try store.save([.slugForgotten(other)])
            #expect(try store.memory().slugs.objects(of: .thing).isEmpty)
        }
    }

    @Test func `short names of the first version are taken over, their environment is not known`()
        async throws
    {
        try await withTemporaryFolder { folder in
            let queue = try DatabaseQueue(path: folder.path("trilateral.db"))
            try await queue.write { database in
                try database.execute(
                    sql: """
                        CREATE TABLE grdb_migrations (identifier TEXT NOT NULL PRIMARY KEY);
                        INSERT INTO grdb_migrations VALUES ('v1');
                        CREATE TABLE device (environment TEXT PRIMARY KEY, id TEXT NOT NULL) STRICT;
                        CREATE TABLE slug (kind TEXT NOT NULL, id TEXT NOT NULL, slug TEXT NOT NULL,
                            PRIMARY KEY (kind, id), UNIQUE (kind, slug)) STRICT;
                        CREATE TABLE setting (key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT;
                        INSERT INTO slug VALUES ('thing', '000000000000000300000001', 'lamp');
                        """
                )
            }
            try queue.close()
            let memory = try StateStore(folder: folder.url).memory()
            #expect(memory.slugs[.thing, lamp.id] == "lamp")
            #expect(memory.slugs.home(of: lamp) == nil)
        }
    }

    @Test func `a database of an earlier version gets the indexes of the log, and keeps its rows`()
        async throws
    {
        try await withTemporaryFolder { folder in
            let old = try StateStore(folder: folder.url)
            let registry = try AccountsRegistry(
                old.accounts,
                AccountsRegistry.Settings(),
                clock: { 5 },
                changed: { _ in }
            )
            for number: Int64 in 1...3 {
                var entry = CommandLogEntry(
                    at: number,
                    interface: "mqtt",
                    caller: "user:bob",
                    kind: "set",
                    state: "accepted"
                )
                entry.target = number == 2 ? "6a" : "5f"
                registry.log(entry)
            }
            try registry.flush()
            old.close()
            let queue = try DatabaseQueue(path: old.path)
            try await queue.write { database in
                try database.execute(
                    sql: """
                        DROP INDEX command_target; DROP INDEX command_unresolved; DROP INDEX command_stranger;
                        DELETE FROM grdb_migrations WHERE identifier IN ('v9', 'v14');
                        """
                )
            }
            try queue.close()
            let store = try StateStore(folder: folder.url)
            var query = LogQuery()
            query.object = .id("5f")
            #expect(try store.withAccounts { try $0.log(query) }.map(\.seq) == [1, 3])
            #expect(try store.withAccounts { try $0.log() }.count == 3)
        }
    }

    @Test func `a database of an earlier version gets the tables of bindings, and keeps its rows`()
        async throws
    {
        try await withTemporaryFolder { folder in
            let old = try StateStore(folder: folder.url)
            try old.withAccounts { store in
                try store.prepare(owner: "owner", at: 1)
                _ = try store.addToken(
                    "panel",
                    ofUser: "owner",
                    ceiling: nil,
                    until: nil,
                    by: .program(at: 2)
                )
            }
            try old.save([.slug("lamp", lamp, home: home)])
            let table = try old.withAccounts { try $0.table() }
            old.close()
            let queue = try DatabaseQueue(path: old.path)
            try await queue.write { database in
                try database.execute(
                    sql: """
                        DROP TABLE binding; DROP TABLE binding_owner; DROP TABLE installation; DROP TABLE instance;
                        DROP INDEX command_id;
                        DELETE FROM grdb_migrations WHERE identifier IN ('v10', 'v11', 'v13');
                        """
                )
            }
            try queue.close()
            let store = try StateStore(folder: folder.url)
            #expect(try store.withAccounts { try $0.table() } == table)
            #expect(try store.withAccounts { try $0.secrets(.token, at: 3) }.map(\.name) == ["panel"])
            #expect(try store.memory().slugs[.thing, lamp.id] == "lamp")
            #expect(try store.withAccounts { try $0.bindings() }.isEmpty)
            // What removes a user also looks in the new tables.
            try store.withAccounts { store in
                _ = try store.addUser(NewUser("bob"), by: .program(at: 4))
                try store.removeUser("bob", by: .program(at: 5))
            }
        }
    }

    @Test func `a database of an earlier version takes commands of things, and keeps its rows`() async throws
    {
        try await withTemporaryFolder { folder in
            let old = try StateStore(folder: folder.url)
            let registry = try AccountsRegistry(
                old.accounts,
                AccountsRegistry.Settings(),
                clock: { 5 },
                changed: { _ in }
            )
            registry.log(
                CommandLogEntry(at: 1, interface: "mqtt", caller: "user:bob", kind: "set", state: "accepted")
            )
            try registry.flush()
            old.close()
            let queue = try DatabaseQueue(path: old.path)
            try await queue.write { database in
                try database.execute(
                    sql: """
                        DROP INDEX command_open; ALTER TABLE command DROP COLUMN details;
                        DELETE FROM grdb_migrations WHERE identifier = 'v12';
                        """
                )
            }
            try queue.close()
            let store = try StateStore(folder: folder.url)
            #expect(try store.withAccounts { try $0.log() }.map(\.kind) == ["set"])
            #expect(try store.withAccounts { try $0.openCommands() }.isEmpty)
        }
    }

    @Test func `an older database gets the tables of rules, and keeps its rows`() async throws {
        try await withTemporaryFolder { folder in
            let old = try StateStore(folder: folder.url)
            try old.withAccounts { try $0.prepare(owner: "owner", at: 1) }
            let table = try old.withAccounts { try $0.table() }
            old.close()
            let queue = try DatabaseQueue(path: old.path)
            try await queue.write { database in
                try database.execute(
                    sql: """
                        DROP TABLE rule; DROP TABLE rule_state; DROP TABLE firing;
                        DELETE FROM grdb_migrations WHERE identifier = 'v15';
                        """
                )
            }
            try queue.close()
            let store = try StateStore(folder: folder.url)
            #expect(try store.withAccounts { try $0.table() } == table)
            #expect(try store.withAccounts { try $0.rules() }.isEmpty)
            #expect(try store.withAccounts { try $0.lastFiringNumber() } == 0)
        }
    }

    @Test func `a database of a newer version is left alone`() async throws {
        try await withTemporaryFolder { folder in
            let path = try StateStore(folder: folder.url).path
            let queue = try DatabaseQueue(path: path)
            try await queue.write { database in
                try database.execute(
                    sql:
                        "INSERT INTO grdb_migrations (identifier) VALUES ('v9999'); PRAGMA user_version = 2003004"
                )
            }
            try queue.close()
            let error = try #require(refusal(of: folder.url))
            guard case .newerVersion(let newer) = error else {
                Issue.record("\(error)")
                return
            }
            #expect(
                newer.path == path && newer.steps == ["v9999"] && newer.program == ProgramVersion(2, 3, 4)
            )
            #expect(
                "\(error)".contains("\(path) was written by trilateral 2.3.4, which is newer (step v9999)")
            )
            #expect("\(error)".contains("install 2.3.4 or a later version, or restore a backup"))
        }
    }

    @Test func `a file that is no database is refused by its path`() async throws {
        try await withTemporaryFolder { folder in
            try folder.write(String(repeating: "no database at all\n", count: 100), to: "trilateral.db")
            let error = try #require(refusal(of: folder.url))
            guard case .database(let path, 26, _) = error else {
                Issue.record("\(error)")
                return
            }
            #expect(path == folder.path("trilateral.db"))
            #expect("\(error)".hasPrefix("\(path) cannot be used: file is not a database (SQLite 26)"))
            #expect(folder.read("trilateral.db").hasPrefix("no database"))
        }
    }

    @Test func `a folder in which nothing can be made is refused by the file's path`() throws {
        // Not by its rights: those do not hold for root.
        let error = try #require(refusal(of: URL(filePath: "/proc/self/fdinfo", directoryHint: .isDirectory)))
        guard case .database("/proc/self/fdinfo/trilateral.db", 14, _) = error else {
            Issue.record("\(error)")
            return
        }
        #expect("\(error)".contains("check the folder's owner, permissions and free space"))
    }

    @Test func `an error about a missing table names the path`() async throws {
        try await withTemporaryFolder { folder in
            let store = try StateStore(folder: folder.url)
            let queue = try DatabaseQueue(path: store.path)
            try await queue.write { try $0.execute(sql: "DROP TABLE slug") }
            try queue.close()
            let error = #expect(throws: StateStoreError.self) { try store.memory() }
            #expect("\(try #require(error))".hasPrefix("\(store.path) cannot be used: no such table: slug"))
        }
    }

    @Test func `a memory that is written again after its file was removed can be read by its owner only`()
        async throws
    {
        try await withTemporaryFolder { folder in
            let store = try StateStore(folder: folder.url)
            let id = try store.installationID()
            for suffix in ["", "-wal", "-shm"] { unlink(store.path + suffix) }
            try store.writeBackIfGone()
            let attributes = try FileManager.default.attributesOfItem(atPath: store.path)
            #expect(attributes[.posixPermissions] as? Int == 0o600)
            store.close()
            #expect(try StateStore(folder: folder.url).installationID() == id)
        }
    }

    @Test func `a receiver's error outlives a restart`() async throws {
        try await withTemporaryFolder { folder in
            do {
                let store = try StateStore(folder: folder.url)
                #expect(try store.antennaLevel(.offset, of: "AA:00:00:00:00:01") == nil)
                try store.save(.offset, -6.257, of: "AA:00:00:00:00:01")
            }
            let store = try StateStore(folder: folder.url)
            #expect(try store.antennaLevel(.offset, of: "AA:00:00:00:00:01") == -6.26)
            #expect(try store.antennaLevel(.offset, of: "broker") == nil)
        }
    }
}
