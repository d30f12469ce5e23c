import HTTPTypes
import NIOCore
import NIOHTTP1
import NIOWebSocket

/// Upgrades requests that a ``WebSocketGate`` admits to WebSockets.
///
/// A request for another protocol, or for a path without WebSockets, is answered as if it had not asked for
/// an upgrade, and the connection is closed: the HTTP decoder reads nothing after such a request.
final class UpgradeHandler: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart
    typealias OutboundIn = HTTPServerResponsePart
    typealias OutboundOut = HTTPServerResponsePart

    private enum State {
        case http
        /// An admitted request that is not complete yet.
        case admitted(HTTPRequestHead)
        case upgraded
        case refused

        var isHTTP: Bool {
            if case .http = self { true } else { false }
        }
    }

    private let gate: (any WebSocketGate)?
    private let policy: AccessPolicy
    private let owner: ConnectionGuard
    private var state = State.http
    private var pendingResponses = 0

    init(_ gate: (any WebSocketGate)?, _ policy: AccessPolicy, _ owner: ConnectionGuard) {
        (self.gate, self.policy, self.owner) = (gate, policy, owner)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch (state, unwrapInboundIn(data)) {
        case (.http, .head(var head)):
            head.normaliseHost()
            // HTTP/1.0 has no upgrade (RFC 9110, 7.8).
            if head.headers.contains(name: "Upgrade") {
                if handleUpgrade(head, context) { return }
                head.headers.remove(name: "Upgrade")
                head.headers.replaceOrAdd(name: "Connection", value: "close")
            }
            pendingResponses += 1
            context.fireChannelRead(wrapInboundOut(.head(head)))
        case (.http, _):
            context.fireChannelRead(data)
        case (.admitted(let head), .end):
            upgrade(head, context)
        case (.admitted, .body):
            refuse(RequestError(.badRequest, "bad_request", "a WebSocket handshake has no body"))
        case (.admitted, .head), (.upgraded, _), (.refused, _):
            break
        }
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        if case .end = unwrapOutboundIn(data) { pendingResponses = max(0, pendingResponses - 1) }
        context.write(data, promise: promise)
    }

    /// Whether the request was handled here.
    private func handleUpgrade(_ head: HTTPRequestHead, _ context: ChannelHandlerContext) -> Bool {
        // A pending answer would be mixed up with WebSocket frames.
        guard let gate, !head.isOld, pendingResponses == 0, head.method == .GET,
            head.lists("websocket", in: "Upgrade"), head.lists("upgrade", in: "Connection")
        else { return false }
        switch gate.admission(of: WebSocketRequest(head, context.channel)) {
        case .noWebSocket: return false
        case .refused(let status, let type, let text):
            state = .refused
            owner.refuse(HTTPResponse.Status(code: status), type, text, fields: Self.fields)
        case .accepted:
            guard head.headers["Host"].count == 1, head.headers.first(name: "Host") != "" else {
                refuse(RequestError(.badRequest, "bad_request", "a request needs exactly one Host header"))
                return true
            }
            let refusal = policy.refusal(
                host: head.headers.first(name: "Host"),
                origin: head.headers.first(name: "Origin"),
                connectedTo: context.channel.localAddress?.ipAddress
            )
            if let refusal { refuse(refusal) } else { state = .admitted(head) }
        }
        return true
    }

    private static let fields = ["Sec-WebSocket-Version: 13"]

    private func refuse(_ problem: RequestError) {
        state = .refused
        owner.refuse(problem, fields: Self.fields)
    }

    /// Answers invalid HTTP here when no earlier request is waiting for its answer.
    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        if error is HTTPParserError, state.isHTTP, owner.canAnswer {
            state = .refused
            if case HTTPParserError.headerOverflow = error {
                owner.refuse(.headTooLong)
            } else {
                owner.refuse(.notHTTP)
            }
        } else {
            context.fireErrorCaught(error)
        }
    }

    private func upgrade(_ head: HTTPRequestHead, _ context: ChannelHandlerContext) {
        // The library's upgrader performs the handshake; the pipeline is built here.
        let handshake = NIOWebSocketServerUpgrader(
            shouldUpgrade: { channel, _ in channel.eventLoop.makeSucceededFuture([:]) },
            upgradePipelineHandler: { channel, _ in channel.eventLoop.makeSucceededVoidFuture() }
        )
        let answer = handshake.buildUpgradeResponse(
            channel: context.channel,
            upgradeRequest: head,
            initialResponseHeaders: [:]
        )
        let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        answer.assumeIsolated().whenComplete { result in
            let (handler, context) = bound.value
            switch result {
            case .success(let headers):
                do {
                    try handler.completeUpgrade(headers, WebSocketRequest(head, context.channel), context)
                } catch {
                    context.close(promise: nil)
                }
            case .failure:
                let message = "not a WebSocket handshake of version 13 (RFC 6455)"
                handler.refuse(RequestError(.badRequest, "bad_request", message))
            }
        }
    }

    private func completeUpgrade(
        _ headers: HTTPHeaders,
        _ request: WebSocketRequest,
        _ context: ChannelHandlerContext
    ) throws {
        guard let gate else { return }
        let head = HTTPResponseHead(version: .http1_1, status: .switchingProtocols, headers: headers)
        context.write(wrapOutboundOut(.head(head)), promise: nil)
        context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
        state = .upgraded
        owner.becameWebSocket()
        let pipeline = context.pipeline.syncOperations
        let maximumMessageBytes = owner.configuration.maximumMessageBytes
        let handler = WebSocketHandler(maximumMessageBytes: maximumMessageBytes)
        let decoder = WebSocketFrameDecoder(maxFrameSize: maximumMessageBytes)
        try pipeline.addHandlers([ByteToMessageHandler(decoder), handler], position: .before(self))
        pipeline.removeHandler(
            context: try pipeline.context(handlerType: HTTPResponseEncoder.self),
            promise: nil
        )
        let socket = WebSocket(handler: NIOLoopBound(handler, eventLoop: context.eventLoop))
        handler.begin(gate.opened(socket, request))
        // Bytes after the request are passed to the new decoder.
        let oldDecoder = try pipeline.context(handlerType: ByteToMessageHandler<HTTPRequestDecoder>.self)
        pipeline.removeHandler(context: oldDecoder, promise: nil)
    }
}

extension HTTPRequestHead {
    /// Whether a list-valued header contains a word.
    fileprivate func lists(_ word: String, in field: String) -> Bool {
        headers[canonicalForm: field].contains { $0.lowercased() == word }
    }
}

extension WebSocketRequest {
    fileprivate init(_ head: HTTPRequestHead, _ channel: any Channel) {
        self.init(
            target: head.uri,
            authorization: head.headers.first(name: "Authorization"),
            peer: channel.remoteAddress?.ipAddress,
            isForwarded: head.headers.contains(name: "Forwarded")
                || head.headers.contains(name: "X-Forwarded-For")
        )
    }
}
