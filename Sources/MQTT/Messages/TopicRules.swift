import CMosquitto

/// The rules of MQTT for topics and strings, as enforced by libmosquitto.
package enum TopicRules {
    /// Whether it is valid for publishing.
    static func isTopic(_ topic: String) -> Bool {
        isText(topic) && mosquitto_pub_topic_check2(topic, topic.utf8.count) == MOSQ_ERR_SUCCESS.rawValue
    }

    /// Whether it is valid for subscribing.
    package static func isFilter(_ filter: String) -> Bool {
        isText(filter) && mosquitto_sub_topic_check2(filter, filter.utf8.count) == MOSQ_ERR_SUCCESS.rawValue
    }

    /// Whether MQTT can carry a string: at most 65,535 bytes, without control characters and non-characters.
    static func isText(_ text: String) -> Bool {
        guard text.utf8.count <= 65_535, !text.utf8.contains(0) else { return false }
        return text.isEmpty
            || mosquitto_validate_utf8(text, Int32(text.utf8.count)) == MOSQ_ERR_SUCCESS.rawValue
    }

    /// Whether a topic is one of those that a filter selects.
    package static func matches(_ topic: String, filter: String) -> Bool {
        var result = false
        return mosquitto_topic_matches_sub(filter, topic, &result) == MOSQ_ERR_SUCCESS.rawValue && result
    }

    /// Why a message can never be sent; `nil` if it can.
    static func validationError(_ message: MQTTMessage) -> MQTTPublishError? {
        guard isTopic(message.topic) else { return .invalidTopic(message.topic) }
        guard message.payload.count <= Int(MQTT_MAX_PAYLOAD) else {
            return .tooLarge(topic: message.topic, bytes: message.payload.count)
        }
        let properties = message.properties
        if let topic = properties.responseTopic, !isTopic(topic) { return .invalidProperty("response topic") }
        if let type = properties.contentType, !isText(type) { return .invalidProperty("content type") }
        if let data = properties.correlationData, data.count > 65_535 {
            return .invalidProperty("correlation data")
        }
        guard properties.userProperties.allSatisfy({ isText($0.name) && isText($0.value) }) else {
            return .invalidProperty("user property")
        }
        return nil
    }
}
