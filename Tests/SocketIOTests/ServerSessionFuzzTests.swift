import SeededRandom
import SocketIO
import Testing

/// Random calls with random inputs.
struct ServerSessionFuzzTests {
    private static let texts = [
        "1", "2", "2probe", "3", "5", "6", "40", "41", "40/foo", "42[\"a\",{\"é\":1}]", "421[\"a\"]",
        "451-[\"a\"]", "450-[]",
        "b4AQID", "bAQID",
    ]

    @Test(arguments: EngineRevision.allCases)
    func `no order of calls violates a session's invariants`(revision: EngineRevision) {
        var random = SplitMix64(seed: 41)
        var frames = Fuzz(seed: 42, corpus: Self.texts)
        var bodies = Fuzz(seed: 43, corpus: Self.bodies(revision))
        var ends = 0
        var calls = 0
        while calls < Fuzz.count {
            var run = SessionRun(revision, random.chance(2) ? .polling : .websocket, Self.settings(&random))
            for _ in 0..<200 {
                calls += 1
                run.call(&random, &frames, &bodies)
                if run.hasEnded { ends += 1 }
                if run.hasEnded, random.chance(4) { break }
            }
            if let problem = run.problem {
                Issue.record("\(problem), in \(run.session)")
                return
            }
        }
        #expect(ends > 0)
    }

    private static func bodies(_ revision: EngineRevision) -> [[UInt8]] {
        let packets = texts.compactMap { try? EnginePacket(.text(Array($0.utf8)), revision) }
        return packets.flatMap { packet in
            PollingFormat.allCases.map { PollingPayload.encode([packet, packet], revision, $0) }
        }
    }

    private static func settings(_ random: inout SplitMix64) -> ServerSession.Settings {
        var settings = ServerSession.Settings()
        settings.limits.maximumQueuedPackets = random.chance(2) ? 5 : 10_000
        settings.limits.maximumQueuedBytes = random.chance(2) ? 60 : 8_000_000
        settings.limits.maximumPacketsOfPayload = random.chance(2) ? 2 : 1000
        settings.limits.maximumPacketsOfOwnPayload = random.chance(2) ? 2 : 16
        return settings
    }
}

/// A session under random calls, and the invariants after each.
private struct SessionRun {
    private(set) var session: ServerSession
    private(set) var problem: String?
    private(set) var hasEnded = false
    private let settings: ServerSession.Settings
    private var now = 0
    private var waitingPolls = 0
    private var isJoined = false
    private var hasSocket: Bool

    init(_ revision: EngineRevision, _ transport: ServerSession.Transport, _ settings: ServerSession.Settings)
    {
        let (session, actions) = ServerSession.open(
            id: "AbCdEfGhIjKlMnOpQr-_",
            revision: revision,
            transport: transport,
            form: .text,
            settings: settings,
            now: 0
        )
        self.session = session
        self.settings = settings
        hasSocket = transport == .websocket
        waitingPolls = transport == .polling ? 1 : 0
        check(actions)
        expect(waitingPolls == 0, "the opening poll waits")
    }

    mutating func call(_ random: inout SplitMix64, _ frames: inout Fuzz, _ bodies: inout Fuzz) {
        if random.chance(3) { now += random.number(below: random.chance(10) ? 90_000 : 3000) }
        switch random.number(below: 12) {
        case 0, 1:
            if !hasEnded { waitingPolls += 1 }
            check(session.poll(random.chance(2) ? .text : .binary, now: now))
        case 2:
            waitingPolls = 0
            session.pollWentAway()
        case 3, 4:
            let answers = check(session.post(bodies.next(), random.chance(3) ? .binary : .text, now: now))
            expect(answers.posts == (answers.began ? 0 : 1), "a POST without its one answer")
        case 5:
            let isRefused = hasSocket
            if !hasEnded { hasSocket = true }
            let actions = session.socketOpened(now: now)
            expect(
                actions == (isRefused && !hasEnded ? [.closeSocket] : []),
                "a socket was not met as it should"
            )
        case 6, 7, 8:
            check(
                session.received(random.chance(6) ? .binary(frames.next()) : .text(frames.next()), now: now)
            )
        case 9:
            if random.chance(3) {
                hasSocket = false
                check(session.socketClosed(now: now))
            } else {
                check(session.tick(now: now))
                expect(session.deadline > now, "a deadline that has passed")
            }
        case 10:
            check(session.send(Array("42[\"a\"]".utf8), now: now))
        default:
            if random.chance(40) { check(session.end(.serverStops, now: now)) }
        }
    }

    @discardableResult
    private mutating func check(_ actions: [ServerSession.Action]) -> (posts: Int, began: Bool) {
        let hadEnded = hasEnded
        var posts = 0
        for action in actions {
            expect(!hasEnded, "an action after the end")
            switch action {
            case .answerPoll:
                waitingPolls -= 1
                expect(waitingPolls >= 0, "an answer to no poll")
            case .answerPost: posts += 1
            case .send: expect(hasSocket, "a frame without a socket")
            case .closeSocket:
                expect(hasSocket, "a socket closed twice")
                hasSocket = false
            case .joined:
                expect(!isJoined, "joined twice")
                isJoined = true
            case .left:
                expect(isJoined, "left twice")
                isJoined = false
            case .event: expect(isJoined, "an event of one who has not joined")
            case .ended: hasEnded = true
            }
        }
        expect(!hasEnded || waitingPolls == 0, "the end left a poll waiting")
        expect(!hasEnded || !isJoined, "the end came before the leaving")
        expect(waitingPolls <= 1, "two polls wait")
        expect(session.queuedPackets <= settings.limits.maximumQueuedPackets, "too many packets wait")
        expect(session.queuedBytes <= settings.limits.maximumQueuedBytes, "too many bytes wait")
        expect(session.isDirect == (isJoined && hasSocket && session.transport == .websocket), "direct")
        expect(hasEnded == (session.deadline == .max), "the end and the deadline disagree")
        return (posts, hadEnded)
    }

    private mutating func expect(_ holds: Bool, _ what: String) {
        if !holds, problem == nil { problem = what }
    }
}
