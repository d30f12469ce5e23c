import HTTPListener
import HTTPTypes
import Hummingbird
import NIOCore
import SocketIO
import Threading

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
        let (answer, opened) = try await answer(request, engine, visitor, channel)
        var response = answer.response
        response.headers.append(contentsOf: Self.crossOrigin(request.headers))
        if let id = opened {
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

    /// A session's answer, and the identifier of a new session.
    private typealias PollAnswer = (ServerSession.Answer, opened: String?)

    private nonisolated func answer(
        _ request: Request,
        _ engine: EngineRequest,
        _ visitor: FlareVisitor?,
        _ channel: any Channel
    ) async throws -> PollAnswer {
        if request.method == .options, request.headers[.accessControlRequestMethod] != nil {
            return (.status(204), nil)
        }
        guard let transport = engine.transport else { return (.error(.unknownTransport), nil) }
        guard engine.revision != nil else { return (.error(.unsupportedRevision), nil) }
        guard let id = engine.session else {
            guard request.method == .get, let visitor else { return (.error(.badHandshakeMethod), nil) }
            guard transport == .polling, !engine.isJSONP else { return (.error(.badRequest), nil) }
            return await open(engine, visitor)
        }
        switch request.method {
        case _ where transport == .websocket:
            return (.error(await hasSession(id) ? .badRequest : .unknownSession), nil)
        case .get:
            return (await poll(id, engine.form, channel), nil)
        case .post:
            guard await hasSession(id) else { return (.error(.unknownSession), nil) }
            let body = try await request.body.collect(upTo: settings.engine.limits.maximumPacketBytes)
            let isBinary = request.headers[.contentType]?.hasPrefix("application/octet-stream") == true
            return (await post(id, Array(body.readableBytesView), isBinary ? .binary : .text), nil)
        default:
            return (.error(await hasSession(id) ? .badRequest : .unknownSession), nil)
        }
    }

    private func hasSession(_ id: String) -> Bool { connections[id] != nil }

    // The following methods check inside the continuations, because other calls may run before these.

    private func open(_ request: EngineRequest, _ visitor: FlareVisitor) async -> PollAnswer {
        await withCheckedContinuation { (opened: CheckedContinuation<PollAnswer, Never>) in
            guard
                let (connection, actions) = openSession(
                    request.revision ?? .three,
                    .polling,
                    form: request.form,
                    by: visitor
                )
            else {
                return opened.resume(returning: (.status(503), nil))
            }
            connection.polls.append {
                opened.resume(returning: ($0, connection.session.id))
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
            guard isStillKnown(connection) else { return waiting.resume(returning: .error(.unknownSession)) }
            connection.polls.append { waiting.resume(returning: $0) }
            perform(connection.session.poll(form, now: Self.now), connection)
            let name = ObjectIdentifier(channel)
            connection.pollChannel = name
            channel.onPeerClose { self.onExecutor { $0.pollEnded(id, name) } }
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
            guard isStillKnown(connection) else { return waiting.resume(returning: .error(.unknownSession)) }
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

extension ServerSession.Answer {
    fileprivate var response: Response {
        switch self {
        case .payload(let bytes, let type): RESTResponse(type: type, body: ByteBuffer(bytes: bytes)).response
        case .ok: RESTResponse(type: "text/html", body: ByteBuffer(string: "ok")).response
        case .error(let error):
            RESTResponse(
                status: .badRequest,
                type: EngineHTTPError.contentType,
                body: ByteBuffer(bytes: error.json)
            ).response
        case .status(204): Response(status: .noContent)
        case .status(let code):
            RESTResponse.problem(
                HTTPResponse.Status(code: code),
                code == 503 ? "too many sessions; try again later" : "the session has ended"
            ).response
        }
    }
}
