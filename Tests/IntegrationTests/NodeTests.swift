import Accounts
import Bridge
import Controller
import Daemon
import Flare
import FlareClient
import FlareServer
import Foundation
import JSON
import Logging
import MQTT
import Messages
import ServiceLifecycle
import Settings
import TestSupport
import Testing
import Things
import Threading

/// Nodes that are built from values, in this process.
@Suite(.enabled(if: Mosquitto.isExpected), .timeLimit(.minutes(1)))
struct NodeTests {
    private static let clock: @Sendable () -> Instant = {
        let elapsed = ContinuousClock.now.duration(to: start)
        let milliseconds = -Int64(elapsed / .milliseconds(1))
        return Instant(wallMilliseconds: 1_800_000_000_000 + milliseconds, steadyMilliseconds: milliseconds)
    }

    private static let start = ContinuousClock.now

    /// An embedded server with the place of these tests, and what nodes on it are planned from.
    private struct Bench {
        let folder: TemporaryFolder
        let loop: LoopExecutor
        let flare: FlareBackend
        let plan: DaemonPlan
        private let stores = Locked<[String: StateStore]>([:])

        init(in folder: TemporaryFolder, port: Int) async throws {
            self.folder = folder
            loop = try LoopExecutor()
            var configuration = TrilateralConfiguration()
            configuration.mqtt.host = "127.0.0.1"
            configuration.mqtt.port = port
            plan = DaemonPlan(
                configuration: configuration,
                folder: try StateFolder(named: folder.path("server"), environment: [:]),
                read: { .failure(ConfigurationErrors([])) },
                setLogLevel: { _ in },
                droppedLogLines: { 0 }
            )
            flare = try FlareBackend(
                plan,
                on: loop,
                stations: try StateStore(folder: plan.folder.url),
                clock: NodeTests.clock,
                onFault: { _ in },
                logger: .silent
            )
            guard case .embedded(_, let hub) = flare else { return }
            try await hub.importModel(ModelTree.read(Array(Place.model.utf8), makeID: hub.makeID))
        }

        /// The store of a node.
        func store(_ name: String) throws -> StateStore {
            try stores.withLock { stores in
                if let store = stores[name] { return store }
                let folder = try StateFolder(named: folder.path(name), environment: [:])
                let store = try StateStore(folder: folder.url)
                stores[name] = store
                return store
            }
        }

        /// A node with a device and topics of its own.
        func node(
            _ name: String,
            _ more: [Capability] = [],
            without: String? = nil,
            variables: [String: String] = [:],
            onListening: (@Sendable (Int) -> Void)? = nil
        ) throws -> Node {
            var daemon = plan
            if !more.isEmpty || !variables.isEmpty {
                let schema = ConfigurationSchema(Capability.all + more)
                let loaded = try ConfigurationLoader.load(file: nil, environment: variables, schema: schema)
                daemon.configuration = loaded.values
                daemon.configuration.mqtt = plan.configuration.mqtt
            }
            var plan = NodePlan(daemon)
            plan.name = name
            plan.bridge.node = name
            plan.controller.deviceName = name
            plan.capabilities += more
            plan.capabilities.removeAll { $0.name == without }
            if let onListening { plan.daemon.onWebBound = onListening }
            return try Node.build(
                plan,
                on: loop,
                store: store(name),
                flare: flare,
                clock: NodeTests.clock,
                onStorageFault: { _ in },
                shell: { _ in },
                logger: .silent
            )
        }

        /// Asks at the socket that verbs use.
        func askAdministration(_ name: String, _ path: String) async throws -> (status: Int, body: [UInt8]) {
            let socket = folder.path("\(name)/admin.sock")
            _ = await eventually { FileManager.default.fileExists(atPath: socket) }
            return try await SingleRequest.send(path, method: "GET", body: nil, to: socket, seconds: 10)
        }

        func run(_ nodes: [Node], _ body: () async throws -> Void) async throws {
            let group = ServiceGroup(services: nodes.flatMap(\.services), logger: .silent)
            try await withThrowingTaskGroup(of: Void.self) { tasks in
                tasks.addTask { try await group.run() }
                do {
                    try await body()
                } catch {
                    await group.triggerGracefulShutdown()
                    throw error
                }
                await group.triggerGracefulShutdown()
                try await tasks.waitForAll()
            }
            flare.close(logger: .silent)
        }
    }

    private func withBench(_ body: (Bench, Int) async throws -> Void) async throws {
        try await withMosquitto { broker in
            try await withTemporaryFolder { folder in
                try await body(Bench(in: folder, port: broker.port), broker.port)
            }
        }
    }

    @Test func `two nodes with two devices live on one embedded server in one process`() async throws {
        try await withBench { bench, port in
            let (first, second) = ("a\(UInt32.random(in: 0 ... .max))", "b\(UInt32.random(in: 0 ... .max))")
            try await bench.run([bench.node(first), bench.node(second)]) {
                try await withVisitor(to: "trilateral/\(first)", port: port) { one in
                    try await withVisitor(to: "trilateral/\(second)", port: port) { two in
                        let devices = try await [
                            one.awaits("device") { $0["name"]?.string == first }["id"],
                            two.awaits("device") { $0["name"]?.string == second }["id"],
                        ]
                        #expect(devices[0] != nil && devices[0] != devices[1])
                        // What one drives, the other sees.
                        try await two.awaits("things/table-lamp")
                        #expect(try await one.ask("things/table-lamp/set/color", "red").outcome == "ok")
                        try await two.awaits("things/table-lamp") { $0["color_name"] == "red" }
                    }
                }
            }
        }
    }

    @Test func `info names the features that run`() async throws {
        try await withBench { bench, port in
            let (first, second) = ("e\(UInt32.random(in: 0 ... .max))", "f\(UInt32.random(in: 0 ... .max))")
            let off = ["TRILATERAL_SENSORS_BEACONS_ADAPTER": "none"]
            try await bench.run([bench.node(first), bench.node(second, variables: off)]) {
                for (name, hasBeacons) in [(first, true), (second, false)] {
                    try await withVisitor(to: "trilateral/\(name)", port: port) { visitor in
                        let info = try await visitor.awaits("info")
                        let features = try #require(info["features"]?.array)
                        #expect(features.contains("mqtt"))
                        #expect(features.contains("beacons") == hasBeacons)
                    }
                }
            }
        }
    }

    @Test func `a node without the discovery capability announces nothing`() async throws {
        try await withBench { bench, port in
            let (first, second) = ("f\(UInt32.random(in: 0 ... .max))", "g\(UInt32.random(in: 0 ... .max))")
            try await bench.run([bench.node(first), bench.node(second, without: "discovery")]) {
                try await withVisitor(to: "trilateral/\(second)", port: port) { visitor in
                    try await visitor.awaits("things/table-lamp")
                    func announced(_ node: String) async throws -> [String] {
                        try await retainedMessages(port: port).keys.filter {
                            $0.hasPrefix("homeassistant/device/trilateral_\(node)")
                        }
                    }
                    let isAnnounced = try await eventually { try await announced(first).count > 3 }
                    #expect(isAnnounced)
                    #expect(try await announced(second) == [])
                }
            }
        }
    }

    @Test func `a node that has ended is released, with all its parts`() async throws {
        try await withBench { bench, port in
            weak var runtime: NodeRuntime?
            weak var bridge: MQTTBridge?
            weak var client: MQTTClient?
            let name = "d\(UInt32.random(in: 0 ... .max))"
            do {
                let node = try bench.node(name)
                (runtime, bridge, client) = (node.runtime, node.bridge, node.client)
                try await bench.run([node]) {
                    try await withVisitor(to: "trilateral/\(name)", port: port) { visitor in
                        _ = try await visitor.awaits("state")
                    }
                }
            }
            #expect(await eventually { runtime == nil && bridge == nil && client == nil })
        }
    }

    // MARK: A capability of one's own: the example of design note 0086.

    @Test
    func `a capability plugs in with key, slice, features, topic, command, route, verb, observer and policy`()
        async throws
    {
        let capability = Capability.nightLight
        #expect(capability.access(TrilateralConfiguration()).map(\.filter) == ["night/#"])
        try await withBench { bench, port in
            let name = "c\(UInt32.random(in: 0 ... .max))"
            let variables = [
                "TRILATERAL_NIGHT_LIGHT_TOPIC": "bedside", "TRILATERAL_WEB_LISTEN": "127.0.0.1:0",
            ]
            let (ports, isBound) = AsyncStream.makeStream(of: Int.self)
            let node = try bench.node(name, [capability], variables: variables) { isBound.yield($0) }
            try await bench.run([node]) {
                try await withVisitor(to: "trilateral/\(name)", port: port) { visitor in
                    try await visitor.awaits("info") {
                        $0["features"]?.array?.contains("night-light") == true
                    }
                    try await visitor.awaits("bedside", "lit")
                    #expect(try await visitor.ask("things/table-lamp/set/state", "OFF").outcome == "ok")
                    try await visitor.awaits("bedside", "dark")
                    let refused = try await visitor.ask("things/table-lamp/action", "toggle")
                    #expect(refused.outcome == "not_allowed")
                    #expect(refused["error"]?["message"]?.string?.contains("at night") == true)

                    #expect(try await visitor.ask("night-light/set", "lit").outcome == "ok")
                    try await visitor.awaits("bedside", "lit")
                    let web = try #require(await ports.first { _ in true })
                    let reply = try await request(
                        "POST",
                        "/api/night-light/set",
                        port: web,
                        headers: ["Content-Type: application/json"],
                        body: #""dark""#
                    )
                    #expect(reply.status == 200, "\(reply)")
                    try await visitor.awaits("bedside", "dark")
                    // On a path of its own, not below /api.
                    let state = try await request("GET", "/night-light/state", port: web)
                    #expect(state.status == 200 && state.body == #"{"lit":false}"#, "\(state)")
                    let verb = try await bench.askAdministration(name, "/api/night-light")
                    #expect(verb.status == 200 && verb.body == Array(#"{"topic":"bedside"}"#.utf8))
                    #expect(try await bench.askAdministration(name, "/api/users").status == 200)
                    let why = try await visitor.ask("request/explain", "command")
                    #expect(why["data"]?["request"] == "set the night light")
                    let store = try bench.store(name)
                    let rows = try await eventually {
                        try store.withAccounts { try $0.log() }.filter { $0.kind == "night light" }
                            .map { [$0.interface, $0.actions, $0.slug] } == [
                                ["mqtt", #"{"state":"lit"}"#, "table-lamp"],
                                ["kiosk", #"{"state":"dark"}"#, "table-lamp"],
                            ]
                    }
                    #expect(rows)
                }
            }
        }
    }

    @Test func `a capability that is off has no routes, and answers no verbs`() async throws {
        try await withBench { bench, _ in
            let variables = [
                "TRILATERAL_NIGHT_LIGHT_ENABLED": "false", "TRILATERAL_WEB_LISTEN": "127.0.0.1:0",
            ]
            let name = "h\(UInt32.random(in: 0 ... .max))"
            let (ports, isBound) = AsyncStream.makeStream(of: Int.self)
            let node = try bench.node(name, [.nightLight], variables: variables) { isBound.yield($0) }
            try await bench.run([node]) {
                let web = try #require(await ports.first { _ in true })
                #expect(try await request("GET", "/night-light/state", port: web).status == 404)
                #expect(try await bench.askAdministration(name, "/api/night-light").status == 404)
                #expect(try await request("GET", "/api/lifecycle", port: web).status == 200)
            }
        }
    }

    @Test func `a capability's key is printed, suggested and checked like any other`() throws {
        let schema = ConfigurationSchema(Capability.all + [Capability.nightLight])
        let text = ConfigurationPrinter.text(LoadedConfiguration(), schema: schema)
        #expect(text.contains("# The lamp beside the bed.\nnight_light:\n"))
        #expect(text.contains("  topic: night\n"))
        let folder = try ScratchFolder()
        let file = try folder.write("t.yaml", "night_light: {topik: a, topic: 'a/+'}")
        let errors = #expect(throws: ConfigurationErrors.self) {
            try ConfigurationLoader.load(file: file, environment: [:], schema: schema)
        }
        let messages = errors?.problems.map(\.message) ?? []
        #expect(messages.first?.contains("did you mean \"topic\"?") == true, "\(messages)")
        #expect(messages.last?.contains("without +, #") == true, "\(messages)")
        // Without the capability the section is unknown.
        #expect(throws: ConfigurationErrors.self) {
            try ConfigurationLoader.load(file: file, environment: [:], schema: .program)
        }
    }
}
