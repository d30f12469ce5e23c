import SocketIO

/// A client's session on a manual clock; actions are written as lines.
struct ClientUnderTest {
    var session: ClientSession
    var now = 1000
    let opening: [String]

    init(
        _ transport: ClientSession.Transport,
        _ revision: EngineRevision = .four,
        takesEither: Bool = false,
        upgrades: Bool = false,
        settings: ClientSession.Settings = .init()
    ) {
        let approach = ClientSession.Approach(
            transport,
            revision,
            takesEither: takesEither,
            upgrades: upgrades
        )
        let (session, actions) = ClientSession.open(approach, settings: settings, now: now)
        self.session = session
        opening = Self.lines(actions)
    }

    /// A client that has joined by websocket.
    static func joined(_ revision: EngineRevision) -> ClientUnderTest {
        var client = ClientUnderTest(.websocket, revision)
        _ = client.receive(revision == .three ? Self.hello3 : Self.hello4)
        _ = client.receive(revision == .three ? "40" : #"40{"sid":"x"}"#)
        return client
    }

    static let hello3 = #"0{"sid":"abc","upgrades":[],"pingInterval":25000,"pingTimeout":60000}"#
    static let hello4 =
        #"0{"sid":"abc","upgrades":[],"pingInterval":25000,"pingTimeout":20000,"maxPayload":1000000}"#

    mutating func socketOpened() -> [String] { Self.lines(session.socketOpened(now: now)) }

    mutating func socketClosed() -> [String] { Self.lines(session.socketClosed(now: now)) }

    mutating func socketFailed(_ reason: ClientSessionEnd) -> [String] {
        Self.lines(session.socketClosed(reason, now: now))
    }

    mutating func receive(_ text: String) -> [String] {
        Self.lines(session.received(.text(Array(text.utf8)), now: now))
    }

    mutating func receive(binary: [UInt8]) -> [String] {
        Self.lines(session.received(.binary(binary), now: now))
    }

    mutating func polled(_ body: String, status: Int = 200, type: String = "text/plain") -> [String] {
        polled(Array(body.utf8), status: status, type: type)
    }

    mutating func polled(_ body: [UInt8], status: Int = 200, type: String = "text/plain") -> [String] {
        Self.lines(session.polled(.success((status: status, contentType: type, body: body)), now: now))
    }

    mutating func posted(status: Int = 200) -> [String] {
        let answer = (status: status, contentType: "text/html", body: Array("ok".utf8))
        return Self.lines(session.posted(.success(answer), now: now))
    }

    mutating func send(_ frame: String) -> [String] {
        Self.lines(session.send(Array(frame.utf8), now: now))
    }

    mutating func tick(after milliseconds: Int) -> [String] {
        now += milliseconds
        return Self.lines(session.tick(now: now))
    }

    mutating func close() -> [String] { Self.lines(session.close()) }

    private static func lines(_ actions: [ClientSession.Action]) -> [String] { actions.map(line) }

    private static func line(_ action: ClientSession.Action) -> String {
        switch action {
        case .openSocket(let query): "socket \(query)"
        case .poll(let query): "poll \(query)"
        case .post(_, let body, let type) where type == "application/octet-stream":
            "post binary \(body.map { String($0, radix: 16) }.joined(separator: " "))"
        case .post(let query, let body, _):
            "post \(query) \(String(decoding: body, as: UTF8.self).replacing("\u{1E}", with: "|"))"
        case .send(.text(let text)): "send \(String(decoding: text, as: UTF8.self))"
        case .send(.binary(let bytes)): "send binary \(bytes)"
        case .closeSocket: "close socket"
        case .joined(let revision): "joined \(revision.rawValue)"
        case .event(let json): "event \(String(decoding: json, as: UTF8.self))"
        case .ended(let reason): "ended: \(reason)"
        }
    }
}
