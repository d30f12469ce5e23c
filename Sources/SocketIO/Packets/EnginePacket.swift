import Text

/// A WebSocket message, or the payload of a packet.
package enum EngineFrame: Sendable, Hashable {
    /// UTF-8.
    case text([UInt8])
    case binary([UInt8])

    package var bytes: [UInt8] {
        switch self {
        case .text(let bytes), .binary(let bytes): bytes
        }
    }
}

/// An Engine.IO packet.
///
/// - Source: contrib/contract/flare-protocol.md, "3.2 Packets"; Engine.IO protocol, revisions 3 and 4.
package struct EnginePacket: Sendable, Hashable {
    /// In their order on the wire: `0` to `6`.
    package enum Kind: UInt8, Sendable, CaseIterable {
        case open, close, ping, pong, message, upgrade, noop

        /// The digit that begins such a packet's text.
        var digit: UInt8 { UInt8(ascii: "0") + rawValue }
    }

    package var kind: Kind
    package var payload: EngineFrame

    package init(_ kind: Kind, _ payload: EngineFrame = .text([])) {
        self.kind = kind
        self.payload = payload
    }

    /// Reads a WebSocket message.
    ///
    /// Text begins with the type's digit, or with `b` for base64 data. Binary messages of revision 3 begin
    /// with the type as a byte; in revision 4 they are the data of a message.
    /// - Parameter limit: Most bytes.
    package init(_ frame: EngineFrame, _ revision: EngineRevision, limit: Int = .max) throws(EngineError) {
        let bytes = frame.bytes.count
        guard bytes <= limit else { throw .packetTooLong(bytes: bytes, limit: limit) }
        switch frame {
        case .text(let bytes): try self.init(text: bytes[...], revision)
        case .binary(let bytes): try self.init(binary: bytes[...], revision)
        }
    }

    init(text: ArraySlice<UInt8>, _ revision: EngineRevision) throws(EngineError) {
        guard let first = text.first else { throw .emptyPacket }
        guard first == UInt8(ascii: "b") else {
            let kind = try Self.kind(first)
            let rest = Array(text.dropFirst())
            guard rest.isUTF8 else { throw .invalidUTF8 }
            self.init(kind, .text(rest))
            return
        }
        var rest = text.dropFirst()
        var kind = Kind.message
        if revision == .three {
            guard let digit = rest.popFirst() else { throw .emptyPacket }
            kind = try Self.kind(digit)
        }
        guard let data = Base64.decode(rest) else { throw .invalidBase64 }
        self.init(kind, .binary(data))
    }

    init(binary: ArraySlice<UInt8>, _ revision: EngineRevision) throws(EngineError) {
        switch revision {
        case .three:
            guard let first = binary.first else { throw .emptyPacket }
            guard let kind = Kind(rawValue: first) else { throw .unknownPacketType(first) }
            self.init(kind, .binary(Array(binary.dropFirst())))
        case .four:
            self.init(.message, .binary(Array(binary)))
        }
    }

    private static func kind(_ digit: UInt8) throws(EngineError) -> Kind {
        guard let kind = Kind(rawValue: digit &- UInt8(ascii: "0")) else { throw .unknownPacketType(digit) }
        return kind
    }

    /// The packet as a WebSocket message; binary data of revision 4 must be a message.
    package func frame(_ revision: EngineRevision) -> EngineFrame {
        switch payload {
        case .text(let text): .text([kind.digit] + text)
        case .binary(let data): .binary(revision == .three ? [kind.rawValue] + data : data)
        }
    }

    /// The packet as text with base64 data, for peers and payloads without binary support.
    func text(_ revision: EngineRevision) -> [UInt8] {
        switch payload {
        case .text(let text): [kind.digit] + text
        case .binary(let data):
            (revision == .three ? [UInt8(ascii: "b"), kind.digit] : [UInt8(ascii: "b")]) + Base64.encode(data)
        }
    }
}

extension [UInt8] {
    var isUTF8: Bool {
        (try? UTF8Span(validating: span)) != nil
    }
}
