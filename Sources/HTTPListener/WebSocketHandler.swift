import NIOCore
import NIOWebSocket

/// An open WebSocket: frames, control frames and the close handshake.
///
/// It precedes all HTTP handlers, which see only the end of the connection.
final class WebSocketHandler: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = WebSocketFrame
    typealias InboundOut = Never
    typealias OutboundOut = ByteBuffer

    /// Most bytes queued for a peer that does not read.
    private static let maximumQueuedBytes = 8_000_000
    /// Most bytes that are not flushed.
    private static let flushingBytes = 65_536
    /// How long a peer may take for the close handshake.
    private static let closeTimeout = TimeAmount.seconds(1)

    private var listener: (any WebSocketListener)?
    private var context: ChannelHandlerContext?
    private var assembly: WebSocketAssembly
    private var writtenBytes = 0
    private var unflushedBytes = 0
    private var isClosing = false

    init(maximumMessageBytes: Int) {
        assembly = WebSocketAssembly(maximumBytes: maximumMessageBytes)
    }

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        end()
        self.context = nil
    }

    func begin(_ listener: any WebSocketListener) {
        self.listener = listener
    }

    // MARK: Output

    func write(_ frame: ByteBuffer) {
        guard let context, !isClosing else { return }
        writtenBytes = waitingBytes + frame.readableBytes
        guard writtenBytes <= Self.maximumQueuedBytes else { return abort() }
        context.write(wrapOutboundOut(frame), promise: nil)
        // What the peer reads at once does not wait for it.
        unflushedBytes += frame.readableBytes
        if unflushedBytes > Self.flushingBytes { flush() }
    }

    /// At most the bytes that wait for a peer that does not read; 0 while only little does.
    var waitingBytes: Int {
        guard let context, !isClosing, !context.channel.isWritable else { return 0 }
        return writtenBytes
    }

    func flush() {
        unflushedBytes = 0
        context?.flush()
    }

    func setAutoRead(_ isReading: Bool) {
        guard let context else { return }
        // The option cannot fail on an open socket, and a closed one does not need it.
        try? context.channel.syncOptions?.setOption(.autoRead, value: isReading)
    }

    func close(_ code: WebSocket.CloseCode) {
        guard let context, !isClosing else { return }
        let payload = [
            UInt8(truncatingIfNeeded: code.rawValue >> 8), UInt8(truncatingIfNeeded: code.rawValue),
        ]
        write(WebSocketMessage.frame(opcode: 0x8, payload))
        flush()
        isClosing = true
        // The peer answers with its own close frame, or not at all.
        setAutoRead(true)
        let channel = context.channel
        context.eventLoop.scheduleTask(in: Self.closeTimeout) { channel.close(promise: nil) }
    }

    /// Closes at once; what was written and not sent is dropped.
    func abort() {
        isClosing = true
        context?.close(promise: nil)
    }

    /// Closes after a protocol error without awaiting the peer's answer; its further input is discarded, so
    /// that it can read the reason.
    private func fail(_ code: WebSocket.CloseCode) {
        guard !isClosing else { return }
        close(code)
        context?.close(mode: .output, promise: nil)
    }

    // MARK: Input

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let frame = unwrapInboundIn(data)
        guard frame.maskKey != nil, !frame.rsv1, !frame.rsv2, !frame.rsv3 else {
            fail(.protocolError)
            return
        }
        do throws(WebSocket.CloseCode) {
            switch frame.opcode {
            case .text, .binary, .continuation:
                guard !isClosing, let message = try assembly.append(frame) else { return }
                listener?.received(message)
            case .ping:
                write(WebSocketMessage.frame(opcode: 0xA, frame.unmaskedData.readableBytesView))
                flush()
            case .pong:
                break
            case .connectionClose:
                if !isClosing { try WebSocketAssembly.validateClose(frame) }
                write(WebSocketMessage.frame(opcode: 0x8, frame.unmaskedData.readableBytesView))
                flush()
                end()
                context.close(promise: nil)
            default:
                throw .protocolError
            }
        } catch {
            fail(error)
        }
    }

    func channelInactive(context: ChannelHandlerContext) {
        end()
        context.fireChannelInactive()
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        switch event {
        case is ChannelShouldQuiesceEvent: close(.goingAway)
        case ChannelEvent.inputClosed: context.close(promise: nil)
        default: break
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        switch error {
        case NIOWebSocketError.invalidFrameLength: fail(.messageTooBig)
        case is NIOWebSocketError: fail(.protocolError)
        case is ByteToMessageDecoderError where isClosing: break
        default: context.close(promise: nil)
        }
    }

    /// Deferred, because the listener's own write or flush may have caused the end.
    private func end() {
        guard let ended = listener else { return }
        listener = nil
        context?.eventLoop.assumeIsolated().execute { ended.closed() }
    }
}
