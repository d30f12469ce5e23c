package import MQTT
package import Messages

extension Topics {
    /// The status of a node: the birth message of its client, or the will.
    package func message(isOnline: Bool) -> MQTTMessage {
        let text = isOnline ? "online" : "offline"
        return MQTTMessage(topic: status, payload: Array(text.utf8), qos: .atLeastOnce, isRetained: true)
    }
}
