import NIOCore
import NIOWebSocket
import SocketIO

/// Passes the messages of a WebSocket to and from the driver.
final class WebSocketHandler: ChannelDuplexHandler {
    typealias InboundIn = WebSocketFrame
    typealias OutboundIn = WebSocketFrame
    typealias OutboundOut = WebSocketFrame

    /// The outbound event that pauses reading.
    struct PauseReading: Sendable { let milliseconds: Int }

    private let driver: FlareDriver
    private let attempt: Int
    private var isPaused = false
    private var wantsToRead = false

    init(driver: FlareDriver, attempt: Int) {
        self.driver = driver
        self.attempt = attempt
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let frame = unwrapInboundIn(data)
        switch frame.opcode {
        case .text: deliver(.text(Array(frame.unmaskedData.readableBytesView)))
        case .binary: deliver(.binary(Array(frame.unmaskedData.readableBytesView)))
        case .ping: send(.pong, frame.unmaskedData, context)
        case .connectionClose:
            send(.connectionClose, frame.unmaskedData, context)
            context.close(promise: nil)
        default: break
        }
    }

    private func deliver(_ frame: EngineFrame) {
        driver.assumeIsolated { [attempt] in $0.socketReceived(frame, attempt) }
    }

    private func send(_ opcode: WebSocketOpcode, _ data: ByteBuffer, _ context: ChannelHandlerContext) {
        let frame = WebSocketFrame(fin: true, opcode: opcode, maskKey: .random(), data: data)
        context.writeAndFlush(wrapOutboundOut(frame), promise: nil)
    }

    // MARK: Pauses

    func read(context: ChannelHandlerContext) {
        if isPaused { wantsToRead = true } else { context.read() }
    }

    func triggerUserOutboundEvent(
        context: ChannelHandlerContext,
        event: Any,
        promise: EventLoopPromise<Void>?
    ) {
        guard let pause = event as? PauseReading else {
            return context.triggerUserOutboundEvent(event, promise: promise)
        }
        promise?.succeed()
        guard !isPaused else { return }
        isPaused = true
        let handler = NIOLoopBound(self, eventLoop: context.eventLoop)
        let bound = NIOLoopBound(context, eventLoop: context.eventLoop)
        context.eventLoop.scheduleTask(in: .milliseconds(Int64(pause.milliseconds))) {
            handler.value.resumeReading(bound.value)
        }
    }

    private func resumeReading(_ context: ChannelHandlerContext) {
        isPaused = false
        guard wantsToRead else { return }
        wantsToRead = false
        context.read()
    }

    // MARK: The end

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        context.close(promise: nil)
    }

    func channelInactive(context: ChannelHandlerContext) {
        driver.assumeIsolated { [attempt] in $0.socketClosed(attempt) }
        context.fireChannelInactive()
    }
}
