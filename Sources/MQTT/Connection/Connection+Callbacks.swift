import CMosquitto
import Logging

extension Connection {
    static func of(_ pointer: UnsafeMutableRawPointer?) -> Connection? {
        pointer.map { Unmanaged<Connection>.fromOpaque($0).takeUnretainedValue() }
    }

    /// All are called on the connection's thread, except those caused by writing, which are also called on a
    /// publisher's thread: the log, and the end of the link.
    func setCallbacks() {
        mosquitto_connect_v5_callback_set(handle) { _, object, code, _, properties in
            Connection.of(object)?.receivedConnack(code, ReceivedProperties(properties))
        }
        mosquitto_disconnect_v5_callback_set(handle) { _, object, code, properties in
            // The first one counts: the broker's DISCONNECT is followed by one for the socket.
            guard let connection = Connection.of(object), connection.ending == nil else { return }
            connection.ending = (code, ReceivedProperties(properties).reason)
        }
        mosquitto_subscribe_v5_callback_set(handle) { _, object, messageID, count, granted, _ in
            let codes = UnsafeBufferPointer(start: granted, count: granted == nil ? 0 : Int(max(count, 0)))
            Connection.of(object)?.receivedSuback(messageID, Array(codes))
        }
        mosquitto_message_v5_callback_set(handle) { _, object, message, properties in
            guard let connection = Connection.of(object), let message = message?.pointee,
                let topic = message.topic
            else { return }
            connection.receivedMessage(message, String(cString: topic), ReceivedProperties(properties))
        }
        mosquitto_log_callback_set(handle) { _, object, level, text in
            guard let text else { return }
            Connection.of(object)?.log(level, text)
        }
    }

    private func receivedConnack(_ code: Int32, _ received: ReceivedProperties) {
        guard code == 0 else {
            progress.refusal = (code, received.reason)
            return
        }
        progress.limits.isV5 = version == .v5
        progress.limits.maximumQoS = received.maximumQoS
        progress.limits.hasRetained =
            received.hasRetained && (version == .v5 || will.isRetained || configuration.will == nil)
        if let most = received.receiveMaximum { progress.limits.receiveMaximum = most }
        if let most = received.maximumPacketSize { progress.limits.maximumPacketSize = most }
        if let seconds = received.keepAliveSeconds { progress.keepAlive = .seconds(seconds) }
        let session = MQTTSession(
            version: version,
            maximumQoS: progress.limits.maximumQoS,
            hasRetained: progress.limits.hasRetained,
            hasWildcards: received.hasWildcards,
            will: will,
            maximumPacketSize: received.maximumPacketSize
        )
        let isIdentified = version == .v5 && received.hasSubscriptionIdentifiers
        progress.session = session
        progress.stage = .subscribing
        progress.deadline = .now + .seconds(5)
        for request in events.accepted(self, session, isIdentified) {
            guard let messageID = subscribe(request, identified: isIdentified) else { continue }
            progress.unanswered[messageID] = request
        }
        if progress.unanswered.isEmpty { finishSubscribing() }
    }

    private func receivedSuback(_ messageID: Int32, _ codes: [Int32]) {
        let request = progress.unanswered.removeValue(forKey: messageID)
        if codes.contains(where: { $0 >= 0x80 }) {
            logger.debug("the broker refused the subscription to \(request?.filter ?? "one of our topics")")
            if let request { progress.refusedFilters.append(request.filter) }
        } else if let request, let code = codes.first, let granted = MQTTQoS(rawValue: UInt8(clamping: code))
        {
            if granted < request.qos {
                progress.reducedQoS = max(progress.reducedQoS ?? granted, granted)
            } else if granted > .atMostOnce {
                progress.hasFullGrant = true
            }
        }
        if progress.unanswered.isEmpty { finishSubscribing() }
    }

    private func receivedMessage(
        _ message: mosquitto_message,
        _ topic: String,
        _ received: ReceivedProperties
    ) {
        let count = Int(max(message.payloadlen, 0))
        let isOversize = count > configuration.maximumPayload
        let bytes = UnsafeRawBufferPointer(
            start: message.payload,
            count: message.payload == nil || isOversize ? 0 : count
        )
        var whole = MQTTMessage(
            topic: topic,
            payload: Array(bytes),
            qos: MQTTQoS(rawValue: UInt8(truncatingIfNeeded: message.qos)) ?? .atMostOnce,
            isRetained: message.retain,
            properties: received.properties
        )
        if isOversize { whole.oversizeBytes = count }
        events.received(whole, received.subscriptions)
    }

    /// The library's log: packets at trace level, and details of a failed attempt at debug level, because the
    /// end of the attempt repeats them.
    private func log(_ level: Int32, _ text: UnsafePointer<CChar>) {
        let isFault = level == MOSQ_LOG_ERR || level == MOSQ_LOG_WARNING
        let own: Logger.Level = isFault || level != MOSQ_LOG_DEBUG ? .debug : .trace
        guard isFault || logger.logLevel <= own else { return }
        let line = String(cString: text)
        if isFault { recordLibraryError(line) }
        logger.log(level: own, "libmosquitto: \(line)")
    }
}
