/// Why received data is not valid Engine.IO or Socket.IO.
package enum EngineError: Error, Sendable, Hashable, CustomStringConvertible {
    case emptyPacket
    case unknownPacketType(UInt8)
    case invalidUTF8
    case invalidBase64
    case packetTooLong(bytes: Int, limit: Int)
    case bodyTooLong(bytes: Int, limit: Int)
    case tooManyPackets(limit: Int)
    /// The length before a packet is missing, invalid or too long.
    case invalidLength
    /// The body ends before the packet does.
    case truncatedPacket(missing: Int)
    /// The first byte of a packet in a binary payload.
    case unknownMarker(UInt8)
    /// Non-ASCII text in a text payload of revision 3 was not encoded as UTF-8 twice.
    case encodedOnce
    /// Revision 4 has no binary payloads.
    case binaryPayload
    case unknownSocketPacketType(UInt8?)
    case invalidAttachments
    case tooManyAttachments(announced: Int, limit: Int)
    case invalidNamespace
    case invalidAcknowledgementID
    /// A ping from a client of revision 4, in which only the server sends pings.
    case wrongHeartbeat
    /// Binary data that no packet announced.
    case unexpectedAttachment

    package var description: String {
        switch self {
        case .emptyPacket:
            "an empty packet; a packet begins with its type, 0 to 6"
        case .unknownPacketType(let type):
            "unknown packet type \(Self.shown(type)); a packet begins with its type, 0 to 6, or b for base64"
        case .invalidUTF8:
            "text that is not UTF-8"
        case .invalidBase64:
            "binary data that is not base64"
        case .packetTooLong(let bytes, let limit):
            "a packet of \(bytes) bytes; at most \(limit) are allowed"
        case .bodyTooLong(let bytes, let limit):
            "a body of \(bytes) bytes; at most \(limit) are allowed"
        case .tooManyPackets(let limit):
            "more than \(limit) packets in one body"
        case .invalidLength:
            "a packet's length is missing or not a number of up to 15 digits"
        case .truncatedPacket(let missing):
            "the body ends \(missing) bytes short of its last packet's length"
        case .unknownMarker(let marker):
            "unknown packet marker \(Self.shown(marker)); 0 is text, 1 is binary"
        case .encodedOnce:
            "non-ASCII text that is not encoded as UTF-8 twice, as polling of revision 3 requires"
        case .binaryPayload:
            "a binary payload; revision 4 requires text with base64"
        case .unknownSocketPacketType(let type):
            "unknown message type \(type.map(Self.shown) ?? "(none)"); a message begins with its type, 0 to 6"
        case .invalidAttachments:
            "a binary message without the number of its attachments; the format is 51-[…]"
        case .tooManyAttachments(let announced, let limit):
            "\(announced) attachments; at most \(limit) are allowed"
        case .invalidNamespace:
            "a namespace that is longer than \(SocketPacket.maximumNamespaceBytes) bytes, or not UTF-8"
        case .invalidAcknowledgementID:
            "an acknowledgement id of more than 15 digits"
        case .wrongHeartbeat:
            "a ping from a client of revision 4, in which only the server sends pings"
        case .unexpectedAttachment:
            "binary data that no packet announced"
        }
    }

    /// A received byte, safe to print.
    private static func shown(_ byte: UInt8) -> String {
        (0x21...0x7E).contains(byte) ? "'\(Character(Unicode.Scalar(byte)))'" : "0x" + String(byte, radix: 16)
    }
}
