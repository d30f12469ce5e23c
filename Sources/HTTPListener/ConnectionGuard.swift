import HTTPTypes
package import NIOCore
import NIOHTTPTypes

/// Enforces ``ConnectionTiming`` on one connection; bound to the connection's event loop.
final class ConnectionGuard {
    fileprivate var timing: ConnectionTiming
    private var wire: ChannelHandlerContext?
    private var check: Scheduled<Void>?
    private var hasLeft = false
    private var farewell: (() -> Void)?
    private let connections: IdleConnections
    private var isRegisteredAsIdle = false

    init(limits: ConnectionTiming.Limits, among connections: IdleConnections) {
        timing = ConnectionTiming(limits: limits, now: .now())
        self.connections = connections
    }

    fileprivate func begin(on context: ChannelHandlerContext) {
        wire = context
        register(isNew: true)
        look()
    }

    fileprivate func end() {
        check?.cancel()
        check = nil
        if let wire, isRegisteredAsIdle { connections.becameBusy(wire.channel) }
        isRegisteredAsIdle = false
        wire = nil
    }

    /// Reports whether the connection may be closed to make room for another.
    fileprivate func register(isNew: Bool = false) {
        guard let wire, timing.isIdle != isRegisteredAsIdle else { return }
        isRegisteredAsIdle = timing.isIdle
        if isRegisteredAsIdle {
            connections.becameIdle(wire.channel, since: timing.idleSince, isNew: isNew)
        } else {
            connections.becameBusy(wire.channel)
        }
    }

    private func look() {
        guard let wire else { return }
        switch timing.verdict(at: .now()) {
        case .wait(let deadline):
            check = wire.eventLoop.assumeIsolated().scheduleTask(deadline: deadline) { [weak self] in
                self?.look()
            }
        case .rest:
            check = nil
        case .refuse(let status):
            refuse(.timedOut(status))
            look()
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
        if check == nil { look() }
    }

    /// Calls `body` when the peer closes; at once when it has.
    fileprivate var hasPeerLeft: Bool { hasLeft }

    fileprivate func whenPeerLeaves(_ body: @escaping () -> Void) {
        if hasLeft { body() } else { farewell = body }
    }

    fileprivate func peerLeft() {
        hasLeft = true
        let body = farewell
        farewell = nil
        body?()
    }

    /// Whether ``refuse(_:fields:)`` would send an answer before closing.
    var canAnswer: Bool { timing.canInterrupt }

    /// Answers without the HTTP handlers, which have no answer under way, and stops reading.
    /// - Parameter fields: Additional header lines.
    func refuse(_ problem: RequestError, fields: [String] = []) {
        guard let wire else { return }
        guard timing.canInterrupt else {
            wire.close(promise: nil)
            return
        }
        timing.wasRefused(at: .now())
        register()
        let status = problem.status
        let head = [
            "HTTP/1.1 \(status.code) \(status.reasonPhrase)", "Connection: close",
            "Content-Type: \(problem.contentType)", "Content-Length: \(problem.text.utf8.count)",
        ]
        let text = (head + fields).joined(separator: "\r\n") + "\r\n\r\n" + problem.text
        wire.writeAndFlush(NIOAny(ByteBuffer(string: text)), promise: nil)
        wire.close(mode: .output, promise: nil)
        check?.cancel()
        look()
    }
}

/// The part of ``ConnectionGuard`` at the socket, which sees every byte that comes in.
final class ConnectionWireHandler: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    fileprivate let owner: ConnectionGuard

    init(_ owner: ConnectionGuard) {
        self.owner = owner
    }

    func handlerAdded(context: ChannelHandlerContext) {
        owner.begin(on: context)
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        owner.end()
    }

    func channelInactive(context: ChannelHandlerContext) {
        owner.end()
        owner.peerLeft()
        context.fireChannelInactive()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !owner.timing.isRefused else { return }
        owner.timing.bytesArrived(unwrapInboundIn(data).readableBytes, at: .now())
        context.fireChannelRead(data)
        if owner.timing.headIsTooLong, !owner.timing.isRefused { owner.refuse(.headTooLong) }
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        owner.writability(context.channel.isWritable)
        context.fireChannelWritabilityChanged()
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if event as? ChannelEvent == .inputClosed { owner.peerLeft() }
        if event is ChannelShouldQuiesceEvent { owner.timing.stops(at: .now()) }
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
    private let configuration: HTTPListenerConfiguration

    init(_ owner: ConnectionGuard, _ configuration: HTTPListenerConfiguration) {
        self.owner = owner
        self.configuration = configuration
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head):
            let isAlone = owner.timing.canInterrupt
            owner.timing.headWasRead(at: .now())
            owner.register()
            if isAlone { invite(head, context) }
        case .body: break
        case .end: owner.timing.requestWasRead()
        }
        context.fireChannelRead(data)
    }

    /// Answers `Expect: 100-continue` (curl sends it for large bodies), unless the request would be refused.
    private func invite(_ head: HTTPRequest, _ context: ChannelHandlerContext) {
        guard head.headerFields[.expect]?.lowercased() == "100-continue" else { return }
        let length = head.headerFields[.contentLength].map { Int($0) ?? .max } ?? 0
        guard length <= configuration.maximumBodyBytes(of: head.path ?? "") else { return }
        context.writeAndFlush(wrapOutboundOut(.head(HTTPResponse(status: .continue))), promise: nil)
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        switch unwrapOutboundIn(data) {
        case .head(let head) where head.status.kind != .informational: owner.timing.answerBegan()
        case .head, .body: break
        case .end:
            owner.timing.answerEnded(at: .now())
            // The connection may be closed for another only after the answer was handed to the system.
            let sent = promise ?? context.eventLoop.makePromise()
            sent.futureResult.assumeIsolated().whenComplete { [owner] _ in owner.register() }
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
    package func whenPeerLeaves(_ body: @escaping () -> Void) {
        guard let wire = try? pipeline.syncOperations.handler(type: ConnectionWireHandler.self) else {
            body()
            return
        }
        wire.owner.whenPeerLeaves(body)
    }

    /// Whether the peer has closed its side of the connection.
    ///
    /// Must be called on the channel's event loop.
    package var hasPeerLeft: Bool {
        guard let wire = try? pipeline.syncOperations.handler(type: ConnectionWireHandler.self) else {
            return true
        }
        return wire.owner.hasPeerLeft
    }
}
