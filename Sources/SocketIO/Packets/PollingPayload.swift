/// How packets are framed in the body of a polling request or answer.
package enum PollingFormat: Sendable, Hashable, CaseIterable {
    case text
    /// In revision 3 only.
    case binary

    package var contentType: String {
        switch self {
        case .text: "text/plain; charset=UTF-8"
        case .binary: "application/octet-stream"
        }
    }
}

/// Bodies of polling requests and answers.
///
/// - Revision 3, text: `LENGTH:PACKET` one after the other. A packet is turned into UTF-8 and each byte is taken
///   for a character; LENGTH counts these; the whole is then sent as UTF-8. So text beyond ASCII is encoded twice.
/// - Revision 3, binary: a byte 0 (text) or 1 (binary), the length in decimal digits as bytes 0 to 9, a byte 255,
///   the packet.
/// - Revision 4: packets with a byte 1E between them, binary data as `b` and base64.
/// - Source: flare-protocol 3.3; Engine.IO protocol, revisions 3 and 4.
package enum PollingPayload {
    static let separator: UInt8 = 0x1E
    static let endOfLength: UInt8 = 0xFF

    /// The body that carries these packets.
    /// - Parameter form: Of no account in revision 4.
    package static func encode(
        _ packets: [EnginePacket],
        _ revision: EngineRevision,
        _ form: PollingFormat
    ) -> [UInt8] {
        guard revision == .three, form == .binary else {
            return encode(texts: packets.map { $0.text(revision) }[...], revision, form)
        }
        var body: [UInt8] = []
        for packet in packets {
            switch packet.frame(.three) {
            case .text(let bytes): append(bytes, marker: 0, to: &body)
            case .binary(let bytes): append(bytes, marker: 1, to: &body)
            }
        }
        return body
    }

    /// The body that carries these packets, each given as the text of a WebSocket message.
    static func encode(
        texts: ArraySlice<[UInt8]>,
        _ revision: EngineRevision,
        _ form: PollingFormat
    ) -> [UInt8] {
        var body: [UInt8] = []
        body.reserveCapacity(texts.reduce(0) { $0 + $1.count + 8 })
        switch (revision, form) {
        case (.three, .text):
            for text in texts {
                body += String(text.count).utf8
                body.append(UInt8(ascii: ":"))
                appendTwiceEncoded(text, to: &body)
            }
        case (.three, .binary):
            for text in texts {
                append(text, marker: 0, to: &body)
            }
        case (.four, _):
            body += texts.joined(separator: CollectionOfOne(separator))
        }
        return body
    }

    private static func append(_ packet: [UInt8], marker: UInt8, to body: inout [UInt8]) {
        body.append(marker)
        body += String(packet.count).utf8.lazy.map { $0 - UInt8(ascii: "0") }
        body.append(endOfLength)
        body += packet
    }

    /// Appends UTF-8, each of its bytes taken for a character and encoded again.
    private static func appendTwiceEncoded(_ text: [UInt8], to body: inout [UInt8]) {
        for byte in text {
            if byte < 0x80 {
                body.append(byte)
            } else {
                body.append(0xC0 | byte >> 6)
                body.append(0x80 | byte & 0x3F)
            }
        }
    }
}
