import Bridge
import Controller
import Flare
import Logging
import MQTT
import TestSupport
import Testing

/// Answers that are on their way while the link to the broker is lost: a bridge without a daemon, so that the
/// answer can be given when the test wants it.
@Suite(.enabled(if: Mosquitto.isExpected), .timeLimit(.minutes(1)))
struct BridgeLinkTests {
    @Test func `who asked gets the answer at the own topic though our link was lost meanwhile`() async throws
    {
        try await withMosquitto { broker in
            var configuration = BridgeConfiguration()
            configuration.node = "t\(UInt32.random(in: .min ... .max))"
            var link = MQTTConfiguration()
            link.host = "127.0.0.1"
            link.port = broker.port
            link.reconnect = MQTTBackoff(minimum: .milliseconds(20), maximum: .milliseconds(200))
            let client = MQTTClient(link, logger: Self.logger)
            let now = Moment(wallMilliseconds: 0, steadyMilliseconds: 0)
            let (events, port) = AsyncStream.makeStream(of: ControllerEvent.self)
            let (outputs, outputPort) = AsyncStream.makeStream(of: MQTTBridge.Output.self)
            let bridge = MQTTBridge(
                configuration: configuration,
                identity: BridgeIdentity(epoch: "e", started: now, rememberedSlugs: []),
                client: client,
                logger: Self.logger,
                clock: { now },
                send: { port.yield($0) }
            )
            try await withThrowingTaskGroup(of: Void.self) { group in
                defer { group.cancelAll() }
                group.addTask { await client.run() }
                group.addTask { await bridge.run(snapshots: AsyncStream { $0.finish() }, outputs: outputs) }
                try await withVisitor(to: configuration.root, port: broker.port) { visitor in
                    try await visitor.awaits("status", "online")
                    async let answer = visitor.ask("request/refresh", #"{"tx":"mine"}"#)
                    let command = try #require(await Self.command(in: events))
                    await broker.kill()
                    #expect(await Self.isTold(.brokerLinkChanged(isUp: false), in: events))
                    await visitor.forget()
                    try await broker.start()
                    try await visitor.awaits("status", "online")
                    outputPort.yield(
                        .answer(Answer(ticket: command.ticket, tx: command.tx, subject: .verb("refresh")))
                    )
                    let body = try await answer
                    #expect(body.outcome == "ok")
                    #expect(body["tx"] == "mine")
                }
            }
        }
    }

    private static let logger = Logger(label: "bridge") { _ in SwiftLogNoOpLogHandler() }

    private static func command(in events: AsyncStream<ControllerEvent>) async -> Command? {
        for await event in events {
            if case .commandReceived(let command) = event { return command }
        }
        return nil
    }

    private static func isTold(_ wanted: ControllerEvent, in events: AsyncStream<ControllerEvent>) async
        -> Bool
    {
        for await event in events where event == wanted { return true }
        return false
    }
}
