import SocketIO

/// A client of one session on a manual clock; actions are written as lines.
struct ScriptedClient {
    static let id = "AbCdEfGhIjKlMnOpQr-_"

    var session: ServerSession
    var now: Int
    /// The actions of opening it.
    let opening: [String]
    private let form: PollingFormat

    init(
        _ revision: EngineRevision,
        _ transport: ServerSession.Transport,
        form: PollingFormat = .text,
        settings: ServerSession.Settings = .init(),
        now: Int = 1000
    ) {
        let (session, actions) = ServerSession.open(
            id: Self.id,
            revision: revision,
            transport: transport,
            form: form,
            settings: settings,
            now: now
        )
        self.session = session
        self.now = now
        self.form = form
        opening = Self.lines(actions, revision)
    }

    mutating func poll() -> [String] { lines(session.poll(form, now: now)) }

    /// Posts packets in the client's format.
    mutating func post(_ packets: String...) throws -> [String] {
        let packets = try packets.map { try EnginePacket(.text(Array($0.utf8)), session.revision) }
        return post(body: PollingPayload.encode(packets, session.revision, form))
    }

    mutating func post(body: [UInt8]) -> [String] { lines(session.post(body, form, now: now)) }

    mutating func open() -> [String] { lines(session.socketOpened(now: now)) }

    mutating func receive(_ text: String) -> [String] {
        lines(session.received(.text(Array(text.utf8)), now: now))
    }

    mutating func receive(binary: [UInt8]) -> [String] { lines(session.received(.binary(binary), now: now)) }

    mutating func close() -> [String] { lines(session.socketClosed(now: now)) }

    mutating func send(_ frame: String) -> [String] { lines(session.send(Array(frame.utf8), now: now)) }

    mutating func end(_ reason: SessionEnd) -> [String] { lines(session.end(reason, now: now)) }

    mutating func tick(after milliseconds: Int = 0) -> [String] {
        now += milliseconds
        return lines(session.tick(now: now))
    }

    private func lines(_ actions: [ServerSession.Action]) -> [String] {
        Self.lines(actions, session.revision)
    }

    private static func lines(_ actions: [ServerSession.Action], _ revision: EngineRevision) -> [String] {
        actions.map { action in
            switch action {
            case .answerPoll(let answer): "poll: \(line(answer, revision))"
            case .answerPost(let answer): "post: \(line(answer, revision))"
            case .send(let frame): "send: \(String(decoding: frame.bytes, as: UTF8.self))"
            case .closeSocket: "close socket"
            case .joined: "joined"
            case .left: "left"
            case .event(let json): "event: \(String(decoding: json, as: UTF8.self))"
            case .ended(let end): "ended: \(end)"
            }
        }
    }

    private static func line(_ answer: ServerSession.Answer, _ revision: EngineRevision) -> String {
        switch answer {
        case .ok: return "ok"
        case .status(let status): return String(status)
        case .error(let error): return String(decoding: error.json, as: UTF8.self)
        case .payload(let body, let contentType):
            let form: PollingFormat = contentType == PollingFormat.text.contentType ? .text : .binary
            let packets = try? PollingPayload.decode(body, revision, form, limits: EngineLimits())
            guard let packets else { return "unreadable \(body)" }
            return packets.map { String(decoding: $0.frame(revision).bytes, as: UTF8.self) }
                .joined(separator: " ")
        }
    }
}
