import Databases
import Flare
import FlareServer
import Foundation
import GRDB
import JSON
import OperatingSystem
import Testing

@Suite struct FlareStoreTests {
    @Test func `all objects are loaded in the same order`() async throws {
        try await withFolder { folder in
            let file = folder.path + "/flare.db"
            let store = try FlareStore(file: file)
            let hub = try FlareHub(store)
            try await hub.insert(Hall.records)
            try await hub.remove(ObjectReference(.thing, Hall.sofa))
            try await hub.setData(Hall.lampObject, ["deep": ["nested": [1, "é\u{0}\u{1F600}", .null]]])
            try await hub.setPosition(Hall.phoneObject, Point3D(x: 2, y: 2))
            let kinds = FlareClass.allCases
            var before: [[FlareRecord]] = []
            for kind in kinds { before.append(await hub.records(kind)) }
            try store.close()

            let again = try FlareHub(FlareStore(file: file))
            for (kind, records) in zip(kinds, before) { #expect(await again.records(kind) == records) }
            let collector = Collector<ReceivedNotice>()
            _ = await again.listen("phone", to: Hall.phoneObject, collector)
            try await again.setPosition(Hall.phoneObject, Point3D(x: 25, y: 2))
            #expect(
                await collector.all().map(\.description) == [
                    "phone position", "phone exit", "phone far", "phone enter", "phone near",
                ]
            )
            try await again.insert([Hall.thing(Hall.id(70), in: Hall.west, x: 1)])
            #expect(await again.records(.thing).map(\.id) == [Hall.lamp, Hall.sign, Hall.id(70)])
        }
    }

    @Test func `the motion of a device is stored later, and at the latest when the store is closed`()
        async throws
    {
        try await withFolder { folder in
            let file = folder.path + "/flare.db"
            func stored() throws -> String {
                let copy = folder.path + "/copy-\(UUID().uuidString).db"
                for end in ["", "-wal"] {
                    try? FileManager.default.copyItem(atPath: file + end, toPath: copy + end)
                }
                return try DatabaseQueue(path: copy).read {
                    try String.fetchOne($0, sql: "SELECT document FROM device") ?? ""
                }
            }
            let store = try FlareStore(file: file)
            let hub = try FlareHub(store)
            try await hub.insert(Hall.records)
            let log = file + "-wal"
            let size = FileStatus(path: log)?.size
            for step in 1...50 {
                try await hub.setPosition(Hall.phoneObject, Point3D(x: Double(step), y: 2))
                try await hub.setData(Hall.phoneObject, ["angle": .number(Double(step))])
            }
            #expect(await hub.record(Hall.phoneObject)?.position?.x == 50)
            #expect(FileStatus(path: log)?.size == size, "nothing was written for a motion")
            #expect(try !stored().contains(#""x":50"#))

            // Another change of the same device takes the motion along.
            try await hub.setData(Hall.phoneObject, ["owner": "eve"])
            #expect(try stored().contains(#""x":50"#))

            try await hub.setPosition(Hall.phoneObject, Point3D(x: 7, y: 2))
            // A thing does not move by itself.
            try await hub.setPosition(Hall.lampObject, Point3D(x: 3, y: 3))
            #expect(try stored().contains(#""x":50"#))
            try store.close()
            #expect(try await FlareHub(FlareStore(file: file)).record(Hall.phoneObject)?.position?.x == 7)
        }
    }

    @Test func `what a thing reports is stored later, and what somebody sets at once, with what waited`()
        async throws
    {
        try await withFolder { folder in
            let file = folder.path + "/flare.db"
            let store = try FlareStore(file: file)
            let hub = try FlareHub(store)
            try await hub.insert(Hall.records)
            let client = await hub.open { _ in }
            func set(_ values: JSONObject, isReport: Bool) async {
                let request = FlareRequest.setData(
                    Hall.lampObject,
                    values: values,
                    sender: nil,
                    isReport: isReport
                )
                await hub.answer(request, from: client) { _ in }
            }
            let log = file + "-wal"
            let size = FileStatus(path: log)?.size
            for number in 1...1000 { await set(["power": .number(Double(number))], isReport: true) }
            #expect(await hub.record(Hall.lampObject)?.data?["power"] == 1000)
            #expect(FileStatus(path: log)?.size == size, "nothing was written for a report")

            await hub.storeReadings()
            let stored = FileStatus(path: log)?.size
            #expect(stored != size)
            await hub.storeReadings()
            #expect(FileStatus(path: log)?.size == stored, "nothing waited any more")
            await set(["on": true], isReport: false)
            #expect(FileStatus(path: log)?.size != stored)
            await set(["power": 7], isReport: true)
            try store.close()
            let data = try await FlareHub(FlareStore(file: file)).record(Hall.lampObject)?.data
            #expect(data?["power"] == 7 && data?["on"] == true)
        }
    }

    @Test func `a device that was removed is not stored again`() async throws {
        try await withFolder { folder in
            let file = folder.path + "/flare.db"
            let store = try FlareStore(file: file)
            let hub = try FlareHub(store)
            try await hub.insert(Hall.records)
            try await hub.setPosition(Hall.phoneObject, Point3D(x: 7, y: 2))
            try await hub.remove(Hall.phoneObject)
            try store.close()
            #expect(try await FlareHub(FlareStore(file: file)).records(.device).isEmpty)
        }
    }

    @Test(arguments: [true, false])
    func `a database is readable by its owner only, whatever its permissions were`(isThere: Bool) async throws
    {
        try await withFolder { folder in
            let file = folder.path + "/flare.db"
            if isThere {
                try FlareStore(file: file).close()
                try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: file)
            }
            let store = try FlareStore(file: file)
            try await FlareHub(store).insert(Hall.records)
            let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
            #expect(names.contains("flare.db-wal"))
            for name in names {
                let attributes = try FileManager.default.attributesOfItem(atPath: folder.path + "/" + name)
                #expect(attributes[.posixPermissions] as? Int == 0o600, "\(name)")
            }
        }
    }

    @Test func `a rewritten database is readable by its owner only`()
        async throws
    {
        try await withFolder { folder in
            let file = folder.path + "/flare.db"
            let store = try FlareStore(file: file)
            try await FlareHub(store).insert(Hall.records)
            for name in try FileManager.default.contentsOfDirectory(atPath: folder.path) {
                try FileManager.default.removeItem(atPath: folder.path + "/" + name)
            }
            try store.writeBackIfGone()
            let attributes = try FileManager.default.attributesOfItem(atPath: file)
            #expect(attributes[.posixPermissions] as? Int == 0o600)
            try store.close()
            let again = try FlareHub(FlareStore(file: file))
            #expect(await !again.records(.thing).isEmpty)
        }
    }

    @Test func `other files in the folder keep their permissions`() async throws {
        try await withFolder { folder in
            let file = folder.path + "/flare.db"
            let other = folder.path + "/other"
            try Data("x".utf8).write(to: URL(filePath: other))
            try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: other)
            try FileManager.default.createSymbolicLink(atPath: file + "-wal", withDestinationPath: other)
            DatabaseFile.makePrivate(file)
            let attributes = try FileManager.default.attributesOfItem(atPath: other)
            #expect(attributes[.posixPermissions] as? Int == 0o644)
        }
    }

    @Test func `a database that cannot be written is removed, and an existing file is kept`()
        async throws
    {
        struct Failure: Error {}
        try await withFolder { folder in
            let file = folder.path + "/new.db"
            #expect(throws: Failure.self) { try DatabaseFile.make(file) { throw Failure() } }
            #expect(!FileManager.default.fileExists(atPath: file))
            try Data("x".utf8).write(to: URL(filePath: file))
            #expect(throws: Failure.self) { try DatabaseFile.make(file) { throw Failure() } }
            #expect(FileManager.default.contents(atPath: file) == Data("x".utf8))
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `on a full disk nothing is changed and reading works`(kind: StoreKind) async throws {
        try await withFolder { folder in
            var options = FlareStore.Options()
            options.maximumBytes = 100_000
            let store =
                switch kind {
                case .memory: try FlareStore(options: options)
                case .file: try FlareStore(file: folder.path + "/flare.db", options: options)
                }
            let hub = try FlareHub(store)
            try await hub.insert(Hall.records)
            let collector = Collector<ReceivedNotice>()
            _ = await hub.listen("lamp", to: Hall.lampObject, collector)
            let before = await hub.record(Hall.lampObject)
            let many = (0..<50).map { number in
                FlareRecord(
                    .thing,
                    Hall.id(1000 + number),
                    ["name": .string(String(repeating: "x", count: 4000)), "zone": Hall.text(Hall.west)]
                )
            }
            let full = { (error: any Error) in
                guard case .store(.sqlite(_, let code, let message))? = error as? FlareHubError else {
                    return false
                }
                return code == 13 && message == "database or disk is full"
            }
            await #expect(performing: { try await hub.insert(many) }, throws: full)
            await #expect(
                performing: {
                    let value = JSONValue.string(String(repeating: "y", count: 90_000))
                    try await hub.setData(Hall.lampObject, ["big": value])
                },
                throws: full
            )
            #expect(await hub.record(Hall.lampObject) == before)
            #expect(await hub.records(.thing, zone: Hall.west).map(\.id) == [Hall.lamp, Hall.sofa])
            #expect(await collector.all().isEmpty)
            try await hub.setData(Hall.lampObject, ["small": 1])
            #expect(await hub.record(Hall.lampObject)?.data?["small"] == 1)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `each refused write is reported, and a test write detects recovery`(
        kind: StoreKind
    ) async throws {
        try await withFolder { folder in
            var options = FlareStore.Options()
            options.maximumBytes = 200_000
            let store =
                switch kind {
                case .memory: try FlareStore(options: options)
                case .file: try FlareStore(file: folder.path + "/flare.db", options: options)
                }
            let errors = Collector<FlareStoreError>()
            let hub = try FlareHub(store, onStoreError: { errors.append($0) })
            try await hub.insert(Hall.records)
            #expect(await hub.acceptsWrites())
            let large = JSONValue.string(String(repeating: "x", count: 90_000))
            try await hub.setData(Hall.lampObject, ["big": large])
            for _ in 0..<2 {
                await #expect(throws: FlareHubError.self) {
                    try await hub.setData(ObjectReference(.thing, Hall.sofa), ["big": large])
                }
                #expect(await !hub.acceptsWrites())
            }
            #expect(await errors.all().count == 2)
            try await hub.setData(Hall.lampObject, ["big": 0])
            #expect(await hub.acceptsWrites())
            #expect(await hub.record(Hall.lampObject)?.data?["big"] == 0)
        }
    }

    @Test func `a database of a newer version is refused and not changed`() async throws {
        try await withFolder { folder in
            let file = folder.path + "/flare.db"
            try FlareStore(file: file).close()
            let queue = try DatabaseQueue(path: file)
            try await queue.write {
                try $0.execute(
                    sql: "INSERT INTO grdb_migrations VALUES ('v7'); PRAGMA user_version = 2000000"
                )
            }
            try queue.close()
            let before = try Data(contentsOf: URL(filePath: file))
            let newer = NewerDatabase(
                path: file,
                steps: ["v7"],
                known: "v1",
                program: ProgramVersion(2, 0, 0)
            )
            #expect(throws: FlareStoreError.newerVersion(newer)) { try FlareStore(file: file) }
            #expect(try Data(contentsOf: URL(filePath: file)) == before)
        }
    }

    @Test func `a second process is refused until the first closes the database`() async throws {
        try await withFolder { folder in
            let file = folder.path + "/flare.db"
            let first = try FlareStore(file: file)
            #expect(throws: FlareStoreError.inUse(path: file)) {
                try FlareStore(file: file, options: .impatient)
            }
            let hub = try FlareHub(first)
            try await hub.insert(Hall.records)
            #expect(throws: FlareStoreError.inUse(path: file)) {
                try FlareStore(file: file, options: .impatient)
            }
            try first.close()
            let second = try FlareHub(FlareStore(file: file, options: .impatient))
            #expect(await second.records(.thing).count == 3)
        }
    }

    @Test func `a file that is not a database is refused with SQLite's message`() async throws {
        try await withFolder { folder in
            let text = folder.path + "/text.db"
            try Data(repeating: 65, count: 5000).write(to: URL(filePath: text))
            #expect(throws: FlareStoreError.sqlite(path: text, code: 26, message: "file is not a database")) {
                try FlareStore(file: text)
            }
            let missing = folder.path + "/missing/flare.db"
            #expect { try FlareStore(file: missing) } throws: { error in
                guard case .sqlite(missing, let code, _)? = error as? FlareStoreError else { return false }
                return code & 0xFF == 14
            }
            #expect { try FlareStore(file: folder.path) } throws: { error in
                guard case .sqlite(folder.path, let code, _)? = error as? FlareStoreError else {
                    return false
                }
                return code & 0xFF == 14
            }
        }
    }

    @Test(
        arguments: [
            ("0000000000000abc00000001", "{"), ("0000000000000abc00000001", "[]"),
            ("0000000000000abc00000001", ""), ("no id", "{}"),
        ]
    )
    func `an unreadable row is reported by its location`(id: String, document: String) async throws {
        try await withFolder { folder in
            let file = folder.path + "/flare.db"
            try FlareStore(file: file).close()
            let queue = try DatabaseQueue(path: file)
            try await queue.write {
                try $0.execute(sql: "INSERT INTO thing VALUES (5, ?, ?)", arguments: [id, document])
            }
            try queue.close()
            #expect { try FlareHub(FlareStore(file: file)) } throws: { error in
                guard case .damaged(file, let what)? = error as? FlareStoreError else { return false }
                return what.hasPrefix("thing 5")
            }
        }
    }

    @Test func `both synchronous modes store the same objects`() async throws {
        try await withFolder { folder in
            for synchronous in FlareStore.Options.Synchronous.allCases {
                var options = FlareStore.Options()
                options.synchronous = synchronous
                let file = folder.path + "/\(synchronous).db"
                let store = try FlareStore(file: file, options: options)
                try await FlareHub(store).insert(Hall.records)
                try store.close()
                #expect(try await FlareHub(FlareStore(file: file)).records(.thing).count == 3)
            }
        }
    }
}
