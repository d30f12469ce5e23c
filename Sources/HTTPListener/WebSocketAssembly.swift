import NIOCore
import NIOWebSocket

/// Assembles a client's frames into messages.
/// - Source: RFC 6455 5.4 to 5.6, 7.4 and 8.1.
struct WebSocketAssembly {
    private let maximumBytes: Int
    /// Of the incomplete message.
    private var opcode: WebSocketOpcode?
    private var bytes: [UInt8] = []

    init(maximumBytes: Int) {
        self.maximumBytes = maximumBytes
    }

    /// Adds a text, binary or continuation frame.
    /// - Returns: The message that the frame completes.
    mutating func append(_ frame: WebSocketFrame) throws(WebSocket.CloseCode) -> WebSocketMessage? {
        guard (frame.opcode == .continuation) == (opcode != nil) else { throw .protocolError }
        guard frame.length <= maximumBytes - bytes.count else { throw .messageTooBig }
        let opcode = opcode ?? frame.opcode
        bytes += frame.unmaskedData.readableBytesView
        guard frame.fin else {
            self.opcode = opcode
            return nil
        }
        let message = bytes
        self.opcode = nil
        bytes = []
        guard opcode == .text else { return .binary(message) }
        guard message.isUTF8 else { throw .invalidPayload }
        return .text(message)
    }

    /// Validates a close frame: empty, or a code and a reason.
    static func validateClose(_ frame: WebSocketFrame) throws(WebSocket.CloseCode) {
        var data = frame.unmaskedData
        guard data.readableBytes > 0 else { return }
        switch data.readInteger(as: UInt16.self) ?? 0 {
        case 1000...1003, 1007...1014, 3000...4999: break
        default: throw .protocolError
        }
        guard Array(data.readableBytesView).isUTF8 else { throw .invalidPayload }
    }
}

extension [UInt8] {
    fileprivate var isUTF8: Bool {
        allSatisfy { $0 < 0x80 } || String(validating: self, as: UTF8.self) != nil
    }
}
