import NIOCore
import Resolution
import Threading

/// One connection of a resolver: carries out what ``ResolverConnection`` says.
///
/// It is used on its channel's event loop only, which is that of the server.
final class ResolverHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let server: ResolverServer
    private var connection: ResolverConnection
    private var peer: PeerAddress?
    private var context: ChannelHandlerContext?
    private var timer: (due: Int64, task: Scheduled<Void>)?

    init(_ server: ResolverServer) {
        self.server = server
        connection = ResolverConnection(acknowledges: server.configuration.acknowledges, now: server.now)
    }

    var silentSince: Int64 { connection.silentSince }

    func close() { context?.close(promise: nil) }

    // MARK: From the channel

    func channelActive(context: ChannelHandlerContext) {
        self.context = context
        peer = (context.remoteAddress?.ipAddress).flatMap { PeerAddress($0) }
        let (bound, id) = (NIOLoopBound(self, eventLoop: context.eventLoop), ObjectIdentifier(self))
        server.onExecutor { $0.opened(bound, id) }
        perform(connection.opening)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let buffer = unwrapInboundIn(data)
        perform(connection.received(buffer.readableBytesView, now: server.now))
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if event as? ChannelEvent == .inputClosed { perform(connection.peerClosed()) }
    }

    func channelInactive(context: ChannelHandlerContext) {
        self.context = nil
        timer?.task.cancel()
        timer = nil
        let id = ObjectIdentifier(self)
        server.onExecutor { $0.closed(id) }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }

    // MARK: Actions

    private func perform(_ actions: [ResolverConnection.Action]) {
        for action in actions {
            guard let context else { return }
            switch action {
            case .send(let bytes):
                context.writeAndFlush(wrapOutboundOut(ByteBuffer(bytes: bytes)), promise: nil)
            // After what was written.
            case .closeWriting: context.close(mode: .output, promise: nil)
            case .close: context.close(promise: nil)
            case .refused(let refusal): server.onExecutor { $0.record(refusal) }
            case .lookUp(let names): lookUp(names)
            case .update(let update): store(update)
            }
        }
        updateTimer()
    }

    private func lookUp(_ names: [DirectoryCall.Name]) {
        let peer = peer
        let found = server.onExecutor { server in
            Result { () throws(DirectoryRefusal) in try server.lookUp(names, from: peer) }
        }
        switch found {
        case .success(let entries): perform(connection.answered(entries, now: server.now))
        case .failure(let refusal): perform(connection.refuse(refusal, now: server.now))
        }
    }

    private func store(_ update: DirectoryCall.Update) {
        let (peer, bound) = (peer, NIOLoopBound(self, eventLoop: server.loop))
        server.onExecutor { server in
            server.update(update, from: peer) { result in bound.value.stored(update, result) }
        }
    }

    private func stored(_ update: DirectoryCall.Update, _ result: Result<StationAddress, DirectoryRefusal>) {
        switch result {
        case .success(let address): perform(connection.stored(update, address, now: server.now))
        case .failure(let refusal): perform(connection.refuse(refusal, now: server.now))
        }
    }

    private func updateTimer() {
        guard timer?.due != connection.deadline, let context else { return }
        timer?.task.cancel()
        timer = nil
        guard let due = connection.deadline else { return }
        let bound = NIOLoopBound(self, eventLoop: context.eventLoop)
        let task = context.eventLoop.scheduleTask(in: .milliseconds(max(1, due - server.now))) {
            bound.value.tick()
        }
        timer = (due, task)
    }

    private func tick() {
        timer = nil
        perform(connection.tick(now: server.now))
        updateTimer()
    }
}
