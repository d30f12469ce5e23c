import SeededRandom
import SocketIO
import Testing

/// A client's and a server's session, connected by a simulated network that reorders as real ones do.
private struct Dialogue {
    var client: ClientSession
    var server: ServerSession?
    let serverRevision: EngineRevision
    var random: SplitMix64
    var now = 0

    /// Messages in transit; a line keeps its order.
    var toClient: [EngineFrame] = []
    var toServer: [EngineFrame] = []
    var polls = 0
    var posts: [(body: [UInt8], type: String)] = []
    var pollAnswers: [ServerSession.Answer] = []
    var postAnswers: [ServerSession.Answer] = []
    var socket = Socket.none
    enum Socket { case none, opening, open }

    var clientHeard: [String] = []
    var serverHeard: [String] = []
    var clientEnd: ClientSessionEnd?
    var serverEnd: SessionEnd?

    init(
        _ transport: ClientSession.Transport,
        says: EngineRevision,
        takesEither: Bool,
        server: EngineRevision,
        seed: UInt64
    ) {
        let approach = ClientSession.Approach(transport, says, takesEither: takesEither, upgrades: true)
        let (session, actions) = ClientSession.open(approach, now: 0)
        client = session
        serverRevision = server
        random = SplitMix64(seed: seed)
        take(actions)
    }

    mutating func take(_ actions: [ClientSession.Action]) {
        for action in actions {
            switch action {
            case .openSocket: socket = .opening
            case .poll: polls += 1
            case .post(_, let body, let type): posts.append((body, type))
            case .send(let frame): toServer.append(frame)
            case .closeSocket: socket = .none
            case .joined: clientHeard.append("joined")
            case .event(let json): clientHeard.append(String(decoding: json, as: UTF8.self))
            case .ended(let reason): clientEnd = reason
            }
        }
    }

    mutating func take(_ actions: [ServerSession.Action]) {
        for action in actions {
            switch action {
            case .answerPoll(let answer): pollAnswers.append(answer)
            case .answerPost(let answer): postAnswers.append(answer)
            case .send(let frame): toClient.append(frame)
            case .closeSocket: socket = .none
            case .joined, .left: break
            case .event(let json): serverHeard.append(String(decoding: json, as: UTF8.self))
            case .ended(let reason): serverEnd = reason
            }
        }
    }

    /// Performs one pending event, if there is any.
    mutating func step() -> Bool {
        var moves: [(inout Dialogue) -> Void] = []
        if !toClient.isEmpty, socket == .open { moves.append { $0.clientReceives() } }
        if !toServer.isEmpty, socket == .open { moves.append { $0.serverReceives() } }
        if polls > 0 { moves.append { $0.serverIsPolled() } }
        if !posts.isEmpty { moves.append { $0.serverIsPosted() } }
        if !pollAnswers.isEmpty { moves.append { $0.clientIsAnswered() } }
        if !postAnswers.isEmpty { moves.append { $0.clientIsPosted() } }
        if socket == .opening { moves.append { $0.socketOpens() } }
        guard !moves.isEmpty else { return false }
        moves[random.number(below: moves.count)](&self)
        return true
    }

    private mutating func clientReceives() { take(client.received(toClient.removeFirst(), now: now)) }

    private mutating func serverReceives() {
        let frame = toServer.removeFirst()
        guard var server else { return }
        let actions = server.received(frame, now: now)
        self.server = server
        take(actions)
    }

    private mutating func serverIsPolled() {
        polls -= 1
        if server == nil { return open(.polling) }
        guard var server else { return }
        let actions = server.poll(.binary, now: now)
        self.server = server
        take(actions)
    }

    private mutating func serverIsPosted() {
        let (body, type) = posts.removeFirst()
        guard var server else { return }
        let form: PollingFormat = type == "application/octet-stream" ? .binary : .text
        let actions = server.post(body, form, now: now)
        self.server = server
        take(actions)
    }

    private mutating func clientIsAnswered() {
        take(client.polled(Self.answer(pollAnswers.removeFirst()), now: now))
    }

    private mutating func clientIsPosted() {
        take(client.posted(Self.answer(postAnswers.removeFirst()), now: now))
    }

    private mutating func socketOpens() {
        socket = .open
        if var server {
            let actions = server.socketOpened(now: now)
            self.server = server
            take(actions)
        } else {
            open(.websocket)
        }
        take(client.socketOpened(now: now))
    }

    private mutating func open(_ transport: ServerSession.Transport) {
        let (session, actions) = ServerSession.open(
            id: "AbCdEfGhIjKlMnOpQr-_",
            revision: serverRevision,
            transport: transport,
            form: .binary,
            settings: .init(),
            now: now
        )
        server = session
        take(actions)
    }

    private static func answer(_ answer: ServerSession.Answer) -> ClientSession.Answer {
        switch answer {
        case .payload(let body, let type): .success((status: 200, contentType: type, body: body))
        case .ok: .success((status: 200, contentType: "text/html", body: Array("ok".utf8)))
        case .error: .success((status: 400, contentType: "application/json", body: []))
        case .status(let status): .success((status: status, contentType: "", body: []))
        }
    }

    mutating func clientSays(_ text: String) {
        take(client.send(SocketPacket.eventFrame(name: text, argument: []), now: now))
    }

    mutating func serverSays(_ text: String) {
        guard var server else { return }
        let actions = server.send(SocketPacket.eventFrame(name: text, argument: []), now: now)
        self.server = server
        take(actions)
    }
}

@Suite struct ClientDialogueTests {
    struct Meeting: Sendable, CustomTestStringConvertible {
        let transport: ClientSession.Transport
        let says: EngineRevision
        let takesEither: Bool
        let server: EngineRevision

        var testDescription: String {
            "\(transport), says \(says.rawValue)\(takesEither ? ", takes either" : ""), server \(server.rawValue)"
        }
    }

    static let meetings: [Meeting] = [ClientSession.Transport.websocket, .polling].flatMap { transport in
        [
            Meeting(transport: transport, says: .four, takesEither: true, server: .three),
            Meeting(transport: transport, says: .four, takesEither: true, server: .four),
            Meeting(transport: transport, says: .three, takesEither: false, server: .three),
            Meeting(transport: transport, says: .four, takesEither: false, server: .four),
        ]
    }

    @Test(arguments: meetings)
    func `everything arrives once and in order on any network`(meeting: Meeting) {
        var upgraded = 0
        for seed in 0..<300 as Range<UInt64> {
            var dialogue = Dialogue(
                meeting.transport,
                says: meeting.says,
                takesEither: meeting.takesEither,
                server: meeting.server,
                seed: seed
            )
            var clientSaid: [String] = []
            var serverSaid: [String] = ["joined"]
            var steps = 0
            while steps < 3000 {
                steps += 1
                let isTalking = clientSaid.count < 30
                if isTalking, dialogue.client.isJoined, dialogue.random.chance(4) {
                    clientSaid.append(#"["c\#(clientSaid.count) é"]"#)
                    dialogue.clientSays("c\(clientSaid.count - 1) é")
                }
                if isTalking, dialogue.server?.isJoined == true, dialogue.random.chance(4) {
                    serverSaid.append(#"["s\#(serverSaid.count) 😀"]"#)
                    dialogue.serverSays("s\(serverSaid.count - 1) 😀")
                }
                guard !dialogue.step(), dialogue.clientEnd == nil else { continue }
                // Nothing moves; the server may be watched for a moment, as revision 4 without maxPayload needs.
                if clientSaid.count >= 30 { break }
                dialogue.now += 100
                dialogue.take(dialogue.client.tick(now: dialogue.now))
            }
            #expect(dialogue.clientEnd == nil && dialogue.serverEnd == nil)
            #expect(dialogue.clientHeard == serverSaid)
            #expect(dialogue.serverHeard == clientSaid)
            if dialogue.client.isOnWebsocket { upgraded += 1 }
        }
        #expect(upgraded == 300)
    }
}
