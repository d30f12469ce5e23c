import NIOCore
import NIOWebSocket
import SocketIO
import Threading

/// Passes the messages of a WebSocket to and from the driver.
final class WebSocketHandler: ChannelInboundHandler {
    typealias InboundIn = WebSocketFrame
    typealias OutboundOut = WebSocketFrame

    private let driver: FlareDriver
    private let attempt: Int

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
        driver.onExecutor { [attempt] in $0.socketReceived(frame, attempt) }
    }

    private func send(_ opcode: WebSocketOpcode, _ data: ByteBuffer, _ context: ChannelHandlerContext) {
        let frame = WebSocketFrame(fin: true, opcode: opcode, maskKey: .random(), data: data)
        context.writeAndFlush(wrapOutboundOut(frame), promise: nil)
    }

    // MARK: The end

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        context.close(promise: nil)
    }

    func channelInactive(context: ChannelHandlerContext) {
        driver.onExecutor { [attempt] in $0.socketClosed(.connectionClosed, attempt) }
        context.fireChannelInactive()
    }
}
