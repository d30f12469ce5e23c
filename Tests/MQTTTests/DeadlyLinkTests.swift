import MQTT
import TestSupport
import Testing
import Threading

/// Links that a broker ends at a publication instead of refusing it.
@Suite(.timeLimit(.minutes(1)))
struct DeadlyLinkTests {
    /// How the broker ends the link at a publication.
    enum End: Sendable, CaseIterable {
        /// It closes the connection.
        case abrupt
        /// With DISCONNECT and "protocol error".
        case protocolError
        /// With DISCONNECT and "session taken over", as if another client had our id.
        case takenOver

        fileprivate var packet: [UInt8] {
            switch self {
            case .abrupt: []
            case .protocolError: [0xE0, 2, 0x82, 0]
            case .takenOver: [0xE0, 2, 0x8E, 0]
            }
        }
    }

    /// A broker of MQTT 5 that acknowledges each publication but one, at which it ends the link.
    private func withBroker(
        _ end: End,
        times: Int = .max,
        _ body: (_ settings: MQTTConfiguration, _ received: Locked<[String]>) async throws -> Void
    ) async throws {
        let received = Locked<[String]>([])
        let broker = try HostileBroker(nil) { _, connection in
            guard connection.send(BrokerPackets.connack(.v5)) else { return }
            var packets = PublishedTopics()
            while packets.append(connection.receive()) {
                while let (topic, id) = packets.next() {
                    let earlier = received.withLock { all in
                        all.append(topic)
                        return all.count { $0 == topic }
                    }
                    guard topic != "poison" || earlier > times else {
                        _ = connection.send(end.packet)
                        return
                    }
                    guard connection.send([0x40, 2] + id) else { return }
                }
            }
        }
        defer { broker.stop() }
        let settings = configuration(port: broker.port) {
            $0.birth = MQTTMessage(topic: "birth", qos: .atLeastOnce)
            $0.reconnectMaximumSeconds = 0.02
        }
        try await body(settings, received)
    }

    @Test(arguments: [End.abrupt, .protocolError])
    func `a publication that ends links is given up, its sender learns it and the next ones arrive`(end: End)
        async throws
    {
        let log = LogRecorder()
        try await withBroker(end) { settings, received in
            try await withClient(settings, logger: log.logger) { client in
                async let poison: MQTTPublishError? = error(of: "poison", client)
                #expect(await eventually { received.withLock { $0.contains("poison") } })
                try await client.publishAndWait(
                    MQTTMessage(topic: "good", qos: .atLeastOnce),
                    timeout: .seconds(50)
                )
                guard case .refusedByBroker("poison", let code, let reason)? = await poison else {
                    Issue.record("the sender of the deadly one does not learn it")
                    return
                }
                #expect(code == (end == .abrupt ? 0 : 0x82))
                #expect(reason.hasPrefix("it ended 3 links right after this was sent"))
                #expect(client.counters.refusedByBroker == 1)
                #expect(client.drainRefusals().keys.sorted() == ["poison"])
                for await event in client.links where event == .refused { break }
                #expect(received.withLock { $0.count { $0 == "poison" } } == 4)
                let again = MQTTMessage(topic: "poison", qos: .atLeastOnce)
                guard case .refused(.refusedByBroker) = client.publish(again) else {
                    Issue.record("it would end links again")
                    return
                }
            }
        }
        #expect(log.recorded.count { $0.contains("refuses the publication to poison") } == 1)
    }

    @Test func `a publication survives that another client with our id interrupts many times`() async throws {
        try await withBroker(.takenOver, times: 6) { settings, received in
            try await withClient(settings) { client in
                #expect(await error(of: "poison", client) == nil)
                #expect(received.withLock { $0.count { $0 == "poison" } } == 7)
                #expect(client.counters.refusedByBroker == 0)
            }
        }
    }

    @Test func `a publication survives a broker that ends two links right after it`() async throws {
        try await withBroker(.abrupt, times: 3) { settings, _ in
            try await withClient(settings) { client in
                #expect(await error(of: "poison", client) == nil)
            }
        }
    }

    @Test(.enabled(if: Mosquitto.isExpected))
    func `what is too large for a mosquitto that does not say so is given up`() async throws {
        var options = MosquittoOptions()
        options.lines = ["max_packet_size 2000"]
        try await withMosquitto(options) { broker in
            let settings = configuration(port: broker.port) { $0.protocolVersion = .v311 }
            try await withConnectedClient(settings) { client, _ in
                let large = MQTTMessage(
                    topic: "large",
                    payload: Array(repeating: 0, count: 5000),
                    qos: .atLeastOnce
                )
                client.publish(large)
                let small = MQTTMessage(topic: "small", qos: .atLeastOnce)
                try await client.publishAndWait(small, timeout: .seconds(50))
                #expect(client.counters.refusedByBroker == 1)
                #expect(client.publish(large) == .refused(.tooLarge(topic: "large", bytes: 5000)))
            }
        }
    }

    @Test(.enabled(if: Mosquitto.isExpected))
    func `topics are refused from the depth on at which mosquitto ends links`() async throws {
        try await withMosquitto { broker in
            try await withConnectedClient(configuration(port: broker.port)) { client, _ in
                let legal = deep(levels: 201)
                try await client.publishAndWait(MQTTMessage(topic: legal, qos: .atLeastOnce))
                let tooDeep = deep(levels: 202)
                let message = MQTTMessage(topic: tooDeep, qos: .atLeastOnce)
                #expect(client.publish(message) == .refused(.invalidTopic(tooDeep)))
                #expect(!TopicRules.isFilter(tooDeep) && TopicRules.isFilter(legal))
                #expect(client.counters.connects == 1 && client.counters.failures == 0)
            }
        }
    }

    private func deep(levels: Int) -> String { Array(repeating: "a", count: levels).joined(separator: "/") }

    private func error(of topic: String, _ client: MQTTClient) async -> MQTTPublishError? {
        do throws(MQTTPublishError) {
            try await client.publishAndWait(
                MQTTMessage(topic: topic, qos: .atLeastOnce),
                timeout: .seconds(50)
            )
            return nil
        } catch {
            return error
        }
    }
}
