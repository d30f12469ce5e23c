import JSON

/// The server's handshake, from the open packet.
///
/// Parsed leniently: members that are missing or of the wrong type get their default, and values out of range
/// are clamped; only the session id is required.
/// - Source: contrib/contract/flare-protocol.md, "3.1 Handshake"; Engine.IO revision 4 adds `maxPayload`.
struct ClientHandshake: Sendable, Hashable {
    var id: String
    /// Whether the server offers the upgrade to a websocket.
    var offersWebsocket = false
    /// Milliseconds between two pings.
    var pingInterval = 25_000
    /// Milliseconds within which a ping must be answered.
    var pingTimeout = 20_000
    /// The longest polling body that the server accepts, bytes; only revision 4 states it.
    var maximumPayloadBytes: Int?

    /// - Parameter json: The open packet's text; `nil` unless it is an object with a session id.
    init?(json: [UInt8]) {
        // One value that is none, such as NaN, does not cost the others.
        guard let members = try? JSONValue(parsingReport: json).object, let id = members["sid"]?.string,
            !id.isEmpty, id.utf8.count <= 256,
            // The id is inserted into the query unescaped.
            id.utf8.allSatisfy(Self.isSafe)
        else { return nil }
        self.id = id
        offersWebsocket = members["upgrades"]?.array?.contains("websocket") ?? false
        if let interval = members["pingInterval"]?.number { pingInterval = Self.reasonable(interval) }
        if let timeout = members["pingTimeout"]?.number { pingTimeout = Self.reasonable(timeout) }
        if let bytes = members["maxPayload"]?.number, bytes > 0 {
            maximumPayloadBytes = Int(min(bytes, 1e9))
        }
    }

    private static func isSafe(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: "-_.~".utf8.contains(byte)
        }
    }

    private static func reasonable(_ milliseconds: Double) -> Int { Int(min(max(milliseconds, 50), 600_000)) }
}
