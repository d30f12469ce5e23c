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
        var scanner = FlatScanner(bytes: json)
        guard let members = scanner.object(), case .text(let id)? = members["sid"],
            !id.isEmpty, id.utf8.count <= 256,
            // The id is inserted into the query unescaped.
            id.utf8.allSatisfy(Self.isSafe)
        else { return nil }
        self.id = id
        if case .texts(let upgrades)? = members["upgrades"] {
            offersWebsocket = upgrades.contains("websocket")
        }
        if case .number(let interval)? = members["pingInterval"] {
            pingInterval = Self.reasonable(interval)
        }
        if case .number(let timeout)? = members["pingTimeout"] { pingTimeout = Self.reasonable(timeout) }
        if case .number(let bytes)? = members["maxPayload"], bytes > 0 {
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

/// Parses the members of one JSON object and skips values that are not JSON, such as NaN, which the JSON module refuses.
///
/// Nested values are skipped too, except a list of texts.
private struct FlatScanner {
    enum Value {
        case text(String)
        case number(Double)
        case texts([String])
        case other
    }

    private static let maximumDepth = 32

    let bytes: [UInt8]
    var position = 0

    mutating func object(depth: Int = 0) -> [String: Value]? {
        var members: [String: Value] = [:]
        guard take("{") else { return nil }
        if take("}") { return members }
        repeat {
            guard let key = text(), take(":"), let value = value(depth: depth + 1) else { return nil }
            members[key] = value
        } while take(",")
        return take("}") ? members : nil
    }

    private mutating func value(depth: Int) -> Value? {
        skipSpace()
        guard depth <= Self.maximumDepth, position < bytes.count else { return nil }
        switch bytes[position] {
        case UInt8(ascii: "\""): return text().map { .text($0) }
        case UInt8(ascii: "["): return list(depth: depth)
        case UInt8(ascii: "{"): return object(depth: depth).map { _ in .other }
        default: return word()
        }
    }

    private mutating func list(depth: Int) -> Value? {
        var texts: [String] = []
        guard take("[") else { return nil }
        if take("]") { return .texts([]) }
        repeat {
            guard let element = value(depth: depth + 1) else { return nil }
            if case .text(let text) = element { texts.append(text) }
        } while take(",")
        return take("]") ? .texts(texts) : nil
    }

    /// A number, or a literal such as `true`.
    private mutating func word() -> Value? {
        let start = position
        while position < bytes.count, !",]}: \t\r\n".utf8.contains(bytes[position]) { position += 1 }
        guard position > start else { return nil }
        let word = String(decoding: bytes[start..<position], as: UTF8.self)
        return Double(word).map { $0.isFinite ? .number($0) : .other } ?? .other
    }

    /// A text without escapes; the members of interest have none.
    private mutating func text() -> String? {
        guard take("\"") else { return nil }
        let start = position
        while position < bytes.count, bytes[position] != UInt8(ascii: "\"") {
            position += bytes[position] == UInt8(ascii: "\\") ? 2 : 1
        }
        guard position < bytes.count else { return nil }
        defer { position += 1 }
        return String(decoding: bytes[start..<position], as: UTF8.self)
    }

    private mutating func take(_ character: Unicode.Scalar) -> Bool {
        skipSpace()
        guard position < bytes.count, bytes[position] == UInt8(ascii: character) else { return false }
        position += 1
        return true
    }

    private mutating func skipSpace() {
        while position < bytes.count, " \t\r\n".utf8.contains(bytes[position]) { position += 1 }
    }
}
