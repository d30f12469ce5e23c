import MQTT
import TestSupport
import Testing
import Threading

@Suite(.enabled(if: Mosquitto.isExpected), .mosquitto, .timeLimit(.minutes(1)))
struct MQTTClientTests {
    @Test(arguments: MQTTQoS.allCases, [MQTTProtocolChoice.v5, .v311])
    func `a message is echoed unchanged`(qos: MQTTQoS, version: MQTTProtocolChoice) async throws {
        let settings = configuration(port: try SharedMosquitto.broker.port) { $0.protocolVersion = version }
        try await withConnectedClient(settings) { client, session in
            #expect(session.version == version)
            let topic = topic()
            let heard = client.subscribe([topic], qos: .atLeastOnce)
            let sent = MQTTMessage(topic: topic, payload: bytes("{\"color\":\"red\"}"), qos: qos)
            try await client.publishAndWait(sent)
            #expect(await heard.first(1) == [sent])
        }
    }

    @Test func `the thread of a link works when it is asked, and without a link nobody is waited for`()
        async throws
    {
        let settings = configuration(port: try SharedMosquitto.broker.port)
        try await withConnectedClient(settings) { client, _ in
            for _ in 0..<100 { await client.nextRound() }
        }
        await MQTTClient(settings, logger: LogRecorder().logger).nextRound()
    }

    @Test func `ten thousand messages keep their order`() async throws {
        try await withConnectedClient(configuration(port: try SharedMosquitto.broker.port)) { client, _ in
            let topic = topic()
            let heard = client.subscribe([topic], qos: .atLeastOnce)
            for number in 0..<10_000 {
                let message = MQTTMessage(topic: topic, payload: bytes("\(number)"), qos: .atLeastOnce)
                #expect(client.publish(message) == .queued)
            }
            let numbers = await heard.first(10_000).map { String(decoding: $0.payload, as: UTF8.self) }
            let isInOrder = numbers == (0..<10_000).map(String.init)
            #expect(isInOrder)
            #expect(await eventually { client.counters.queued == 0 })
            #expect(client.counters.sent == 10_000)
            #expect(client.counters.received == 10_000)
        }
    }

    @Test func `a late subscriber sees the retained message, marked as retained`() async throws {
        let settings = configuration(port: try SharedMosquitto.broker.port)
        try await withConnectedClient(settings) { client, _ in
            let topic = topic()
            let early = client.subscribe([topic], qos: .atLeastOnce)
            let sent = MQTTMessage(topic: topic, payload: bytes("on"), qos: .atLeastOnce, isRetained: true)
            try await client.publishAndWait(sent)
            #expect(await early.first(1).map(\.isRetained) == [false])
            try await withConnectedClient(settings) { other, _ in
                #expect(await other.subscribe([topic], qos: .atLeastOnce).first(1) == [sent])
            }
        }
    }

    @Test(arguments: [MQTTProtocolChoice.v5, .v311])
    func `a subscription that asks for it sees which messages are published as retained, with MQTT 5`(
        version: MQTTProtocolChoice
    ) async throws {
        let settings = configuration(port: try SharedMosquitto.broker.port) { $0.protocolVersion = version }
        try await withConnectedClient(settings) { client, _ in
            let topic = topic()
            let (heard, port) = AsyncStream.makeStream(of: MQTTMessage.self)
            let subscription = client.subscribe(
                [topic],
                qos: .atLeastOnce,
                retainAsPublished: true,
                on: try LoopExecutor()
            ) { port.yield($0) }
            defer { subscription.cancel() }
            for isRetained in [true, false] {
                try await client.publishAndWait(
                    MQTTMessage(topic: topic, qos: .atLeastOnce, isRetained: isRetained)
                )
            }
            #expect(await heard.first(2).map(\.isRetained) == [version == .v5, false])
        }
    }

    @Test func `a subscription made before connecting is active when connected is reported`() async throws {
        let settings = configuration(port: try SharedMosquitto.broker.port)
        let topic = topic()
        let client = MQTTClient(settings, logger: LogRecorder().logger)
        let heard = client.subscribe([topic], qos: .atLeastOnce)
        try await withConnectedClient(settings) { other, _ in
            await withTaskGroup(of: Void.self) { group in
                group.addTask { await client.run() }
                _ = await client.nextSession()
                other.publish(MQTTMessage(topic: topic))
                #expect(await heard.first(1).map(\.topic) == [topic])
                group.cancelAll()
            }
        }
    }

    @Test func `response topic, correlation data and all other properties arrive`() async throws {
        try await withConnectedClient(configuration(port: try SharedMosquitto.broker.port)) { client, _ in
            var properties = MQTTProperties()
            properties.responseTopic = "answers/to/me"
            properties.correlationData = [0, 1, 0xff]
            properties.contentType = "application/json"
            properties.messageExpirySeconds = 100
            properties.userProperties = [
                MQTTUserProperty(name: "a", value: "1"), MQTTUserProperty(name: "ü", value: "💡"),
                MQTTUserProperty(name: "a", value: ""),
            ]
            let topic = topic()
            let heard = client.subscribe([topic], qos: .atLeastOnce)
            client.publish(MQTTMessage(topic: topic, payload: [1], qos: .atLeastOnce, properties: properties))
            var received = await heard.first(1).first?.properties
            // What is left of it, a second may have passed.
            #expect((95...100).contains(received?.messageExpirySeconds ?? 0))
            received?.messageExpirySeconds = 100
            #expect(received == properties)
        }
    }

    @Test func `properties are omitted on a 3_1_1 link`() async throws {
        let settings = configuration(port: try SharedMosquitto.broker.port) { $0.protocolVersion = .v311 }
        try await withConnectedClient(settings) { client, _ in
            var properties = MQTTProperties()
            properties.responseTopic = "answers"
            let topic = topic()
            let heard = client.subscribe([topic], qos: .atLeastOnce)
            try await client.publishAndWait(
                MQTTMessage(topic: topic, qos: .atLeastOnce, properties: properties)
            )
            #expect(await heard.first(1).first?.properties == MQTTProperties())
        }
    }

    @Test func `overlapping subscriptions receive a message once each`() async throws {
        try await withConnectedClient(configuration(port: try SharedMosquitto.broker.port)) { client, _ in
            let base = topic()
            let all = client.subscribe(["\(base)/#"], qos: .atLeastOnce)
            let one = client.subscribe(["\(base)/+/set"], qos: .atMostOnce)
            let same = client.subscribe(["\(base)/#"], qos: .atLeastOnce)
            for name in ["a/set", "b", "c/set"] {
                client.publish(MQTTMessage(topic: "\(base)/\(name)", qos: .atLeastOnce))
            }
            let whole = ["a/set", "b", "c/set"].map { "\(base)/\($0)" }
            #expect(await all.first(3).map(\.topic) == whole)
            #expect(await same.first(3).map(\.topic) == whole)
            #expect(await one.first(2).map(\.topic) == [whole[0], whole[2]])
        }
    }

    @Test func `a released subscription ends and others continue`() async throws {
        try await withConnectedClient(configuration(port: try SharedMosquitto.broker.port)) { client, _ in
            let topic = topic()
            let stays = client.subscribe([topic], qos: .atLeastOnce)
            do {
                let goes = client.subscribe([topic, "\(topic)/alone"], qos: .atLeastOnce)
                client.publish(MQTTMessage(topic: "\(topic)/alone", qos: .atLeastOnce))
                #expect(await goes.first(1).count == 1)
            }
            let before = client.counters.received
            try await client.publishAndWait(MQTTMessage(topic: "\(topic)/alone", qos: .atLeastOnce))
            client.publish(MQTTMessage(topic: topic, qos: .atLeastOnce))
            #expect(await stays.first(1).map(\.topic) == [topic])
            #expect(client.counters.received == before + 1)
        }
    }

    @Test(arguments: [1 << 20, (1 << 20) + 1])
    func `a payload within the limit arrives complete and a larger one empty and marked`(size: Int)
        async throws
    {
        try await withConnectedClient(configuration(port: try SharedMosquitto.broker.port)) { client, _ in
            let topic = topic()
            let heard = client.subscribe([topic], qos: .atLeastOnce)
            let payload = (0..<size).map { UInt8(truncatingIfNeeded: $0 &* 31) }
            try await client.publishAndWait(MQTTMessage(topic: topic, payload: payload, qos: .atLeastOnce))
            let message = await heard.first(1).first
            #expect(message?.payload == (size > 1 << 20 ? [] : payload))
            #expect(message?.oversizeBytes == (size > 1 << 20 ? size : nil))
        }
    }

    @Test(arguments: [
        "with space", "ü/ß/日本", "💡", "/", "//", "$odd/one", String(repeating: "x", count: 60_000),
    ])
    func `unusual topics work`(name: String) async throws {
        try await withConnectedClient(configuration(port: try SharedMosquitto.broker.port)) { client, _ in
            let topic = topic(name)
            let heard = client.subscribe([topic], qos: .atLeastOnce)
            #expect(client.publish(MQTTMessage(topic: topic, qos: .atLeastOnce)) == .queued)
            #expect(await heard.first(1).map(\.topic) == [topic])
        }
    }

    @Test(arguments: ["", "a/+", "#", "a\u{0}b", "a\u{7}b", String(repeating: "x", count: 65_536)])
    func `an invalid topic is refused and the link stays up`(topic: String) async throws {
        try await withConnectedClient(configuration(port: try SharedMosquitto.broker.port)) { client, _ in
            for qos in MQTTQoS.allCases {
                let message = MQTTMessage(topic: topic, qos: qos)
                #expect(client.publish(message) == .refused(.invalidTopic(topic)))
                await #expect(throws: MQTTPublishError.invalidTopic(topic)) {
                    try await client.publishAndWait(message)
                }
            }
            try await client.publishAndWait(MQTTMessage(topic: "fine", qos: .atLeastOnce))
            #expect(client.counters.refused == 4)
            #expect(client.counters.connects == 1)
        }
    }

    @Test func `properties that MQTT cannot carry are refused`() async throws {
        var wrong = [MQTTProperties](repeating: MQTTProperties(), count: 4)
        wrong[0].responseTopic = "a/#"
        wrong[1].correlationData = [UInt8](repeating: 0, count: 65_536)
        wrong[2].contentType = "\u{0}"
        wrong[3].userProperties = [MQTTUserProperty(name: "\u{1}", value: "")]
        let client = MQTTClient(MQTTConfiguration(), logger: LogRecorder().logger)
        let names = ["response topic", "correlation data", "content type", "user property"]
        for (properties, name) in zip(wrong, names) {
            let message = MQTTMessage(topic: "t", qos: .atLeastOnce, properties: properties)
            #expect(client.publish(message) == .refused(.invalidProperty(name)))
        }
    }

    @Test func `an invalid filter is omitted with an error in the log`() async throws {
        let log = LogRecorder()
        try await withConnectedClient(
            configuration(port: try SharedMosquitto.broker.port),
            logger: log.logger
        ) { client, _ in
            let topic = topic()
            let heard = client.subscribe(["a/#/b", topic], qos: .atLeastOnce)
            client.publish(MQTTMessage(topic: topic, qos: .atLeastOnce))
            #expect(await heard.first(1).count == 1)
            #expect(log.recorded.contains("error \"a/#/b\" is not an MQTT topic filter"))
        }
    }
}
