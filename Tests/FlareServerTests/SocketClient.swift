import JSON
import SocketIO
import TestSupport

/// A blocking Socket.IO client over a real connection.
final class SocketClient {
    /// The transport, or the upgrade from polling to a WebSocket.
    enum Route: CaseIterable, Sendable { case websocket, polling, upgrade }

    /// A received event.
    struct Event: Sendable, Hashable, CustomStringConvertible {
        let name: String
        let argument: JSONValue

        init(_ name: String, _ argument: JSONValue) {
            self.name = name
            self.argument = argument
        }

        var description: String { "\(name) \(argument.text)" }
    }

    let port: Int
    let revision: EngineRevision
    let id: String
    /// The connection of polls, and later of the WebSocket.
    private var wire: WireClient
    private var socket: WireSocket?
    private var packets: [EnginePacket] = []
    private var questions = 0

    /// Opens a session and joins the default namespace.
    ///
    /// - Parameter token: Goes into the address.
    init(
        port: Int,
        _ route: Route = .websocket,
        _ revision: EngineRevision = .three,
        token: String? = nil
    ) throws {
        self.port = port
        self.revision = revision
        wire = try WireClient(port: port)
        let query = "EIO=\(revision.rawValue)" + (token.map { "&access_token=\($0)" } ?? "")
        let open: EnginePacket
        if route == .websocket {
            let opened = try WireSocket("/socket.io/?\(query)&transport=websocket", over: wire)
            socket = opened
            open = try Self.packet(of: opened, revision)
        } else {
            wire.send("GET /socket.io/?\(query)&transport=polling&b64=1 HTTP/1.1\r\nHost: localhost\r\n\r\n")
            let body = try wire.reply()?.body ?? ""
            guard let first = try Self.packets(body, revision).first else {
                throw WireClient.Failure(what: "no open packet: \(body)")
            }
            open = first
        }
        guard case .text(let json) = open.payload, let id = try JSONValue(parsing: json)["sid"]?.string else {
            throw WireClient.Failure(what: "no session: \(open)")
        }
        self.id = id
        if revision == .four { try send("40") }
        guard case .text(let joined) = try packet().payload, joined.first == UInt8(ascii: "0") else {
            throw WireClient.Failure(what: "not connected to the namespace")
        }
        if route == .upgrade { try upgrade() }
    }

    var pollPath: String { "/socket.io/?EIO=\(revision.rawValue)&transport=polling&b64=1&sid=\(id)" }
    var socketPath: String { "/socket.io/?EIO=\(revision.rawValue)&transport=websocket&sid=\(id)" }
    var pollRequest: String { "GET \(pollPath) HTTP/1.1\r\nHost: localhost\r\n\r\n" }

    private func upgrade() throws {
        let opened = try WireSocket(socketPath, port: port)
        opened.send("2probe")
        guard try opened.frame() == .text("3probe") else { throw WireClient.Failure(what: "no probe") }
        opened.send("5")
        socket = opened
    }

    // MARK: Sending

    func emit(_ event: String, _ message: JSONValue) throws {
        try send("42" + JSONValue.array([.string(event), message]).text)
    }

    /// Sends packets in WebSocket form; with polling, as one body.
    func send(_ texts: String...) throws {
        try send(texts)
    }

    func send(_ texts: [String]) throws {
        if let socket {
            for text in texts { socket.send(text) }
            return
        }
        let reply = try post(texts)
        guard reply.status == 200, reply.body == "ok" else { throw WireClient.Failure(what: "\(reply)") }
    }

    /// The response to a POST of packets over a new connection.
    func post(_ texts: [String]) throws -> WireClient.Reply {
        let packets = try texts.map { try EnginePacket(.text(Array($0.utf8)), revision) }
        return try post(PollingPayload.encode(packets, revision, .text))
    }

    func post(_ body: [UInt8]) throws -> WireClient.Reply {
        let wire = try WireClient(port: port)
        let head = "POST \(pollPath) HTTP/1.1\r\nHost: localhost\r\nContent-Length: \(body.count)\r\n\r\n"
        wire.send(Array(head.utf8) + body)
        guard let reply = try wire.reply() else { throw WireClient.Failure(what: "no answer to a POST") }
        return reply
    }

    // MARK: Receiving

    /// The next packet.
    func packet() throws -> EnginePacket {
        if let socket { return try Self.packet(of: socket, revision) }
        while packets.isEmpty {
            wire.send(pollRequest)
            guard let reply = try wire.reply(), reply.status == 200 else {
                throw WireClient.Failure(what: "the poll was refused")
            }
            packets = try Self.packets(reply.body, revision)
        }
        return packets.removeFirst()
    }

    /// The next event.
    func event() throws -> Event {
        while true {
            let packet = try packet()
            if packet.kind == .close { throw WireClient.Failure(what: "the session ended") }
            if packet.kind == .ping { try send("3") }
            guard packet.kind == .message, case .text(let text) = packet.payload else { continue }
            let message = try SocketPacket(parsing: text)
            guard message.kind == .event, let list = try JSONValue(parsing: message.json).array,
                let name = list.first?.string, list.count == 2
            else { continue }
            return Event(name, list[1])
        }
    }

    /// The events up to the answer of a request sent now.
    func receivedEvents() throws -> [Event] {
        questions += 1
        let mark = JSONValue.string("question \(questions)")
        try emit("getPosition", ["thing": mark])
        var received: [Event] = []
        while true {
            let next = try event()
            if next == Event("position", ["position": .null, "thing": mark]) { return received }
            received.append(next)
        }
    }

    /// Closes the connections without ending the session.
    func vanish(waiting: Bool = false) throws {
        if waiting { wire.send(pollRequest) }
        wire = try WireClient(port: port)
        socket = nil
    }

    /// Starts a poll without reading its response.
    func beginPoll() {
        wire.send(pollRequest)
    }

    func endPoll() throws -> WireClient.Reply? {
        try wire.reply()
    }

    /// Half-closes the connection of the polls.
    func finish() {
        wire.finish()
    }

    /// Whether the server closes the WebSocket, after these frames.
    func closing() throws -> [WireSocket.Frame] {
        var frames: [WireSocket.Frame] = []
        while let frame = try socket?.frame() { frames.append(frame) }
        return frames
    }

    private static func packet(of socket: WireSocket, _ revision: EngineRevision) throws -> EnginePacket {
        guard let frame = try socket.frame(), frame.opcode == 0x1 else {
            throw WireClient.Failure(what: "the WebSocket was closed")
        }
        return try EnginePacket(.text(frame.payload), revision)
    }

    private static func packets(_ body: String, _ revision: EngineRevision) throws -> [EnginePacket] {
        try PollingPayload.decode(Array(body.utf8), revision, .text, limits: EngineLimits())
    }
}

/// Every combination of route and revision.
enum SocketRoads {
    static let all = SocketClient.Route.allCases.flatMap { route in
        EngineRevision.allCases.map { (route, $0) }
    }
}
