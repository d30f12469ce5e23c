import Bridge
import Controller
import Daemon
import Flare
import HomeAssistant
import JSON
import Logging
import MQTT
import TestSupport
import Testing
import Threading

/// A bridge without a daemon, so that answers and states are told when the test wants it.
@Suite(.enabled(if: Mosquitto.isExpected), .timeLimit(.minutes(1)))
struct BridgeLinkTests {
    @Test func `who asked gets the answer at the own topic though our link was lost meanwhile`() async throws
    {
        try await withMosquitto { broker in
            try await withBridge(port: broker.port) { bridge, visitor in
                async let answer = visitor.ask("request/refresh", #"{"tx":"mine"}"#)
                let command = try #require(await bridge.command())
                await broker.kill()
                #expect(await bridge.tells { $0 == .brokerLinkChanged(isUp: false) })
                await visitor.forget()
                try await broker.start()
                try await visitor.awaits("status", "online")
                await bridge.bridge.publish(
                    Answer(ticket: command.ticket, tx: command.tx, subject: .verb("refresh"))
                )
                let body = try await answer
                #expect(body.outcome == "ok")
                #expect(body["tx"] == "mine")
            }
        }
    }

    @Test func `what was cleared is told once the broker has confirmed it, with a link only`() async throws {
        try await withMosquitto { broker in
            try await withBridge(port: broker.port, kept: ["info", "things/radio"]) { bridge, visitor in
                try await visitor.awaits("things/radio")
                await broker.freeze()
                let radio = ObjectReference(.thing, FlareID(high: 3, low: 0))
                await bridge.bridge.publish(
                    StateSnapshot(state: Self.emptyPlace(slugs: ["radio": radio]), changes: [])
                )
                // What is told later comes later, so that it would have been heard before.
                bridge.events.yield(.timerFired(.readAgain))
                #expect(await bridge.tells { $0 == .timerFired(.readAgain) })
                await broker.thaw()
                #expect(await bridge.tells { $0 == .topicsCleared([ObjectName(.thing, "radio")]) })
                try await visitor.awaits("things/radio", "")
            }
        }
    }

    @Test func `what the broker keeps from before is taken away once the place is known`() async throws {
        let gone = ["things/radio", "things/radio/data", "zones/attic/lights", "alert/fire", "map"]
        // Neither ours nor anybody's business.
        let foreign = ["things/radio/set", "notes/mine"]
        try await withMosquitto { broker in
            try await withBridge(port: broker.port, kept: ["info"] + gone + foreign, announces: false) {
                bridge,
                visitor in
                await bridge.bridge.publish(StateSnapshot(state: Self.emptyPlace(), changes: []))
                for topic in gone { try await visitor.awaits(topic, "") }
                for topic in foreign { try await visitor.awaits(topic, "{}") }
            }
        }
    }

    @Test func `what the broker keeps from before is asked for once all of ours is confirmed`() async throws {
        try await withMosquitto { broker in
            try await withBridge(port: broker.port, kept: ["info", "things/radio"], announces: false) {
                bridge,
                visitor in
                #expect(await bridge.tells { $0 == .brokerLinkChanged(isUp: true) })
                #expect(!broker.log.contains("/things/+ (QoS 0)"))
                await bridge.bridge.publish(StateSnapshot(state: Self.emptyPlace(), changes: []))
                try await visitor.awaits("things/radio", "")
                #expect(broker.log.contains("/things/+ (QoS 0)"))
            }
        }
    }

    @Test func `after an own run only what passes is asked for`() async throws {
        try await withMosquitto { broker in
            try await withBridge(
                port: broker.port,
                kept: ["alert/fire", "things/radio"],
                formerEpoch: "past",
                announces: false
            ) {
                bridge,
                visitor in
                await bridge.bridge.publish(StateSnapshot(state: Self.emptyPlace(), changes: []))
                try await visitor.awaits("alert/fire", "")
                #expect(await visitor.text("things/radio") == "{}")
            }
        }
    }

    @Test func `where a run speaks is remembered as soon as it does`() async throws {
        try await withMosquitto { broker in
            try await withBridge(port: broker.port) { bridge, _ in
                #expect(
                    await bridge.remembers { if case .root(_, isUsed: true) = $0 { true } else { false } }
                )
            }
        }
    }

    @Test func `what a second daemon left is taken away when it has gone`() async throws {
        try await withMosquitto { broker in
            try await withBridge(port: broker.port, announces: false) { bridge, visitor in
                await bridge.bridge.publish(StateSnapshot(state: Self.emptyPlace(), changes: []))
                visitor.say("info", #"{"epoch":"other"}"#, isRetained: true)
                #expect(
                    await bridge.tells {
                        if case .alertRaised("duplicate-node", _, _) = $0 { true } else { false }
                    }
                )
                visitor.say("things/radio", "{}", isRetained: true)
                try await visitor.awaits("things/radio", "{}")
                visitor.say("status", "offline", isRetained: true)
                try await visitor.awaits("things/radio", "")
                #expect(await visitor.said(on: "things/radio") == ["{}", ""])
            }
        }
    }

    @Test func `topics of a former node are taken away, unless somebody else lives there`() async throws {
        let former = "t/former\(UInt32.random(in: .min ... .max))"
        try await withMosquitto { broker in
            for status in ["offline", "online"] {
                try await withVisitor(to: former, port: broker.port) { neighbour in
                    for topic in ["info", "things/lamp", "sensors/gps"] {
                        neighbour.say(topic, "{}", isRetained: true)
                        try await neighbour.awaits(topic, "{}")
                    }
                    neighbour.say("status", status, isRetained: true)
                    try await neighbour.awaits("status", status)
                    try await withBridge(port: broker.port, formerRoots: [former], announces: false) {
                        bridge,
                        _ in
                        await bridge.bridge.publish(StateSnapshot(state: Self.emptyPlace(), changes: []))
                        #expect(await bridge.remembers { $0 == .root(former, isUsed: false) })
                    }
                    let left = status == "online" ? "{}" : ""
                    for topic in ["info", "things/lamp", "sensors/gps"] {
                        try await neighbour.awaits(topic, left)
                    }
                }
            }
        }
    }

    @Test func `health comes more often than position and angle are repeated, if so configured`()
        async throws
    {
        try await withMosquitto { broker in
            try await withBridge(
                port: broker.port,
                healthInterval: .milliseconds(20),
                aliveInterval: .seconds(3600)
            ) { _, visitor in
                // The first comes with the link.
                #expect(await eventually { await visitor.said(on: "health").count >= 5 })
            }
        }
    }

    @Test func `announcements that the broker refuses are sent again until it takes them`() async throws {
        try await withTemporaryFolder { folder in
            try folder.write("topic readwrite trilateral/#\ntopic read homeassistant/#\n", to: "acl")
            var options = MosquittoOptions()
            options.lines = ["acl_file \(folder.path("acl"))"]
            try await withMosquitto(options) { broker in
                try await withBridge(port: broker.port, healthInterval: .milliseconds(500)) {
                    bridge,
                    visitor in
                    let announced = visitor.client.subscribe(["homeassistant/device/#"], qos: .atLeastOnce)
                    var refusals = 0
                    for await event in bridge.told {
                        switch event {
                        case .announcementWanted: await bridge.bridge.announceAll(Self.emptyPlace())
                        case .alertRaised(BrokerRefusals.publications, _, let message):
                            refusals += 1
                            #expect(message.contains("homeassistant/device/"))
                            guard refusals == 2 else { continue }
                            try folder.write("topic readwrite #\n", to: "acl")
                            await broker.reload()
                        case .alertCleared(BrokerRefusals.publications) where refusals > 0:
                            try #require(refusals >= 2, "cleared while the broker still refuses")
                            for await message in announced where !message.payload.isEmpty { return }
                        default: break
                        }
                    }
                }
            }
        }
    }

    @Test func `a removal that the broker refuses is sent again until it is accepted`() async throws {
        let topic = "homeassistant/device/trilateral_before/config"
        try await withTemporaryFolder { folder in
            try folder.write("topic readwrite #\n", to: "acl")
            var options = MosquittoOptions()
            options.lines = ["acl_file \(folder.path("acl"))"]
            try await withMosquitto(options) { broker in
                try await withVisitor(to: "homeassistant", port: broker.port) { visitor in
                    visitor.say(absolute: topic, "{}", isRetained: true)
                    let isThere = try await eventually {
                        try await retainedMessages(port: broker.port).count == 1
                    }
                    #expect(isThere)
                }
                try folder.write("topic readwrite trilateral/#\ntopic read homeassistant/#\n", to: "acl")
                await broker.reload()
                try await withBridge(
                    port: broker.port,
                    healthInterval: .milliseconds(500),
                    announced: [topic: "sensor.zone"]
                ) { bridge, _ in
                    var refusals = 0
                    for await event in bridge.told {
                        switch event {
                        case .announcementWanted: await bridge.bridge.announceAll(Self.emptyPlace())
                        case .alertRaised(BrokerRefusals.publications, _, let message):
                            #expect(message.contains("sent again every minute"))
                            refusals += 1
                            guard refusals == 2 else { continue }
                            try folder.write("topic readwrite #\n", to: "acl")
                            await broker.reload()
                        case .alertCleared(BrokerRefusals.publications) where refusals >= 2:
                            let retained = try await retainedMessages(port: broker.port)
                            #expect(retained[topic] == nil)
                            #expect(await bridge.remembers { $0 == .withdrawn(topic: topic) })
                            return
                        default: break
                        }
                    }
                }
            }
        }
    }

    @Test func `a bridge that leaves takes back all devices, however few messages may wait`() async throws {
        let topics = (0..<40).map { "homeassistant/device/trilateral_leaving_lamp-\($0)/config" }
        try await withMosquitto { broker in
            try await withVisitor(to: "homeassistant", port: broker.port) { visitor in
                for topic in topics { visitor.say(absolute: topic, "{}", isRetained: true) }
                let areThere = try await eventually {
                    try await retainedMessages(port: broker.port).count == topics.count
                }
                #expect(areThere)
            }
            try await withBridge(
                port: broker.port,
                node: "leaving",
                announced: Dictionary(uniqueKeysWithValues: topics.map { ($0, "state:sensor") }),
                maximumQueued: 5
            ) { bridge, _ in
                await bridge.bridge.leave()
                let isCleared = try await eventually {
                    try await !retainedMessages(port: broker.port).keys.contains {
                        $0.hasPrefix("homeassistant/")
                    }
                }
                #expect(isCleared)
            }
        }
    }

    private static func emptyPlace(slugs: [String: ObjectReference] = [:]) -> ControllerState {
        var book = SlugRegistry()
        for (slug, object) in slugs { book.restore(slug, for: object) }
        var state = ControllerState(epoch: "e", slugs: book)
        state.isPlaceKnown = true
        return state
    }

    /// A bridge that runs, and what it tells.
    private struct Running {
        let bridge: MQTTBridge
        let told: AsyncStream<ControllerEvent>
        let mementos: AsyncStream<ControllerEffect.PersistedRecord>
        let events: AsyncStream<ControllerEvent>.Continuation

        func command() async -> Command? {
            for await event in told {
                if case .commandReceived(let command) = event { return command }
            }
            return nil
        }

        func remembers(_ isWanted: (ControllerEffect.PersistedRecord) -> Bool) async -> Bool {
            for await memento in mementos where isWanted(memento) { return true }
            return false
        }

        func tells(_ isWanted: (ControllerEvent) -> Bool) async -> Bool {
            for await event in told where isWanted(event) { return true }
            return false
        }
    }

    private func withBridge(
        port: Int,
        node: String = "t\(UInt32.random(in: .min ... .max))",
        kept: [String] = [],
        formerRoots: [String] = [],
        formerEpoch: String? = nil,
        healthInterval: Duration = .seconds(60),
        // What others left is read for an interval, and the broker may be slow.
        aliveInterval: Duration = .seconds(1),
        announced: [String: String] = [:],
        maximumQueued: Int = 10_000,
        announces: Bool = true,
        _ body: (Running, Visitor) async throws -> Void
    ) async throws {
        var configuration = BridgeConfiguration()
        configuration.node = node
        if !announces { configuration.discovery = .off }
        configuration.aliveInterval = aliveInterval
        configuration.healthInterval = healthInterval
        var link = MQTTConfiguration()
        link.host = "127.0.0.1"
        link.port = port
        link.maximumQueued = maximumQueued
        link.reconnectMinimumSeconds = 0.02
        link.reconnectMaximumSeconds = 0.2
        let client = MQTTClient(link, logger: Self.logger)
        let now = Instant(wallMilliseconds: 0, steadyMilliseconds: 0)
        let (told, events) = AsyncStream.makeStream(of: ControllerEvent.self)
        let (mementos, mementoPort) = AsyncStream.makeStream(of: ControllerEffect.PersistedRecord.self)
        let loop = try LoopExecutor()
        let bridge = MQTTBridge(
            on: loop,
            configuration: configuration,
            commands: .program,
            identity: BridgeIdentity(
                epoch: "e",
                started: now,
                formerRoots: formerRoots,
                formerEpoch: formerEpoch,
                announced: announced
            ),
            client: client,
            identify: { _ in nil },
            logger: Self.logger,
            clock: { now },
            seconds: { 0 },
            remember: { mementoPort.yield($0) },
            send: { events.yield($0) }
        )
        try await withVisitor(to: configuration.root, port: port) { visitor in
            if let formerEpoch {
                visitor.say("info", #"{"epoch":"\#(formerEpoch)"}"#, isRetained: true)
                try await visitor.awaits("info")
            }
            for topic in kept {
                visitor.say(topic, "{}", isRetained: true)
                try await visitor.awaits(topic)
            }
        }
        try await withThrowingTaskGroup(of: Void.self) { group in
            defer { group.cancelAll() }
            group.addTask { await client.run() }
            group.addTask { await bridge.run() }
            try await withVisitor(to: configuration.root, port: port) { visitor in
                try await visitor.awaits("status", "online")
                let running = Running(
                    bridge: bridge,
                    told: told,
                    mementos: mementos,
                    events: events
                )
                try await body(running, visitor)
            }
        }
    }

    private static let logger = Logger.silent
}
