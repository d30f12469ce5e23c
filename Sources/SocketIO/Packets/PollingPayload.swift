/// The framing of packets in polling bodies.
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

/// Encodes and decodes polling bodies.
///
/// - Revision 3, text: `LENGTH:PACKET` concatenated. A packet is encoded as UTF-8 and each byte is treated as
///   a character; LENGTH counts these; the whole is sent as UTF-8. Non-ASCII text is therefore encoded twice.
/// - Revision 3, binary: a byte 0 (text) or 1 (binary), the length in decimal digits as bytes 0 to 9, a byte 255,
///   the packet.
/// - Revision 4: packets separated by a byte 1E, binary data as `b` and base64.
/// - Source: contrib/contract/flare-protocol.md, "3.3 Polling"; Engine.IO protocol, revisions 3 and 4.
package enum PollingPayload {
    static let separator: UInt8 = 0x1E
    static let endOfLength: UInt8 = 0xFF

    /// The body for these packets.
    /// - Parameter form: Ignored in revision 4.
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

    /// The body for these packets, given as the text of WebSocket messages.
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

    /// Appends UTF-8, treating each byte as a character and encoding it again.
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
