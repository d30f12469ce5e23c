import HTTPListener
import HTTPTypes
import Hummingbird
import NIOCore
import SocketIO

// Engine.IO over HTTP polling.
extension SocketServer {
    /// Responds to a request to the path of Engine.IO.
    /// - Parameter channel: The request's connection; a poll ends when it closes.
    nonisolated func respond(
        to request: Request,
        by visitor: FlareVisitor?,
        on channel: any Channel
    ) async throws -> Response {
        let engine = EngineRequest(target: request.head.path ?? "")
        let answer = try await answer(request, engine, visitor, channel)
        var response = answer.response
        response.headers.append(contentsOf: Self.crossOrigin(request.headers))
        if let id = answer.opened {
            response.headers[.setCookie] = "io=\(id); Path=/; HttpOnly; SameSite=Lax"
        }
        response.headers[.cacheControl] = "no-store"
        return response
    }

    /// The CORS headers of a response; the origin is already checked.
    /// - Source: contrib/contract/flare-protocol.md, "3.6 Errors and CORS"; the Fetch standard for preflight
    ///   requests.
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
        /// The identifier of a new session.
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
                    code == 503 ? "too many sessions; try again later" : "the session has ended"
                ).response
            }
        }
    }

    private nonisolated func answer(
        _ request: Request,
        _ engine: EngineRequest,
        _ visitor: FlareVisitor?,
        _ channel: any Channel
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
            return await open(engine, visitor)
        }
        switch request.method {
        case _ where transport == .websocket:
            return PollAnswer(answer: .error(await hasSession(id) ? .badRequest : .unknownSession))
        case .get:
            return PollAnswer(answer: await poll(id, engine.form, channel))
        case .post:
            guard await hasSession(id) else { return PollAnswer(answer: .error(.unknownSession)) }
            let body = try await request.body.collect(upTo: settings.engine.limits.maximumPacketBytes)
            let isBinary = request.headers[.contentType]?.hasPrefix("application/octet-stream") == true
            return PollAnswer(
                answer: await post(id, Array(body.readableBytesView), isBinary ? .binary : .text)
            )
        default:
            return PollAnswer(answer: .error(await hasSession(id) ? .badRequest : .unknownSession))
        }
    }

    private func hasSession(_ id: String) -> Bool { connections[id] != nil }

    // The following methods check inside the continuations, because other calls may run before these.

    private func open(_ request: EngineRequest, _ visitor: FlareVisitor?) async -> PollAnswer {
        await withCheckedContinuation { (opened: CheckedContinuation<PollAnswer, Never>) in
            guard
                let (connection, actions) = openSession(
                    request.revision ?? .three,
                    .polling,
                    form: request.form,
                    by: visitor
                )
            else {
                return opened.resume(returning: PollAnswer(answer: .status(503)))
            }
            connection.polls.append {
                opened.resume(returning: PollAnswer(answer: $0, opened: connection.session.id))
            }
            perform(actions, connection)
        }
    }

    private func poll(_ id: String, _ form: PollingFormat, _ channel: any Channel) async
        -> ServerSession.Answer
    {
        await withCheckedContinuation { waiting in
            guard let connection = connections[id] else {
                return waiting.resume(returning: .error(.unknownSession))
            }
            // The messages stay queued for the next poll.
            guard !channel.isPeerClosed else { return waiting.resume(returning: .status(400)) }
            connection.lastReceived = Self.now
            connection.polls.append { waiting.resume(returning: $0) }
            perform(connection.session.poll(form, now: Self.now), connection)
            let name = ObjectIdentifier(channel)
            connection.pollChannel = name
            channel.onPeerClose { self.assumeIsolated { $0.pollEnded(id, name) } }
        }
    }

    /// Ends the poll of a closed connection; messages wait for the next poll.
    private func pollEnded(_ id: String, _ channel: ObjectIdentifier) {
        guard let connection = connections[id], connection.pollChannel == channel else { return }
        connection.session.pollWentAway()
        for poll in connection.polls { poll(.status(400)) }
        connection.polls = []
    }

    private func post(_ id: String, _ body: [UInt8], _ form: PollingFormat) async -> ServerSession.Answer {
        await withCheckedContinuation { waiting in
            guard let connection = connections[id] else {
                return waiting.resume(returning: .error(.unknownSession))
            }
            connection.lastReceived = Self.now
            guard connection.post == nil else {
                // As in the original server; it also bounds the pending bodies.
                let end = SessionEnd.protocolError("a second POST while one is pending")
                perform(connection.session.end(end, now: Self.now), connection)
                return waiting.resume(returning: .status(500))
            }
            connection.post = waiting
            perform(connection.session.post(body, form, now: Self.now), connection)
        }
    }
}
