import MQTT
import TestSupport
import Testing

@Suite(.enabled(if: Mosquitto.isExpected), .mosquitto, .timeLimit(.minutes(1)))
struct WillTests {
    private let status = topic("status")

    private func settings(_ version: MQTTProtocolChoice) throws -> MQTTConfiguration {
        configuration(port: try SharedMosquitto.broker.port) {
            $0.protocolVersion = version
            $0.will = MQTTMessage(
                topic: status,
                payload: bytes("offline"),
                qos: .atLeastOnce,
                isRetained: true
            )
            $0.will?.properties.messageExpirySeconds = 60
            $0.will?.properties.userProperties = [MQTTUserProperty(name: "a", value: "b")]
        }
    }

    @Test(arguments: [MQTTProtocolChoice.v5, .v311])
    func `a client that ends without DISCONNECT leaves its will`(version: MQTTProtocolChoice) async throws {
        try await withConnectedClient(configuration(port: try SharedMosquitto.broker.port)) { watcher, _ in
            let heard = watcher.subscribe([status], qos: .atLeastOnce)
            try await withConnectedClient(try settings(version)) { _, _ in }
            let will = await heard.first(1).first
            #expect(will?.payload == bytes("offline"))
            #expect(will?.properties.userProperties.count == (version == .v5 ? 1 : 0))
        }
    }

    @Test(arguments: [MQTTProtocolChoice.v5, .v311])
    func `stop delivers the last message and leaves no will`(version: MQTTProtocolChoice) async throws {
        try await withConnectedClient(configuration(port: try SharedMosquitto.broker.port)) { watcher, _ in
            let heard = watcher.subscribe([status], qos: .atLeastOnce)
            let last = MQTTMessage(
                topic: status,
                payload: bytes("stopped"),
                qos: .atLeastOnce,
                isRetained: true
            )
            try await withConnectedClient(try settings(version)) { client, _ in
                let messages = client.subscribe(["\(status)/other"], qos: .atLeastOnce)
                await client.stop(last: last)
                #expect(await messages.first(1).isEmpty, "the stream has ended")
                #expect(client.publish(last) == .refused(.stopped))
            }
            watcher.publish(MQTTMessage(topic: status, payload: bytes("end"), qos: .atLeastOnce))
            #expect(await heard.first(2).map(\.payload) == [bytes("stopped"), bytes("end")])
        }
    }

    @Test func `a cancelled caller still disconnects gracefully`() async throws {
        try await withConnectedClient(configuration(port: try SharedMosquitto.broker.port)) { watcher, _ in
            let heard = watcher.subscribe([status], qos: .atLeastOnce)
            try await withConnectedClient(try settings(.v5)) { client, _ in
                let last = MQTTMessage(
                    topic: status,
                    payload: bytes("stopped"),
                    qos: .atLeastOnce,
                    isRetained: true
                )
                let stopping = Task { await client.stop(last: last) }
                stopping.cancel()
                await stopping.value
            }
            watcher.publish(MQTTMessage(topic: status, payload: bytes("end"), qos: .atLeastOnce))
            #expect(await heard.first(2).map(\.payload) == [bytes("stopped"), bytes("end")])
        }
    }
}
