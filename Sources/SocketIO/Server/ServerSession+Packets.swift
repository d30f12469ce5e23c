extension ServerSession {
    /// Handles a packet from either transport.
    mutating func handle(
        _ packet: EnginePacket,
        _ now: Int,
        _ actions: inout [Action]
    ) throws(EngineError) {
        if revision == .three { restartPatience(now) }
        switch (packet.kind, packet.payload) {
        case (.ping, _):
            guard revision == .three else { throw .wrongHeartbeat }
            // The payload of a ping is echoed only for a probe.
            post([EnginePacket.Kind.pong.digit], &actions)
        case (.pong, _):
            if revision == .four { restartPatience(now) }
        case (.message, .text(let text)):
            try handle(text, &actions)
        case (.message, .binary):
            guard attachmentsToSkip > 0 else { throw .unexpectedAttachment }
            attachmentsToSkip -= 1
        case (.open, _), (.close, _), (.upgrade, _), (.noop, _):
            break
        }
    }

    /// Handles the text of a message.
    private mutating func handle(_ text: [UInt8], _ actions: inout [Action]) throws(EngineError) {
        let packet: SocketPacket
        do throws(EngineError) {
            packet = try SocketPacket(parsing: text)
        } catch {
            // The original server ignores it; servers of revision 4 end the session.
            if revision == .four { throw error }
            return
        }
        guard packet.attachments <= settings.limits.maximumAttachments else {
            throw .tooManyAttachments(
                announced: packet.attachments,
                limit: settings.limits.maximumAttachments
            )
        }
        attachmentsToSkip = packet.attachments
        let namespace = packet.namespace.prefix { $0 != "?" }
        guard namespace == "/" else {
            if packet.kind == .connect { refuse(String(namespace), &actions) }
            return
        }
        switch packet.kind {
        case .connect:
            join(&actions)
        case .disconnect:
            guard isJoined else { return }
            isJoined = false
            actions.append(.left)
        case .event, .binaryEvent:
            guard isJoined, packet.attachments == 0 else { return }
            actions.append(.event(json: packet.json))
        case .ack, .error, .binaryAck:
            break
        }
    }

    /// Joins the client to `/`; a client that is already joined is only notified.
    mutating func join(_ actions: inout [Action]) {
        let json = revision == .three ? "" : #"{"sid":"\#(id)"}"#
        post(Array("40\(json)".utf8), &actions)
        guard !isJoined else { return }
        isJoined = true
        actions.append(.joined)
    }

    private mutating func refuse(_ namespace: String, _ actions: inout [Action]) {
        let problem = "\"Invalid namespace\""
        let json = revision == .three ? problem : "{\"message\":\(problem)}"
        let answer = SocketPacket(.error, namespace: namespace, json: Array(json.utf8))
        post([EnginePacket.Kind.message.digit] + answer.text, &actions)
    }
}
