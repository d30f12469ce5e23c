import Logging
import MQTT
import TestSupport

/// Everything that a broker keeps, by topic.
func retainedMessages(port: Int) async throws -> [String: String] {
    var configuration = MQTTConfiguration()
    configuration.host = "127.0.0.1"
    configuration.port = port
    let client = MQTTClient(configuration, logger: .silent)
    // With QoS 0 mosquitto keeps the operation: the mark comes after all that it keeps.
    let mark = "mark/\(UInt64.random(in: .min ... .max))"
    let messages = client.subscribe(["#"], qos: .atMostOnce)
    return await withTaskGroup(of: Void.self) { group in
        group.addTask { await client.run() }
        group.addTask {
            for await event in client.links {
                if case .connected = event { client.publish(MQTTMessage(topic: mark, payload: [1])) }
            }
        }
        defer { group.cancelAll() }
        var kept: [String: String] = [:]
        for await message in messages {
            if message.topic == mark { break }
            if message.isRetained { kept[message.topic] = message.text }
        }
        return kept
    }
}
