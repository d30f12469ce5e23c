import JSON
import TestSupport

/// Reads an event stream with blocking calls.
final class StreamReader {
    struct Event: Sendable, Equatable {
        var id: String?
        var name = ""
        var data: JSONValue = .null

        var number: Int? { id.flatMap { $0.split(separator: "-").last }.flatMap { Int($0) } }
    }

    let wire: WireClient
    let status: Int
    let headers: [String: String]
    private var text: [UInt8] = []

    init(port: Int, display: String? = nil, after id: String? = nil, headers more: [String] = []) throws {
        wire = try WireClient(port: port)
        let query = display.map { "?display=\($0)" } ?? ""
        let last = id.map { "Last-Event-ID: \($0)\r\n" } ?? ""
        wire.send(
            "GET /api/events\(query) HTTP/1.1\r\nHost: localhost\r\n\(last)\(more.map { $0 + "\r\n" }.joined())\r\n"
        )
        let reply = try wire.reply(toHead: true)
        (status, headers) = (reply?.status ?? 0, reply?.headers ?? [:])
    }

    /// The next event about what happens; `nil` at the end of the stream.
    func next() throws -> Event? {
        while let event = try nextOfAny() {
            if event.name != "permissions" { return event }
        }
        return nil
    }

    /// The next event but `ping`.
    private func nextOfAny() throws -> Event? {
        while true {
            guard let block = try nextBlock() else { return nil }
            var event = Event()
            for line in block.split(separator: "\n") {
                if line.hasPrefix("id: ") { event.id = String(line.dropFirst(4)) }
                if line.hasPrefix("event: ") { event.name = String(line.dropFirst(7)) }
                if line.hasPrefix("data: ") { event.data = try JSONValue(parsing: String(line.dropFirst(6))) }
            }
            if !event.name.isEmpty, event.name != "ping" { return event }
        }
    }

    /// The next event of a name.
    func next(_ name: String) throws -> Event? {
        while let event = try nextOfAny() {
            if event.name == name { return event }
        }
        return nil
    }

    /// What stands before the next empty line.
    func nextBlock() throws -> String? {
        while true {
            let end = text.indices.dropFirst().first { text[$0] == 10 && text[$0 - 1] == 10 }
            if let end {
                defer { text.removeFirst(end + 1) }
                return String(decoding: text[..<(end - 1)], as: UTF8.self)
            }
            guard let chunk = try nextChunk() else { return nil }
            text += chunk
        }
    }

    /// A chunk of the body (RFC 9112 7.1); `nil` after the last.
    private func nextChunk() throws -> [UInt8]? {
        var digits = ""
        while let byte = try wire.bytes(1)?.first, byte != 10 {
            if byte != 13 { digits.unicodeScalars.append(Unicode.Scalar(byte)) }
        }
        guard let count = Int(digits, radix: 16), count > 0, let chunk = try wire.bytes(count + 2) else {
            return nil
        }
        return chunk.dropLast(2)
    }
}
