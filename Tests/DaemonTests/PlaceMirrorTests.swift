import Controller
import Daemon
import Flare
import Foundation
import GRDB
import JSON
import TestSupport
import Testing
import Threading

struct PlaceMirrorTests {
    private static let home = FlareID(high: 1, low: 1)
    private static let server = "http://flare.local:1234"
    private static let lamp = ObjectReference(.thing, FlareID(high: 3, low: 1))

    private static var state: ControllerState {
        var state = ControllerState(epoch: "e")
        var environment = FlareEnvironment(id: home)
        environment.name = "Home"
        environment.geofence = Geofence(centre: GeoPoint(latitude: 1, longitude: 2), radiusMetres: 3)
        state.environments[home] = environment
        state.environmentID = home
        var zone = FlareZone(id: FlareID(high: 2, low: 1))
        zone.environment = home
        zone.perimeter = Box(origin: .zero, width: 1, height: 2)
        state.zones[zone.id] = zone
        var thing = FlareThing(id: lamp.id)
        thing.data = ["color": "grün", "on": true]
        thing.position = Point3D(x: 1, y: 2, z: 3)
        state.things[thing.id] = thing
        var device = FlareDevice(id: FlareID(high: 4, low: 1))
        device.environment = home
        state.device = device
        state.isPlaceKnown = true
        return state
    }

    private static func place(of state: ControllerState) -> RememberedPlace {
        RememberedPlace(
            environments: Array(state.environments.values),
            environment: home,
            zones: Array(state.zones.values),
            things: state.things.values.sorted { $0.id < $1.id },
            device: state.device
        )
    }

    /// A mirror, the state that it copies, and what it sends.
    private struct Bench {
        let mirror: PlaceMirror
        let state: Locked<ControllerState>
        let sent: AsyncStream<ControllerEvent>

        /// - Parameter waits: Whether it waits for ever before it writes or shows by itself.
        init(
            _ folder: TemporaryFolder,
            server: String = PlaceMirrorTests.server,
            waits: Bool = true,
            log: LogRecorder = LogRecorder()
        ) throws {
            let state = Locked(PlaceMirrorTests.state)
            let (sent, port) = AsyncStream.makeStream(of: ControllerEvent.self)
            mirror = PlaceMirror(
                try MirrorStore(folder: folder.url),
                server: server,
                capture: { wanted in MirrorCapture(state.withLock { $0 }, wanted) },
                send: { port.yield($0) },
                sleep: { _ in
                    guard waits else { return }
                    for await _ in AsyncStream<Void>.makeStream().stream {}
                    throw CancellationError()
                },
                logger: log.logger
            )
            (self.state, self.sent) = (state, sent)
        }

        func changed(_ objects: [ObjectReference]) {
            let state = state.withLock { $0 }
            mirror.observe(StateSnapshot(state: state, changes: Set(objects.map { .object($0) })))
        }

        /// Runs the mirror until it is told to end, which writes what is left.
        func runToEnd() async {
            let run = Task { await mirror.run() }
            run.cancel()
            await run.value
        }
    }

    private func stored(in folder: TemporaryFolder, of server: String = server) throws -> RememberedPlace? {
        let store = try MirrorStore(folder: folder.url)
        defer { store.close() }
        return try store.place(of: server)
    }

    @Test func `the place is written at the end, and read again`() async throws {
        try await withTemporaryFolder { folder in
            let bench = try Bench(folder)
            bench.changed([Self.lamp])
            await bench.runToEnd()
            #expect(try stored(in: folder) == Self.place(of: Self.state))
            #expect(try stored(in: folder, of: "http://other") == nil)
            let rights = try FileManager.default.attributesOfItem(atPath: folder.path("mirror.db"))
            #expect((rights[.posixPermissions] as? NSNumber)?.intValue == 0o600)
        }
    }

    @Test func `only changes are written later, and what is gone is removed`() async throws {
        try await withTemporaryFolder { folder in
            let bench = try Bench(folder, waits: false)
            let run = Task { await bench.mirror.run() }
            bench.changed([Self.lamp])
            let second = try MirrorStore(folder: folder.url)
            #expect(try await eventually(within: .seconds(120)) { try second.place(of: Self.server) != nil })
            bench.state.withLock { $0.things[Self.lamp.id]?.data["color"] = "red" }
            bench.changed([Self.lamp])
            #expect(
                try await eventually(within: .seconds(120)) {
                    try second.place(of: Self.server)?.things.first?.data["color"] == "red"
                }
            )
            bench.state.withLock { $0.things = [:] }
            bench.changed([Self.lamp])
            #expect(
                try await eventually(within: .seconds(120)) {
                    try second.place(of: Self.server)?.things.isEmpty == true
                }
            )
            second.close()
            run.cancel()
            await run.value
        }
    }

    @Test func `the first write of a run replaces all that was stored`() async throws {
        try await withTemporaryFolder { folder in
            let first = try Bench(folder)
            first.changed([Self.lamp])
            await first.runToEnd()
            let second = try Bench(folder, server: "http://other")
            second.state.withLock { $0.things = [:] }
            second.changed([ObjectReference(.environment, Self.home)])
            await second.runToEnd()
            #expect(try stored(in: folder) == nil)
            #expect(try stored(in: folder, of: "http://other")?.things == [])
        }
    }

    @Test func `a place that is not known, or is itself the kept one, is not written`() async throws {
        for change in [{ $0.isPlaceKnown = false }, { $0.isStale = true }]
            as [(inout ControllerState) -> Void]
        {
            try await withTemporaryFolder { folder in
                let bench = try Bench(folder)
                bench.state.withLock { change(&$0) }
                bench.changed([Self.lamp])
                await bench.runToEnd()
                #expect(try stored(in: folder) == nil)
            }
        }
    }

    @Test func `a place that is too large is not kept, nor what was kept before`() async throws {
        try await withTemporaryFolder { folder in
            let first = try Bench(folder)
            first.changed([Self.lamp])
            await first.runToEnd()
            let second = try Bench(folder)
            let text = String(repeating: "x", count: MirrorStore.capacity)
            second.state.withLock { $0.things[Self.lamp.id]?.data["text"] = .string(text) }
            second.changed([Self.lamp])
            await second.runToEnd()
            #expect(try stored(in: folder) == nil)
        }
    }

    @Test func `a place that was too large is kept again when it fits`() async throws {
        try await withTemporaryFolder { folder in
            let log = LogRecorder()
            let bench = try Bench(folder, waits: false, log: log)
            let text = String(repeating: "x", count: MirrorStore.capacity)
            bench.state.withLock { $0.things[Self.lamp.id]?.data["text"] = .string(text) }
            let run = Task { await bench.mirror.run() }
            bench.changed([Self.lamp])
            let isTold = await eventually(within: .seconds(120)) { !log.recorded.isEmpty }
            #expect(isTold && log.recorded.first?.contains("is not kept") == true)
            bench.state.withLock { $0.things[Self.lamp.id]?.data["text"] = "short" }
            bench.changed([Self.lamp])
            let store = try MirrorStore(folder: folder.url)
            let isKept = try await eventually(within: .seconds(120)) {
                try store.place(of: Self.server)?.things.first?.data["text"] == "short"
            }
            let kept = try store.place(of: Self.server)
            #expect(isKept && kept?.environments.count == 1 && kept?.zones.count == 1)
            store.close()
            run.cancel()
            await run.value
            #expect(log.recorded.count == 1)
        }
    }

    @Test func `it is shown when the server cannot be reached, once`() async throws {
        try await withTemporaryFolder { folder in
            let first = try Bench(folder)
            first.changed([Self.lamp])
            await first.runToEnd()
            let bench = try Bench(folder)
            let run = Task { await bench.mirror.run() }
            bench.mirror.receive(.linkDown(reason: "off"))
            var events = bench.sent.makeAsyncIterator()
            #expect(await events.next() == .placeRemembered(Self.place(of: Self.state)))
            run.cancel()
            await run.value
        }
    }

    @Test func `it is shown when the server does not answer for a while, unless it has been reached`()
        async throws
    {
        try await withTemporaryFolder { folder in
            let first = try Bench(folder)
            first.changed([Self.lamp])
            await first.runToEnd()
            let silent = try Bench(folder, waits: false)
            let run = Task { await silent.mirror.run() }
            var events = silent.sent.makeAsyncIterator()
            #expect(await events.next() == .placeRemembered(Self.place(of: Self.state)))
            run.cancel()
            await run.value
            let reached = try Bench(folder, waits: false)
            reached.mirror.receive(.linkUp)
            reached.mirror.receive(.linkDown(reason: "off"))
            let other = Task { await reached.mirror.run() }
            // A change is written after the showing would have been.
            reached.state.withLock { $0.things = [:] }
            reached.changed([Self.lamp])
            let store = try MirrorStore(folder: folder.url)
            #expect(
                try await eventually(within: .seconds(120)) {
                    try store.place(of: Self.server)?.things.isEmpty == true
                }
            )
            store.close()
            other.cancel()
            await other.value
        }
    }

    @Test func `a damaged file is replaced`() async throws {
        try await withTemporaryFolder { folder in
            try folder.write(String(repeating: "nonsense", count: 1000), to: "mirror.db")
            #expect(try stored(in: folder) == nil)
            let bench = try Bench(folder)
            bench.changed([Self.lamp])
            await bench.runToEnd()
            #expect(try stored(in: folder) != nil)
            MirrorStore.remove(from: folder.url)
            #expect(!FileManager.default.fileExists(atPath: folder.path("mirror.db")))
        }
    }

    /// Keeps a place, and changes its file.
    private func damaged(_ folder: TemporaryFolder, _ damage: (String) throws -> Void) async throws {
        let bench = try Bench(folder)
        bench.changed([Self.lamp])
        await bench.runToEnd()
        try damage(folder.path("mirror.db"))
    }

    private func execute(_ sql: String) -> (String) throws -> Void {
        { path in
            let database = try DatabaseQueue(path: path)
            try database.write { try $0.execute(sql: sql) }
            try database.close()
        }
    }

    @Test func `a file that is cut, foreign or without a table is replaced, which is logged`() async throws {
        let damages: [(String) throws -> Void] = [
            { try Data(repeating: 0x55, count: 9000).write(to: URL(filePath: $0)) },
            { #expect(truncate($0, 9000) == 0) },
            execute("DROP TABLE object"), execute("DROP TABLE place"),
            execute("DROP TABLE grdb_migrations"), execute("ALTER TABLE object DROP COLUMN json"),
        ]
        for damage in damages {
            try await withTemporaryFolder { folder in
                try await damaged(folder, damage)
                let log = LogRecorder()
                let bench = try Bench(folder, log: log)
                bench.changed([Self.lamp])
                await bench.runToEnd()
                #expect(log.recorded == ["warning the last place was damaged, and is forgotten"])
                #expect(try stored(in: folder) == Self.place(of: Self.state))
            }
        }
    }

    @Test func `a place without its environment is not shown`() async throws {
        try await withTemporaryFolder { folder in
            try await damaged(folder, execute("UPDATE object SET json = '5' WHERE kind = 'environment'"))
            #expect(try stored(in: folder) == nil)
        }
    }
}
