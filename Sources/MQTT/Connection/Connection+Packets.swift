import CMosquitto
import Logging
import Threading

extension Connection {
    enum SendResult {
        /// ``flush()`` writes it.
        case accepted
        /// The publication is sent again on the next link.
        case retryLater
        case rejected(MQTTPublishError)
    }

    // MARK: Publications

    /// Encodes a publication, or passes it to the library: QoS 2 has more steps.
    ///
    /// From any thread.
    func send(_ outgoing: MQTTOutbox.Outgoing) -> SendResult {
        let packet = outgoing.packet
        guard packet.qos != .exactlyOnce else { return passOn(outgoing) }
        let isAccepted = output.withLock { output in
            if output.isOpen { output.buffer.append(publish: packet, id: outgoing.id) }
            return output.isOpen
        }
        guard isAccepted else { return .retryLater }
        logger.trace(
            """
            sending PUBLISH (q\(packet.qos.rawValue), r\(packet.isRetained ? 1 : 0), m\(outgoing.id), \
            '\(packet.message.topic)', \(packet.message.payload.count) bytes)
            """
        )
        return .accepted
    }

    /// Passes a publication to the library, which copies it.
    private func passOn(_ outgoing: MQTTOutbox.Outgoing) -> SendResult {
        let message = outgoing.message
        let properties =
            version == .v5 && !message.properties.isEmpty ? PropertyList(message.properties) : PropertyList()
        // Locked throughout: its acknowledgement may come before the library has returned.
        let result = identifiers.withLock { identifiers in
            var id: Int32 = 0
            let result = message.payload.withUnsafeBytes { bytes in
                mosquitto_publish_v5(
                    handle,
                    &id,
                    message.topic,
                    Int32(clamping: bytes.count),
                    bytes.baseAddress,
                    Int32(outgoing.packet.qos.rawValue),
                    outgoing.packet.isRetained,
                    properties.list
                )
            }
            if result == MOSQ_ERR_SUCCESS.rawValue { identifiers[id] = outgoing.id }
            return result
        }
        return switch mosq_err_t(result) {
        case MOSQ_ERR_SUCCESS: .accepted
        case MOSQ_ERR_OVERSIZE_PACKET, MOSQ_ERR_PAYLOAD_SIZE:
            .rejected(.tooLarge(topic: message.topic, bytes: message.payload.count))
        case MOSQ_ERR_INVAL, MOSQ_ERR_MALFORMED_UTF8: .rejected(.invalidTopic(message.topic))
        default: .retryLater
        }
    }

    /// The library has completed a publication.
    func finished(libraryID id: Int32, _ code: Int32) {
        guard let own = identifiers.withLock({ $0.removeValue(forKey: id) }) else { return }
        events.acknowledged(own, code)
    }

    /// A packet that was decoded here; on the thread.
    func receive(_ packet: IncomingPacket) {
        switch packet {
        case .acknowledgement(let id, let code):
            logger.trace("received PUBACK (m\(id), code \(code))")
            events.acknowledged(id, Int32(code))
        case .publish(let message, let id, let subscriptions):
            logger.trace(
                """
                received PUBLISH (q\(message.qos.rawValue), r\(message.isRetained ? 1 : 0), m\(id ?? 0), \
                '\(message.topic)', \(message.oversizeBytes ?? message.payload.count) bytes)
                """
            )
            if let id {
                output.withLock { if $0.isOpen { $0.buffer.append(acknowledgementOf: id) } }
            }
            events.received(message, subscriptions)
        }
    }

    // MARK: Subscriptions

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
