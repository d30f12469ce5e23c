import HTTPTypes
package import NIOCore

/// Decides which requests of a listener become WebSockets, and handles them.
///
/// Host and Origin are already checked. All methods are called on the connection's event loop.
package protocol WebSocketGate: Sendable {
    /// Whether a request may become a WebSocket.
    func admission(of request: WebSocketRequest) -> WebSocketAdmission

    /// An admitted WebSocket opened; its messages go to the returned listener.
    func opened(_ socket: WebSocket, _ request: WebSocketRequest) -> any WebSocketListener
}

/// A request that wants to become a WebSocket.
package struct WebSocketRequest: Sendable, Hashable {
    /// The path with its query.
    package let target: String
    /// The header of this name.
    package let authorization: String?
    /// The peer's address.
    package let peer: String?
    /// Whether it came through a proxy.
    package let isForwarded: Bool
}

/// The answer to an upgrade request.
package enum WebSocketAdmission: Sendable, Hashable {
    case accepted
    /// The path has no WebSockets: the request is answered like any other.
    case noWebSocket
    /// Refused with this status and text; the connection is closed.
    case refused(status: Int, contentType: String, text: String)
}

/// Receives the messages of a WebSocket on its event loop.
package protocol WebSocketListener: AnyObject {
    func received(_ message: WebSocketMessage)
    /// Called once when the connection has ended, closed by either side; never from inside a call to the socket.
    func closed()
}

/// A complete message; text is valid UTF-8.
package enum WebSocketMessage: Sendable, Hashable {
    case text([UInt8])
    case binary([UInt8])

    /// The message as a server frame, which can be written to any number of sockets.
    /// - Source: RFC 6455 5.2.
    package var framed: ByteBuffer {
        switch self {
        case .text(let bytes): Self.frame(opcode: 0x1, bytes)
        case .binary(let bytes): Self.frame(opcode: 0x2, bytes)
        }
    }

    /// Several text messages, each as one frame.
    package static func framed(texts: [[UInt8]]) -> ByteBuffer {
        var buffer = ByteBufferAllocator().buffer(capacity: texts.reduce(0) { $0 + $1.count + headBytes })
        for text in texts { write(opcode: 0x1, text, to: &buffer) }
        return buffer
    }

    /// The longest frame head.
    private static let headBytes = 10

    static func frame(opcode: UInt8, _ payload: some Collection<UInt8>) -> ByteBuffer {
        var buffer = ByteBufferAllocator().buffer(capacity: payload.count + headBytes)
        write(opcode: opcode, payload, to: &buffer)
        return buffer
    }

    private static func write(opcode: UInt8, _ payload: some Collection<UInt8>, to buffer: inout ByteBuffer) {
        let count = payload.count
        buffer.writeInteger(0x80 | opcode)
        switch count {
        case ..<126:
            buffer.writeInteger(UInt8(count))
        case ..<65_536:
            buffer.writeInteger(UInt8(126))
            buffer.writeInteger(UInt16(count))
        default:
            buffer.writeInteger(UInt8(127))
            buffer.writeInteger(UInt64(count))
        }
        buffer.writeBytes(payload)
    }
}

/// The server's end of a WebSocket, to be used on its event loop only.
package struct WebSocket: Sendable {
    let handler: NIOLoopBound<WebSocketHandler>

    /// Writes one or several frames from ``WebSocketMessage/framed``; ``flush()`` sends them.
    ///
    /// Closes the connection when the peer reads too slowly.
    package func write(_ frame: ByteBuffer) { handler.value.write(frame) }

    package func flush() { handler.value.flush() }

    /// At most the bytes that wait for a peer that does not read; 0 while only little does.
    package var waitingBytes: Int { handler.value.waitingBytes }

    /// Closes at once; what was written and not sent is dropped.
    package func abort() { handler.value.abort() }

    /// Pauses and resumes reading, for a peer that sends faster than its messages are processed.
    package func setAutoRead(_ isReading: Bool) { handler.value.setAutoRead(isReading) }

    /// Sends a close frame and closes.
    /// - Parameter code: RFC 6455 7.4.
    package func close(_ code: CloseCode) { handler.value.close(code) }

    package enum CloseCode: UInt16, Error, Sendable {
        case normal = 1000
        case goingAway = 1001
        case protocolError = 1002
        case invalidPayload = 1007
        case messageTooBig = 1009
    }
}
