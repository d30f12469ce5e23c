import CMosquitto

/// The rules of MQTT for topics and strings, as enforced by libmosquitto.
package enum TopicRules {
    /// Most slashes of a topic or filter: mosquitto ends the link of a client that uses more.
    ///
    /// - Source: mosquitto 2.0, util_topic.c, `mosquitto_pub_topic_check`.
    package static let maximumSlashes = 200

    private static func hasSlashes(_ text: String) -> Bool {
        // Only a longer one can have more.
        text.utf8.count <= maximumSlashes || text.utf8.count { $0 == UInt8(ascii: "/") } <= maximumSlashes
    }

    /// Whether it is valid for publishing, with brokers that end the link of a client that uses another one.
    static func isTopic(_ topic: String) -> Bool {
        (isPlainTopic(topic)
            || isText(topic)
                && mosquitto_pub_topic_check2(topic, topic.utf8.count) == MOSQ_ERR_SUCCESS.rawValue)
            && hasSlashes(topic)
    }

    /// The same, and not one of the broker's own topics.
    package static func isPublic(_ topic: String) -> Bool {
        !topic.isEmpty && !topic.hasPrefix("$") && isTopic(topic)
    }

    /// Printable ASCII without wildcards: what nearly every topic is.
    private static func isPlainTopic(_ topic: String) -> Bool {
        topic.utf8.withContiguousStorageIfAvailable { bytes in
            (1...65_535).contains(bytes.count)
                && bytes.allSatisfy { byte in
                    // Nearly all bytes of topics are greater than both wildcards.
                    byte > UInt8(ascii: "+") && byte <= 0x7E
                        || byte >= 0x20 && byte < UInt8(ascii: "+") && byte != UInt8(ascii: "#")
                }
        } ?? false
    }

    private static func isPlain(_ byte: UInt8) -> Bool { byte >= 0x20 && byte <= 0x7E }

    /// Whether it is valid for subscribing.
    package static func isFilter(_ filter: String) -> Bool {
        isText(filter) && hasSlashes(filter)
            && mosquitto_sub_topic_check2(filter, filter.utf8.count) == MOSQ_ERR_SUCCESS.rawValue
    }

    /// Whether MQTT can carry a string: at most 65,535 bytes, without control characters and non-characters.
    static func isText(_ text: String) -> Bool {
        guard text.utf8.count <= 65_535, !text.utf8.contains(0) else { return false }
        return text.isEmpty
            || mosquitto_validate_utf8(text, Int32(text.utf8.count)) == MOSQ_ERR_SUCCESS.rawValue
    }

    /// The same of received bytes.
    static func isText(_ bytes: UnsafeRawBufferPointer) -> Bool {
        bytes.allSatisfy(isPlain)
            || mosquitto_validate_utf8(bytes.bindMemory(to: CChar.self).baseAddress, Int32(bytes.count))
                == MOSQ_ERR_SUCCESS.rawValue
    }

    /// Whether a topic is one of those that a filter selects.
    package static func matches(_ topic: String, filter: String) -> Bool {
        var result = false
        return mosquitto_topic_matches_sub(filter, topic, &result) == MOSQ_ERR_SUCCESS.rawValue && result
    }

    /// Why a message can never be sent; `nil` if it can.
    static func validationError(_ message: MQTTMessage) -> MQTTPublishError? {
        guard !message.topic.isEmpty, isTopic(message.topic) else { return .invalidTopic(message.topic) }
        guard message.payload.count <= Int(MQTT_MAX_PAYLOAD) else {
            return .tooLarge(topic: message.topic, bytes: message.payload.count)
        }
        let properties = message.properties
        if properties.isEmpty { return nil }
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
