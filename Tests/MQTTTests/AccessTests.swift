import MQTT
import TestSupport
import Testing
import Text

@Suite(.enabled(if: Mosquitto.isExpected), .timeLimit(.minutes(1)))
struct AccessTests {
    @Test func `a publication that the broker refuses is reported in version 5`() async throws {
        try await withTemporaryFolder { folder in
            try folder.write("topic readwrite ours/#\n", to: "acl")
            var options = MosquittoOptions()
            options.lines = ["acl_file \(folder.path("acl"))"]
            try await withMosquitto(options) { broker in
                try await withConnectedClient(configuration(port: broker.port)) { client, _ in
                    let refused = MQTTPublishError.refusedByBroker(
                        topic: "theirs",
                        code: 0x87,
                        reason: "Not authorized"
                    )
                    await #expect(throws: refused) {
                        try await client.publishAndWait(MQTTMessage(topic: "theirs", qos: .atLeastOnce))
                    }
                    try await client.publishAndWait(MQTTMessage(topic: "ours/t", qos: .atLeastOnce))
                    #expect(client.counters.refusedByBroker == 1)
                    #expect(client.counters.connects == 1)
                }
            }
        }
    }

    @Test func `a message beyond the broker's limit is refused and the link stays up`() async throws {
        var options = MosquittoOptions()
        options.lines = ["max_packet_size 1000"]
        try await withMosquitto(options) { broker in
            try await withConnectedClient(configuration(port: broker.port)) { client, _ in
                let large = MQTTMessage(
                    topic: "t",
                    payload: [UInt8](repeating: 0, count: 1_000),
                    qos: .atLeastOnce
                )
                #expect(client.publish(large) == .refused(.tooLarge(topic: "t", bytes: 1_000)))
                try await client.publishAndWait(MQTTMessage(topic: "t", qos: .atLeastOnce))
                #expect(client.counters.connects == 1)
            }
        }
    }

    @Test func `a broker with maximum QoS 1 receives QoS 1`() async throws {
        var options = MosquittoOptions()
        options.lines = ["max_qos 1"]
        try await withMosquitto(options) { broker in
            try await withConnectedClient(configuration(port: broker.port)) { client, session in
                #expect(session.maximumQoS == .atLeastOnce)
                let heard = client.subscribe(["t"], qos: .atLeastOnce)
                try await client.publishAndWait(MQTTMessage(topic: "t", qos: .atLeastOnce))
                #expect(await heard.first(1).map(\.qos) == [.atLeastOnce])
            }
        }
    }

    @Test func `values that cannot be sent are reported`() async throws {
        let wrong: [(inout MQTTConfiguration) -> Void] = [
            { $0.password = Secret("secret") }, { $0.username = "\u{0}" }, { $0.clientID = "\u{0}" },
            { $0.will = MQTTMessage(topic: "a/#") }, { $0.host = "" }, { $0.port = 0 },
        ]
        for change in wrong {
            try await withClient(configuration(port: 1, change)) { client in
                switch await client.nextFailure() {
                case .configuration, .unreachable: break
                case let failure: Issue.record("\(String(describing: failure))")
                }
                #expect(await eventually { client.counters.failures > 1 })
            }
        }
    }
}
