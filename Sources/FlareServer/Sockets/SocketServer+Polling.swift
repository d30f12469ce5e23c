import Flare
import HTTPListener
import HTTPTypes
import Hummingbird
import NIOCore
import SocketIO

// Engine.IO by plain HTTP.
extension SocketServer {
    /// Answers a request to Engine.IO's path.
    /// - Parameter connection: What the request came by: a poll is given up when it closes.
    nonisolated func respond(to request: Request, on connection: any Channel) async throws -> Response {
        let engine = EngineRequest(target: request.head.path ?? "")
        let answer = try await answer(request, engine, connection)
        var response = answer.response
        response.headers.append(contentsOf: Self.crossOrigin(request.headers))
        if let id = answer.opened {
            response.headers[.setCookie] = "io=\(id); Path=/; HttpOnly; SameSite=Lax"
        }
        response.headers[.cacheControl] = "no-store"
        return response
    }

    /// What a browser wants to see before it lets a page read an answer.
    ///
    /// Which origins may ask at all has been decided by then.
    /// - Source: flare-protocol 3.6; the Fetch standard for what a preflight asks.
    private nonisolated static func crossOrigin(_ asked: HTTPFields) -> HTTPFields {
        guard let origin = asked[.origin] else { return [.accessControlAllowOrigin: "*"] }
        var fields: HTTPFields = [
            .accessControlAllowOrigin: origin, .accessControlAllowCredentials: "true", .vary: "Origin",
        ]
        if asked[.accessControlRequestMethod] != nil {
            fields[.accessControlAllowMethods] = "GET, POST"
            fields[.accessControlAllowHeaders] = asked[.accessControlRequestHeaders]
            fields[.accessControlMaxAge] = "600"
        }
        return fields
    }

    private struct PollAnswer {
        var answer: ServerSession.Answer
        /// The new session, when one was opened.
        var opened: String?

        var response: Response {
            switch answer {
            case .payload(let bytes, let type):
                Response(
                    status: .ok,
                    headers: [.contentType: type],
                    body: ResponseBody(byteBuffer: ByteBuffer(bytes: bytes))
                )
            case .ok:
                Response(
                    status: .ok,
                    headers: [.contentType: "text/html"],
                    body: ResponseBody(byteBuffer: ByteBuffer(string: "ok"))
                )
            case .error(let error):
                Response(
                    status: .badRequest,
                    headers: [.contentType: EngineHTTPError.contentType],
                    body: ResponseBody(byteBuffer: ByteBuffer(bytes: error.json))
                )
            case .status(204):
                Response(status: .noContent)
            case .status(let code):
                RESTResponse.problem(
                    HTTPResponse.Status(code: code),
                    code == 503 ? "there are too many sessions; try again later" : "the session has ended"
                ).response
            }
        }
    }

    private nonisolated func answer(
        _ request: Request,
        _ engine: EngineRequest,
        _ connection: any Channel
    ) async throws -> PollAnswer {
        if request.method == .options, request.headers[.accessControlRequestMethod] != nil {
            return PollAnswer(answer: .status(204))
        }
        guard let transport = engine.transport else { return PollAnswer(answer: .error(.unknownTransport)) }
        guard engine.revision != nil else { return PollAnswer(answer: .error(.unsupportedRevision)) }
        guard let id = engine.session else {
            guard request.method == .get else { return PollAnswer(answer: .error(.badHandshakeMethod)) }
            guard transport == .polling, !engine.isJSONP else {
                return PollAnswer(answer: .error(.badRequest))
            }
            return await open(engine)
        }
        switch request.method {
        case _ where transport == .websocket:
            return PollAnswer(answer: .error(await knows(id) ? .badRequest : .unknownSession))
        case .get:
            return PollAnswer(answer: await poll(id, engine.form, connection))
        case .post:
            guard await knows(id) else { return PollAnswer(answer: .error(.unknownSession)) }
            let body = try await request.body.collect(upTo: settings.engine.limits.maximumPacketBytes)
            let isBinary = request.headers[.contentType]?.hasPrefix("application/octet-stream") == true
            return PollAnswer(
                answer: await post(id, Array(body.readableBytesView), isBinary ? .binary : .text)
            )
        default:
            return PollAnswer(answer: .error(await knows(id) ? .badRequest : .unknownSession))
        }
    }

    private func knows(_ id: String) -> Bool { seats[id] != nil }

    // What follows asks and acts inside the continuations: others may come between a look before and them.

    private func open(_ request: EngineRequest) async -> PollAnswer {
        await withCheckedContinuation { (opened: CheckedContinuation<PollAnswer, Never>) in
            guard let (seat, actions) = seat(request.revision ?? .three, .polling, form: request.form) else {
                return opened.resume(returning: PollAnswer(answer: .status(503)))
            }
            seat.polls.append { opened.resume(returning: PollAnswer(answer: $0, opened: seat.session.id)) }
            carryOut(actions, seat)
        }
    }

    private func poll(_ id: String, _ form: PollingFormat, _ connection: any Channel) async
        -> ServerSession.Answer
    {
        await withCheckedContinuation { waiting in
            guard let seat = seats[id] else { return waiting.resume(returning: .error(.unknownSession)) }
            // What an absent client would get stays for its next poll.
            guard !connection.isPeerClosed else { return waiting.resume(returning: .status(400)) }
            seat.heard = Self.now
            seat.polls.append { waiting.resume(returning: $0) }
            carryOut(seat.session.poll(form, now: Self.now), seat)
            let name = ObjectIdentifier(connection)
            seat.pollConnection = name
            connection.onPeerClose { self.assumeIsolated { $0.pollWentAway(id, name) } }
        }
    }

    /// Who is no longer there cannot fetch what comes: it waits for the next poll.
    private func pollWentAway(_ id: String, _ connection: ObjectIdentifier) {
        guard let seat = seats[id], seat.pollConnection == connection else { return }
        seat.session.pollWentAway()
        for poll in seat.polls { poll(.status(400)) }
        seat.polls = []
    }

    private func post(_ id: String, _ body: [UInt8], _ form: PollingFormat) async -> ServerSession.Answer {
        await withCheckedContinuation { waiting in
            guard let seat = seats[id] else { return waiting.resume(returning: .error(.unknownSession)) }
            seat.heard = Self.now
            guard seat.post == nil else {
                // As the origin does, and so that nobody piles up bodies.
                let end = SessionEnd.protocolError("a second POST while one waits")
                carryOut(seat.session.end(end, now: Self.now), seat)
                return waiting.resume(returning: .status(500))
            }
            seat.post = waiting
            carryOut(seat.session.post(body, form, now: Self.now), seat)
        }
    }
}
