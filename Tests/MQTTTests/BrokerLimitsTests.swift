import MQTT
import TestSupport
import Testing

@Suite(.enabled(if: Mosquitto.isExpected), .timeLimit(.minutes(1)))
struct BrokerLimitsTests {
    /// What a broker cannot do, and how much of the will it then accepts.
    struct Limits: Sendable, CustomTestStringConvertible {
        let lines: [String]
        let will: MQTTWillStrength
        var testDescription: String { lines.joined(separator: ", ") }
    }

    private static let all = [
        Limits(lines: [], will: .full),
        Limits(lines: ["max_qos 0"], will: .unacknowledged),
        Limits(lines: ["retain_available false"], will: .unretained),
        Limits(lines: ["max_qos 0", "retain_available false"], will: .weakest),
    ]

    private let status = topic("status")

    private func settings(_ port: Int, _ version: MQTTProtocolChoice) -> MQTTConfiguration {
        configuration(port: port) {
            $0.protocolVersion = version
            $0.will = MQTTMessage(
                topic: status,
                payload: bytes("offline"),
                qos: .atLeastOnce,
                isRetained: true
            )
            $0.birth = MQTTMessage(
                topic: status,
                payload: bytes("online"),
                qos: .atLeastOnce,
                isRetained: true
            )
        }
    }

    /// `retain_available` is no setting of a listener.
    private func options(_ limits: Limits) -> MosquittoOptions {
        var options = MosquittoOptions()
        options.lines = limits.lines
        return options
    }

    @Test(arguments: all, MQTTProtocolChoice.allCases)
    func `a broker without QoS 1 or retained messages is reached, with the will that it accepts`(
        limits: Limits,
        version: MQTTProtocolChoice
    ) async throws {
        try await withMosquitto(options(limits)) { broker in
            try await withClient(configuration(port: broker.port)) { watcher in
                let heard = watcher.subscribe([status], qos: .atLeastOnce)
                // With the session the broker has the subscription, too: what follows is heard, however late it is.
                #expect(await watcher.nextSession() != nil)
                try await withClient(settings(broker.port, version)) { client in
                    let commands = client.subscribe(["\(status)/set"], qos: .atLeastOnce)
                    let session = await client.nextSession()
                    #expect(session?.will == limits.will)
                    #expect(session?.version == (version == .v311 ? .v311 : .v5))
                    let hasQoS1 = !limits.lines.contains("max_qos 0")
                    #expect(session.map { $0.maximumQoS > .atMostOnce } == hasQoS1)
                    #expect(session?.hasRetained == !limits.lines.contains("retain_available false"))
                    let state = MQTTMessage(
                        topic: "\(status)/set",
                        payload: bytes("x"),
                        qos: .atLeastOnce,
                        isRetained: true
                    )
                    for _ in 1...3 { try await client.publishAndWait(state) }
                    #expect(await commands.first(3).count == 3)
                    #expect(client.counters.connects == 1)
                }
                #expect(await heard.first(2).map(\.payload) == [bytes("online"), bytes("offline")])
            }
        }
    }

    @Test(arguments: [MQTTProtocolChoice.v5, .v311])
    func `the whole will is used again when the broker accepts it again`(version: MQTTProtocolChoice)
        async throws
    {
        try await withMosquitto(options(Self.all[3])) { broker in
            try await withClient(settings(broker.port, version)) { client in
                #expect(await client.nextSession()?.will == .weakest)
                let lines = broker.folder.read("mosquitto.conf").split(separator: "\n")
                let rest = lines.filter { !Self.all[3].lines.contains(String($0)) }
                try broker.folder.write(rest.joined(separator: "\n") + "\n", to: "mosquitto.conf")
                try await broker.start()
                #expect(await client.nextSession()?.will == .full)
            }
        }
    }

    @Test(arguments: [(MQTTProtocolChoice.v5, 1000), (.v311, nil)] as [(MQTTProtocolChoice, Int?)])
    func `a session says how large packets may be, if the broker does`(
        version: MQTTProtocolChoice,
        most: Int?
    ) async throws {
        var limited = MosquittoOptions()
        limited.lines = ["max_packet_size 1000"]
        try await withMosquitto(limited) { broker in
            try await withClient(settings(broker.port, version)) { client in
                let session = try #require(await client.nextSession())
                #expect(session.maximumPacketSize == most)
            }
        }
    }

    @Test func `a refused will is neither a warning nor a lost link`() async throws {
        let log = LogRecorder()
        try await withMosquitto(options(Self.all[3])) { broker in
            try await withClient(settings(broker.port, .automatic), logger: log.logger) { client in
                for await event in client.links {
                    if case .connected = event { break }
                    Issue.record("\(event) before the connect")
                }
            }
        }
        #expect(!log.recorded.contains { $0.hasPrefix("warning") })
    }

    @Test func `a subscription that gets a lower QoS tells what 3.1.1 does not`() async throws {
        try await withMosquitto(options(Self.all[1])) { broker in
            let settings = configuration(port: broker.port) { $0.protocolVersion = .v311 }
            try await withClient(settings) { client in
                let heard = client.subscribe(["t"], qos: .atLeastOnce)
                #expect(await client.nextSession()?.maximumQoS == .atMostOnce)
                client.publish(MQTTMessage(topic: "t", qos: .atLeastOnce))
                #expect(await heard.first(1).count == 1)
            }
        }
    }
}
