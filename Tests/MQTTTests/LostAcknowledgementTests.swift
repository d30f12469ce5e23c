import MQTT
import TestSupport
import Testing
import Threading

/// Brokers that keep the link and do not acknowledge.
@Suite(.timeLimit(.minutes(1)))
struct LostAcknowledgementTests {
    /// What a broker sends on a link, given what it has received there.
    private typealias Script =
        @Sendable (
            _ link: Int, _ unacknowledged: inout [[UInt8]], _ newPings: Int, _ pings: Int
        ) -> [UInt8]

    private static let pong: [UInt8] = [0xD0, 0]

    private static func acknowledgement(_ id: [UInt8]) -> [UInt8] { [0x40, 2] + id }

    private static func acknowledgeAll(_ unacknowledged: inout [[UInt8]]) -> [UInt8] {
        defer { unacknowledged = [] }
        return unacknowledged.flatMap(acknowledgement)
    }

    /// Runs the body with a client of a broker that follows the script.
    private func withBroker(
        _ script: @escaping Script,
        log: LogRecorder = LogRecorder(),
        _ body: (MQTTClient, _ received: Locked<[Int: [String]]>) async throws -> Void
    ) async throws {
        let (links, received) = (Locked(0), Locked<[Int: [String]]>([:]))
        let broker = try HostileBroker(nil) { _, connection in
            let link = links.withLock { number in
                number += 1
                return number
            }
            guard connection.send(BrokerPackets.connack(.v5)) else { return }
            var packets = PublishedTopics()
            var unacknowledged: [[UInt8]] = []
            while true {
                let pings = packets.pings
                guard packets.append(connection.receive()) else { return }
                while let (topic, id) = packets.next() {
                    received.withLock { $0[link, default: []].append(topic) }
                    unacknowledged.append(id)
                }
                let answer = script(link, &unacknowledged, packets.pings - pings, packets.pings)
                guard answer.isEmpty || connection.send(answer) else { return }
            }
        }
        defer { broker.stop() }
        let settings = configuration(port: broker.port) {
            $0.acknowledgementPatience = .milliseconds(50)
            // It is under way before the client's thread waits for the first time.
            $0.birth = MQTTMessage(topic: "birth", qos: .atLeastOnce)
            // Looks at what is published later.
            $0.keepAliveSeconds = 5
        }
        try await withClient(settings, logger: log.logger) { try await body($0, received) }
    }

    private func publish(_ client: MQTTClient) async throws {
        for number in 1...4 { client.publish(MQTTMessage(topic: "t/\(number)", qos: .atLeastOnce)) }
        try await client.publishAndWait(
            MQTTMessage(topic: "t/5", qos: .atLeastOnce),
            timeout: .seconds(50)
        )
    }

    private static let topics = ["birth", "t/1", "t/2", "t/3", "t/4", "t/5"]

    @Test func `publications that a living broker never acknowledges are sent again on another link`()
        async throws
    {
        let log = LogRecorder()
        try await withBroker(
            { link, unacknowledged, newPings, _ in
                (link == 1 ? [] : Self.acknowledgeAll(&unacknowledged))
                    + [[UInt8]](repeating: Self.pong, count: newPings).flatMap(\.self)
            },
            log: log
        ) { client, received in
            async let failure = client.nextFailure()
            try await publish(client)
            guard case .unacknowledged? = await failure else {
                Issue.record("the link has not ended for this reason")
                return
            }
            #expect(received.withLock { $0[2] } == Self.topics)
            #expect(client.counters.connects == 2)
            #expect(client.counters.queued == 0 && client.counters.sent == Self.topics.count)
        }
        #expect(log.recorded.count { $0.contains("max_queued_messages") } == 1)
    }

    @Test func `a broker that acknowledges one publication in a long time keeps its link`() async throws {
        // The ping shows that the time has passed.
        try await withBroker({ _, unacknowledged, newPings, _ in
            guard newPings > 0 else { return [] }
            let next = unacknowledged.isEmpty ? [] : Self.acknowledgement(unacknowledged.removeFirst())
            return next + Self.pong
        }) { client, received in
            try await publish(client)
            #expect(received.withLock { $0 } == [1: Self.topics])
            #expect(client.counters.connects == 1 && client.counters.failures == 0)
        }
    }

    @Test func `while a broker does not even answer pings the link is kept`() async throws {
        try await withBroker({ _, unacknowledged, newPings, pings in
            // As on a link that has stalled: everything comes in the end.
            guard pings >= 3 else { return [] }
            return Self.acknowledgeAll(&unacknowledged)
                + [[UInt8]](repeating: Self.pong, count: newPings).flatMap(\.self)
        }) { client, received in
            try await publish(client)
            #expect(received.withLock { $0 } == [1: Self.topics])
            #expect(client.counters.connects == 1 && client.counters.failures == 0)
        }
    }

    @Test(.enabled(if: Mosquitto.isExpected))
    func `what mosquitto does not acknowledge while too many packets wait arrives in the end`() async throws {
        var options = MosquittoOptions()
        options.lines = ["max_queued_messages 10"]
        try await withMosquitto(options) { broker in
            try await withConnectedClient(configuration(port: broker.port)) { observer, _ in
                let observed = observer.subscribe(["q/+"], qos: .atMostOnce)
                let settings = configuration(port: broker.port) {
                    $0.maximumUnreadBytes = 1 << 20
                    $0.acknowledgementPatience = .milliseconds(300)
                }
                try await withConnectedClient(settings) { client, _ in
                    do {
                        let unread = client.subscribe(["r"], qos: .atMostOnce)
                        try await stall(client, observer)
                        for number in 1...10 {
                            client.publish(MQTTMessage(topic: "q/\(number)", qos: .atLeastOnce))
                        }
                        // The broker has taken them, and had no room for an acknowledgement.
                        for await message in observed where message.topic == "q/10" { break }
                        withExtendedLifetime(unread) {}
                    }
                    #expect(await eventually { client.counters.queued == 0 })
                    #expect(client.counters.sent == 10)
                }
            }
        }
    }

    /// Lets more wait for the client, which does not read it, than the broker and the system hold.
    private func stall(_ client: MQTTClient, _ observer: MQTTClient) async throws {
        #expect(
            await eventually {
                observer.publish(MQTTMessage(topic: "r"))
                observer.publish(MQTTMessage(topic: "q/0"))
                return client.counters.received > 0 && observer.counters.received > 0
            }
        )
        let small = client.counters.received
        let large = MQTTMessage(topic: "r", payload: [UInt8](repeating: 7, count: 60_000))
        for number in [400, 100] {
            for _ in 0..<number { observer.publish(large) }
            try await observer.publishAndWait(
                MQTTMessage(topic: "end", qos: .atLeastOnce),
                timeout: .seconds(30)
            )
            // It reads no more than this.
            #expect(await eventually { client.counters.received - small >= 1 << 20 / large.payload.count })
        }
    }
}
