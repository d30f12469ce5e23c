import HTTPTypes
package import NIOCore
import NIOHTTPTypes
import NIOTLS

/// Enforces ``ConnectionTiming`` on one connection; bound to the connection's event loop.
final class ConnectionGuard {
    fileprivate var timing: ConnectionTiming
    /// The target of the request whose body is read, and the beginning of one whose head is.
    private var target: String?
    private var start = RequestStart()
    private var wire: ChannelHandlerContext?
    private var check: Scheduled<Void>?
    /// Whether the peer has closed its side.
    fileprivate var isPeerClosed = false
    private var peerCloseHandler: (() -> Void)?
    let configuration: HTTPListenerConfiguration
    private let connections: IdleConnections
    /// Since when it is registered as one that may be closed for another; `nil` while it is not.
    private var registered: NIODeadline?

    init(_ configuration: HTTPListenerConfiguration, _ connections: IdleConnections) {
        timing = ConnectionTiming(configuration, now: .now())
        (self.configuration, self.connections) = (configuration, connections)
    }

    fileprivate func begin(on context: ChannelHandlerContext) {
        wire = context
        register()
        evaluate()
    }

    fileprivate func end() {
        check?.cancel()
        check = nil
        registerAsBusy()
        wire = nil
    }

    /// Reports whether the connection may be closed to make room for another.
    fileprivate func register() {
        guard let wire, registered != timing.replaceableSince else { return }
        guard let since = timing.replaceableSince else { return registerAsBusy() }
        registered = since
        connections.becameIdle(wire.channel, since: since)
    }

    private func registerAsBusy() {
        guard let wire, registered != nil else { return }
        registered = nil
        connections.becameBusy(wire.channel)
    }

    fileprivate func receivedBytes(_ bytes: ByteBuffer) {
        // Nothing else depends on it.
        if !configuration.areas.isEmpty, !timing.isReadingBody { start.append(bytes) }
        timing.receivedBytes(bytes.readableBytes, at: .now())
    }

    fileprivate func receivedHead(_ head: HTTPRequest) {
        target = head.path
        start.clear()
        timing.receivedHead(at: .now())
        // What came with the head is still to be looked at: most often it is the whole request.
        registerAsBusy()
    }

    fileprivate func receivedEnd() {
        target = nil
        timing.receivedEnd()
        register()
    }

    private func evaluate() {
        guard let wire else { return }
        switch timing.verdict(at: .now()) {
        case .wait(let deadline):
            check = wire.eventLoop.assumeIsolated().scheduleTask(deadline: deadline) { [weak self] in
                self?.evaluate()
            }
        case .none:
            check = nil
        case .refuse(let status):
            refuse(.timedOut(status))
            evaluate()
        case .close:
            wire.close(promise: nil)
        }
    }

    /// The connection became a WebSocket: from now on only writes are supervised.
    func becameWebSocket() {
        timing.becameWebSocket()
        register()
    }

    fileprivate func writability(_ isWritable: Bool) {
        timing.writability(isWritable, at: .now())
        register()
        if check == nil { evaluate() }
    }

    /// Calls `body` when the peer closes; at once when it has.
    fileprivate func onPeerClose(_ body: @escaping () -> Void) {
        if isPeerClosed { body() } else { peerCloseHandler = body }
    }

    fileprivate func peerClosed() {
        isPeerClosed = true
        let body = peerCloseHandler
        peerCloseHandler = nil
        body?()
    }

    /// Whether ``refuse(_:fields:)`` would send an answer before closing.
    var canAnswer: Bool { timing.canRespond }

    /// Answers without the HTTP handlers, which have no answer under way, and stops reading.
    /// - Parameter fields: Additional header lines.
    func refuse(_ problem: RequestError, fields: [String] = []) {
        let text = problem.text(configuration.errorFormat(of: target ?? start.target))
        refuse(problem.status, RequestError.jsonType, text, fields: fields)
    }

    /// As ``refuse(_:fields:)``, with another body.
    func refuse(_ status: HTTPResponse.Status, _ contentType: String, _ body: String, fields: [String]) {
        guard let wire else { return }
        guard timing.canRespond else {
            wire.close(promise: nil)
            return
        }
        let head = [
            "HTTP/1.1 \(status.code) \(status.reasonPhrase)", "Connection: close",
            "Content-Type: \(contentType)", "Content-Length: \(body.utf8.count)",
        ]
        let text = (head + fields).joined(separator: "\r\n") + "\r\n\r\n" + body
        wire.writeAndFlush(NIOAny(ByteBuffer(string: text)), promise: nil)
        endInput()
    }

    /// Discards what the peer still sends, and closes.
    fileprivate func endInput() {
        guard let wire, !timing.isRefused else { return }
        timing.refused(at: .now())
        register()
        wire.close(mode: .output, promise: nil)
        check?.cancel()
        evaluate()
    }
}

/// The part of ``ConnectionGuard`` at the socket, which sees every byte that comes in.
final class ConnectionWireHandler: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    fileprivate let owner: ConnectionGuard

    init(_ owner: ConnectionGuard) { self.owner = owner }

    func handlerAdded(context: ChannelHandlerContext) { owner.begin(on: context) }

    func handlerRemoved(context: ChannelHandlerContext) { owner.end() }

    func channelInactive(context: ChannelHandlerContext) {
        owner.end()
        owner.peerClosed()
        context.fireChannelInactive()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !owner.timing.isRefused else { return }
        owner.receivedBytes(unwrapInboundIn(data))
        context.fireChannelRead(data)
        if owner.timing.isHeadTooLong, !owner.timing.isRefused { owner.refuse(.headTooLong) }
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        owner.register()
        context.fireChannelReadComplete()
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        owner.writability(context.channel.isWritable)
        context.fireChannelWritabilityChanged()
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if event as? ChannelEvent == .inputClosed { owner.peerClosed() }
        if event is ChannelShouldQuiesceEvent { owner.timing.shutdownStarted(at: .now()) }
        if case .handshakeCompleted? = event as? TLSUserEvent { owner.timing.handshakeCompleted() }
        if owner.timing.isRefused, event as? ChannelEvent == .inputClosed {
            context.close(promise: nil)
        } else {
            context.fireUserInboundEventTriggered(event)
        }
    }
}

/// The part of ``ConnectionGuard`` after the HTTP decoder, which sees requests and answers.
final class ConnectionPartHandler: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    private let owner: ConnectionGuard
    /// Whether the connection ends with the response under way.
    private var endsConnection = false

    init(_ owner: ConnectionGuard) { self.owner = owner }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head):
            let isAlone = owner.timing.canRespond
            owner.receivedHead(head)
            if isAlone { answerExpectContinue(head, context) }
        case .body: break
        case .end: owner.receivedEnd()
        }
        context.fireChannelRead(data)
    }

    /// Answers `Expect: 100-continue` (curl sends it for large bodies), unless the request would be refused.
    private func answerExpectContinue(_ head: HTTPRequest, _ context: ChannelHandlerContext) {
        guard head.headerFields[.expect]?.lowercased() == "100-continue" else { return }
        let length = head.headerFields[.contentLength].map { Int($0) ?? .max } ?? 0
        guard length <= owner.configuration.maximumBodyBytes(of: head.path ?? "") else { return }
        context.writeAndFlush(wrapOutboundOut(.head(HTTPResponse(status: .continue))), promise: nil)
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        switch unwrapOutboundIn(data) {
        case .head(var head) where head.status.kind != .informational:
            owner.timing.responseStarted()
            // The end of a body that is too large is not awaited.
            endsConnection = head.status == .contentTooLarge && owner.timing.isReadingBody
            guard endsConnection else { break }
            head.headerFields[.connection] = "close"
            context.write(wrapOutboundOut(.head(head)), promise: promise)
            return
        case .head, .body: break
        case .end:
            owner.timing.responseEnded(at: .now())
            // The connection may be closed for another only after the answer was handed to the system.
            let sent = promise ?? context.eventLoop.makePromise()
            sent.futureResult.assumeIsolated().whenComplete { [owner, endsConnection] _ in
                owner.timing.responseSent()
                owner.register()
                if endsConnection { owner.endInput() }
            }
            context.write(data, promise: sent)
            return
        }
        context.write(data, promise: promise)
    }
}

extension Channel {
    /// Calls `body` when the peer of a listener's connection closes it, or its half of it; at once when it
    /// already has.
    ///
    /// Used to cancel requests with a delayed answer, which nobody would read. Replaces an earlier call. Must
    /// be called on the connection's event loop.
    package func onPeerClose(_ body: @escaping () -> Void) {
        if let connectionGuard { connectionGuard.onPeerClose(body) } else { body() }
    }

    /// Whether the peer has closed its side of the connection.
    ///
    /// Must be called on the channel's event loop.
    package var isPeerClosed: Bool { connectionGuard?.isPeerClosed ?? true }

    private var connectionGuard: ConnectionGuard? {
        try? pipeline.syncOperations.handler(type: ConnectionWireHandler.self).owner
    }
}
