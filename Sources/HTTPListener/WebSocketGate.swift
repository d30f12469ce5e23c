import HTTPTypes
package import NIOCore

/// Which requests of a listener may become WebSockets, and what becomes of them.
///
/// Host and Origin have been checked by then. Everything is called on the connection's event loop.
package protocol WebSocketGate: Sendable {
    /// Whether a request may become a WebSocket.
    /// - Parameter path: The target of the request, with its query.
    func admission(path: String) -> WebSocketAdmission

    /// A WebSocket that was admitted is open; what it says goes to the listener.
    func opened(_ socket: WebSocket, path: String) -> any WebSocketListener
}

/// The answer to a request to become a WebSocket.
package enum WebSocketAdmission: Sendable, Hashable {
    case accepted
    /// The path is not for WebSockets: it is answered like any other request.
    case notHere
    /// Answered with this status and text, then closed.
    case refused(status: Int, contentType: String, text: String)
}

/// Who hears what comes by one WebSocket; on its event loop.
package protocol WebSocketListener: AnyObject {
    func received(_ message: WebSocketMessage)
    /// Nothing comes after this. It is told once, whoever closed, and never from inside a call to the socket.
    func closed()
}

/// A whole message; text is valid UTF-8.
package enum WebSocketMessage: Sendable, Hashable {
    case text([UInt8])
    case binary([UInt8])

    /// The message as a server's frame: ready to be written to any number of sockets.
    /// - Source: RFC 6455 5.2.
    package var framed: ByteBuffer {
        switch self {
        case .text(let bytes): Self.frame(opcode: 0x1, bytes)
        case .binary(let bytes): Self.frame(opcode: 0x2, bytes)
        }
    }

    static func frame(opcode: UInt8, _ payload: some Collection<UInt8>) -> ByteBuffer {
        let count = payload.count
        var buffer = ByteBufferAllocator().buffer(capacity: count + 10)
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
        return buffer
    }
}

/// Our end of a WebSocket, to be used on its event loop only.
package struct WebSocket: Sendable {
    let handler: NIOLoopBound<WebSocketHandler>

    /// Writes a frame, as ``WebSocketMessage/framed`` makes it; it leaves with the next ``flush()``.
    ///
    /// Closes the connection when its peer takes too little of what it is sent.
    package func write(_ frame: ByteBuffer) { handler.value.write(frame) }

    package func flush() { handler.value.flush() }

    /// Stops and goes on reading: for a peer that sends faster than is dealt with.
    package func read(_ isReading: Bool) { handler.value.read(isReading) }

    /// Says goodbye and closes.
    /// - Parameter code: RFC 6455 7.4.
    package func close(_ code: CloseCode) { handler.value.close(code) }

    package enum CloseCode: UInt16, Error, Sendable {
        case normal = 1000
        case goingAway = 1001
        case protocolError = 1002
        case noUTF8 = 1007
        case tooBig = 1009
    }
}
