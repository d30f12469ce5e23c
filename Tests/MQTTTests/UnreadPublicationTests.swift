import MQTT
import TestSupport
import Testing

/// Publications that need a reader, on a real broker.
@Suite(.enabled(if: Mosquitto.isExpected), .timeLimit(.minutes(2)))
struct UnreadPublicationTests {
    /// Why the broker does not take a publication.
    private func error(_ client: MQTTClient, needsReader: Bool) async -> MQTTPublishError? {
        let message = MQTTMessage(topic: "n/1", payload: bytes("1"), qos: .atLeastOnce)
        let receipt = client.publishWithReceipt(message, needsReader: needsReader)
        do throws(MQTTPublishError) {
            try await receipt.wait(.seconds(30))
            return nil
        } catch {
            return error
        }
    }

    @Test(arguments: [MQTTProtocolChoice.v5, .v311])
    func `a publication that needs a reader fails while nobody has subscribed to its topic`(
        version: MQTTProtocolChoice
    ) async throws {
        try await withMosquitto { broker in
            let settings = configuration(port: broker.port) { $0.protocolVersion = version }
            try await withConnectedClient(settings) { client, _ in
                let unread = await error(client, needsReader: true)
                // A broker of 3.1.1 does not say it.
                let expected: MQTTPublishError? = version == .v5 ? .unread(topic: "n/1") : nil
                #expect(unread == expected)
                let ignored = await error(client, needsReader: false)
                #expect(ignored == nil)
                let heard = client.subscribe(["n/#"], qos: .atLeastOnce)
                // The first ones may still be before the subscription.
                #expect(await eventually { await error(client, needsReader: true) == nil })
                let first = await heard.first(1)
                #expect(first.map(\.topic) == ["n/1"])
                #expect(client.counters.refusedByBroker == 0)
            }
        }
    }
}
