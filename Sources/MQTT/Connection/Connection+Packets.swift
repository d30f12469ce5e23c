import CMosquitto
import Logging
import Threading

extension Connection {
    // MARK: Publications

    /// Encodes a publication, which ``flush()`` writes.
    ///
    /// From any thread.
    /// - Returns: False if this link ends; it is sent again on the next one.
    func send(_ outgoing: MQTTOutbox.Outgoing) -> Bool {
        let packet = outgoing.packet
        let isAccepted = output.withLock { output in
            if output.isOpen {
                output.buffer.append(publish: outgoing.message, as: packet, id: outgoing.id)
                if outgoing.id != 0 { output.watch.sent(at: .now) }
            }
            return output.isOpen
        }
        guard isAccepted else { return false }
        logger.trace(
            """
            sending PUBLISH (q\(packet.qos.rawValue), r\(packet.isRetained ? 1 : 0), m\(outgoing.id), \
            '\(outgoing.message.topic)', \(outgoing.message.payload.count) bytes)
            """
        )
        return true
    }

    /// Most acknowledgements that wait while something else is being written: a broker has no more identifiers, so it
    /// must read some of them first.
    static let maximumAcknowledgements = 65_535

    /// A packet that was decoded here; on the thread.
    ///
    /// - Returns: Why the link ends.
    func receive(_ packet: IncomingPacket) -> Failure? {
        switch packet {
        case .acknowledgement(let id, let code):
            if isTracing { logger.trace("received PUBACK (m\(id), code \(code))") }
            output.withLock { $0.watch.acknowledged(at: .now) }
            events.acknowledged(id, Int32(code))
        case .publish(let message, let id, let subscriptions):
            if isTracing {
                logger.trace(
                    """
                    received PUBLISH (q\(message.qos.rawValue), r\(message.isRetained ? 1 : 0), m\(id ?? 0), \
                    '\(message.topic)', \(message.oversizeBytes ?? message.payload.count) bytes)
                    """
                )
            }
            if let id, !acknowledge(id) { return Self.unread }
            events.received(message, subscriptions)
        }
        return nil
    }

    /// - Returns: False if too many acknowledgements wait.
    private func acknowledge(_ id: UInt16) -> Bool {
        output.withLock { output in
            guard output.buffer.acknowledgements < Self.maximumAcknowledgements else { return false }
            if output.isOpen { output.buffer.append(acknowledgementOf: id) }
            return true
        }
    }

    static let unread = Failure(
        MOSQ_ERR_PROTOCOL,
        reason: "the broker does not read our acknowledgements, of which \(maximumAcknowledgements) wait"
    )

    // MARK: Subscriptions

    /// From any thread; the answer comes on the connection's thread.
    ///
    /// - Returns: The message id; `nil` when the link is gone.
    func subscribe(_ request: Subscriptions.Request, identified: Bool) -> Int32? {
        let properties = identified ? PropertyList(subscription: request.identifier) : PropertyList()
        // 3.1.1 has no options.
        let isRetainAsPublished = request.retainAsPublished && version == .v5
        let options = isRetainAsPublished ? Int32(MQTT_SUB_OPT_RETAIN_AS_PUBLISHED.rawValue) : 0
        var messageID: Int32 = 0
        let result = mosquitto_subscribe_v5(
            handle,
            &messageID,
            request.filter,
            Int32(request.qos.rawValue),
            options,
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
