import Bridge
import Controller
import Flare
import Logging
import MQTT
import TestSupport
import Testing

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
                bridge.outputs.yield(
                    .answer(Answer(ticket: command.ticket, tx: command.tx, subject: .verb("refresh")))
                )
                let body = try await answer
                #expect(body.outcome == "ok")
                #expect(body["tx"] == "mine")
            }
        }
    }

    @Test func `what was cleared is told once the broker has confirmed it, with a link only`() async throws {
        try await withMosquitto { broker in
            try await withBridge(port: broker.port, remembered: [(.thing, "radio")]) { bridge, visitor in
                visitor.say("things/radio", "{}", isRetained: true)
                try await visitor.awaits("things/radio")
                await broker.freeze()
                var state = ControllerState(epoch: "e")
                state.isPlaceKnown = true
                bridge.snapshots.yield(StateSnapshot(state: state, changes: []))
                // What is told later comes later, so that it would have been heard before.
                bridge.events.yield(.timerFired(.readAgain))
                #expect(await bridge.tells { $0 == .timerFired(.readAgain) })
                await broker.thaw()
                #expect(await bridge.tells { $0 == .topicsCleared([ObjectName(.thing, "radio")]) })
                try await visitor.awaits("things/radio", "")
            }
        }
    }

    /// A bridge that runs, and what it tells.
    private struct Running {
        let told: AsyncStream<ControllerEvent>
        let events: AsyncStream<ControllerEvent>.Continuation
        let outputs: AsyncStream<MQTTBridge.Output>.Continuation
        let snapshots: AsyncStream<StateSnapshot>.Continuation

        func command() async -> Command? {
            for await event in told {
                if case .commandReceived(let command) = event { return command }
            }
            return nil
        }

        func tells(_ isWanted: (ControllerEvent) -> Bool) async -> Bool {
            for await event in told where isWanted(event) { return true }
            return false
        }
    }

    private func withBridge(
        port: Int,
        remembered: [(kind: FlareClass, slug: String)] = [],
        _ body: (Running, Visitor) async throws -> Void
    ) async throws {
        var configuration = BridgeConfiguration()
        configuration.node = "t\(UInt32.random(in: .min ... .max))"
        configuration.aliveInterval = .milliseconds(50)
        var link = MQTTConfiguration()
        link.host = "127.0.0.1"
        link.port = port
        link.reconnect = MQTTBackoff(minimum: .milliseconds(20), maximum: .milliseconds(200))
        let client = MQTTClient(link, logger: Self.logger)
        let now = Moment(wallMilliseconds: 0, steadyMilliseconds: 0)
        let (told, events) = AsyncStream.makeStream(of: ControllerEvent.self)
        let (outputs, outputPort) = AsyncStream.makeStream(of: MQTTBridge.Output.self)
        let (snapshots, snapshotPort) = AsyncStream.makeStream(of: StateSnapshot.self)
        let bridge = MQTTBridge(
            configuration: configuration,
            identity: BridgeIdentity(epoch: "e", started: now, rememberedSlugs: remembered),
            client: client,
            logger: Self.logger,
            clock: { now },
            seconds: { 0 },
            send: { events.yield($0) }
        )
        try await withThrowingTaskGroup(of: Void.self) { group in
            defer { group.cancelAll() }
            group.addTask { await client.run() }
            group.addTask { await bridge.run(snapshots: snapshots, outputs: outputs) }
            try await withVisitor(to: configuration.root, port: port) { visitor in
                try await visitor.awaits("status", "online")
                let running = Running(
                    told: told,
                    events: events,
                    outputs: outputPort,
                    snapshots: snapshotPort
                )
                try await body(running, visitor)
            }
        }
    }

    private static let logger = Logger(label: "bridge") { _ in SwiftLogNoOpLogHandler() }
}
