/// A WebSocket client that sends exactly the frames it is told to; its calls block, as those of ``WireClient``.
package final class WireSocket {
    package struct Frame: Sendable, Hashable {
        package var opcode: UInt8
        package var payload: [UInt8]

        package init(_ opcode: UInt8, _ payload: [UInt8] = []) {
            self.opcode = opcode
            self.payload = payload
        }

        /// A server's goodbye.
        package static func close(_ code: UInt16) -> Frame {
            Frame(0x8, [UInt8(code >> 8), UInt8(code & 0xFF)])
        }

        package static func text(_ text: String) -> Frame { Frame(0x1, Array(text.utf8)) }

        package var text: String { String(decoding: payload, as: UTF8.self) }
    }

    package let wire: WireClient

    /// Opens a WebSocket, over a connection that may have been used before.
    package init(_ path: String, over wire: WireClient) throws {
        self.wire = wire
        wire.send(Self.handshake(path))
        let reply = try wire.reply()
        guard reply?.status == 101 else { throw WireClient.Failure(what: "no WebSocket: \(reply as Any)") }
    }

    package convenience init(_ path: String, port: Int) throws {
        try self.init(path, over: WireClient(port: port))
    }

    /// The sample of RFC 6455 1.3, whose answer is `s3pPLMBiTxaQ9kYGzzhZRbK+xOo=`.
    package static let fields = [
        "Host: localhost", "Connection: Upgrade", "Upgrade: websocket", "Sec-WebSocket-Version: 13",
        "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
    ]

    package static func handshake(_ path: String, fields: [String] = fields) -> String {
        (["GET \(path) HTTP/1.1"] + fields).map { $0 + "\r\n" }.joined() + "\r\n"
    }

    /// A frame as a client sends it, or as it must not.
    ///
    /// - Parameters:
    ///   - head: The reserved bits and the opcode.
    ///   - length: What is stated, where that is not the truth.
    package static func frame(
        _ head: UInt8,
        _ payload: some Collection<UInt8>,
        isFinal: Bool = true,
        isMasked: Bool = true,
        length: UInt64? = nil
    ) -> [UInt8] {
        var bytes = [isFinal ? head | 0x80 : head]
        let length = length ?? UInt64(payload.count)
        let mask: UInt8 = isMasked ? 0x80 : 0
        switch length {
        case ..<126: bytes.append(mask | UInt8(length))
        case ..<65_536: bytes += [mask | 126, UInt8(length >> 8), UInt8(length & 0xFF)]
        default: bytes += [mask | 127] + (0..<8).map { UInt8(truncatingIfNeeded: length >> (56 - 8 * $0)) }
        }
        guard isMasked else { return bytes + payload }
        let key: [UInt8] = [0x12, 0x34, 0x56, 0x78]
        bytes += key
        bytes += payload.enumerated().map { $1 ^ key[$0 % 4] }
        return bytes
    }

    package func send(_ frame: Frame) {
        wire.send(Self.frame(frame.opcode, frame.payload))
    }

    package func send(_ text: String) {
        send(.text(text))
    }

    /// The next frame; `nil` at the end of the connection.
    package func frame() throws -> Frame? {
        guard let head = try wire.bytes(2) else { return nil }
        guard head[0] & 0xF0 == 0x80, head[1] & 0x80 == 0 else {
            throw WireClient.Failure(what: "no server's frame: \(head)")
        }
        var length = Int(head[1])
        if length > 125 {
            guard let digits = try wire.bytes(length == 126 ? 2 : 8) else { return nil }
            length = digits.reduce(0) { $0 << 8 | Int($1) }
        }
        return try wire.bytes(length).map { Frame(head[0] & 0xF, $0) }
    }
}
