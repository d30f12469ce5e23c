import MQTT

/// A command as a client sends it.
func command(_ topic: String, _ payload: String) -> MQTTMessage {
    MQTTMessage(topic: topic, payload: Array(payload.utf8), qos: .atLeastOnce)
}
