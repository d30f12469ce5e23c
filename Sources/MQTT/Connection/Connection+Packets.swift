import CMosquitto
import Logging

extension Connection {
    enum PublishResult {
        case accepted(messageID: Int32)
        /// The publication is sent again on the next link.
        case retryLater
        case rejected(MQTTPublishError)
    }

    /// Passes a publication to the library, which copies it.
    ///
    /// From any thread.
    func publish(_ message: MQTTMessage, maximumQoS: MQTTQoS, hasRetained: Bool) -> PublishResult {
        let properties =
            version == .v5 && !message.properties.isEmpty ? PropertyList(message.properties) : PropertyList()
        var messageID: Int32 = 0
        let result = message.payload.withUnsafeBytes { bytes in
            mosquitto_publish_v5(
                handle,
                &messageID,
                message.topic,
                Int32(clamping: bytes.count),
                bytes.baseAddress,
                Int32(min(message.qos, maximumQoS).rawValue),
                message.isRetained && hasRetained,
                properties.list
            )
        }
        switch mosq_err_t(result) {
        case MOSQ_ERR_SUCCESS:
            flush()
            return .accepted(messageID: messageID)
        case MOSQ_ERR_OVERSIZE_PACKET, MOSQ_ERR_PAYLOAD_SIZE:
            return .rejected(.tooLarge(topic: message.topic, bytes: message.payload.count))
        case MOSQ_ERR_INVAL, MOSQ_ERR_MALFORMED_UTF8: return .rejected(.invalidTopic(message.topic))
        case MOSQ_ERR_RETAIN_NOT_SUPPORTED:
            return .rejected(
                .refusedByBroker(topic: message.topic, code: 0x9A, reason: "it keeps no retained messages")
            )
        default: return .retryLater
        }
    }

    /// From any thread; the answer comes on the connection's thread.
    ///
    /// - Returns: The message id; `nil` when the link is gone.
    func subscribe(_ request: Subscriptions.Request, identified: Bool) -> Int32? {
        let properties = identified ? PropertyList(subscription: request.identifier) : PropertyList()
        var messageID: Int32 = 0
        let result = mosquitto_subscribe_v5(
            handle,
            &messageID,
            request.filter,
            Int32(request.qos.rawValue),
            0,
            properties.list
        )
        guard result != MOSQ_ERR_SUCCESS.rawValue else {
            flush()
            return messageID
        }
        logger.debug("no subscription to \(request.filter): \(String(cString: mosquitto_strerror(result)))")
        return nil
    }

    func unsubscribe(_ filter: String) {
        mosquitto_unsubscribe(handle, nil, filter)
        flush()
    }
}
