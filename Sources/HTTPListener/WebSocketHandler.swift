import NIOCore
import NIOWebSocket

/// One open WebSocket: frames in, frames out, control frames and the end.
///
/// It sits before all HTTP handlers, which see nothing of it but the end of the connection.
final class WebSocketHandler: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = WebSocketFrame
    typealias InboundOut = Never
    typealias OutboundOut = ByteBuffer

    /// What may wait for a peer that takes nothing, bytes.
    private static let patience = 8_000_000
    /// How long a peer may take to close after it was asked to.
    private static let farewell = TimeAmount.seconds(2)

    private var listener: (any WebSocketListener)?
    private var context: ChannelHandlerContext?
    private var waitingBytes = 0
    private var isClosing = false

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

    // MARK: Out

    func write(_ frame: ByteBuffer) {
        guard let context, !isClosing else { return }
        if !context.channel.isWritable {
            waitingBytes += frame.readableBytes
            guard waitingBytes <= Self.patience else {
                context.close(promise: nil)
                return
            }
        }
        context.write(wrapOutboundOut(frame), promise: nil)
    }

    func flush() {
        context?.flush()
    }

    func read(_ isReading: Bool) {
        guard let context else { return }
        // The option cannot fail on an open socket; a closed one needs none.
        try? context.channel.syncOptions?.setOption(.autoRead, value: isReading)
    }

    func close(_ code: UInt16, _ reason: some Collection<UInt8> = []) {
        guard let context, !isClosing else { return }
        let payload = [UInt8(truncatingIfNeeded: code >> 8), UInt8(truncatingIfNeeded: code)] + reason
        write(WebSocketMessage.frame(opcode: 0x8, payload.prefix(125)))
        flush()
        isClosing = true
        // The peer answers with its own close frame, or not at all.
        read(true)
        let channel = context.channel
        context.eventLoop.scheduleTask(in: Self.farewell) { channel.close(promise: nil) }
    }

    // MARK: In

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let frame = unwrapInboundIn(data)
        switch frame.opcode {
        case .text where !isClosing:
            let bytes = Array(frame.unmaskedData.readableBytesView)
            guard bytes.isUTF8 else {
                close(WebSocket.CloseCode.noUTF8.rawValue)
                return
            }
            listener?.received(.text(bytes))
        case .binary where !isClosing:
            listener?.received(.binary(Array(frame.unmaskedData.readableBytesView)))
        case .ping:
            write(WebSocketMessage.frame(opcode: 0xA, frame.unmaskedData.readableBytesView))
            flush()
        case .connectionClose:
            if !isClosing {
                write(WebSocketMessage.frame(opcode: 0x8, frame.unmaskedData.readableBytesView))
                flush()
            }
            end()
            context.close(promise: nil)
        default:
            break
        }
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        if context.channel.isWritable { waitingBytes = 0 }
        context.fireChannelWritabilityChanged()
    }

    func channelInactive(context: ChannelHandlerContext) {
        end()
        context.fireChannelInactive()
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        switch event {
        case is ChannelShouldQuiesceEvent: close(WebSocket.CloseCode.goingAway.rawValue)
        case ChannelEvent.inputClosed: context.close(promise: nil)
        default: break
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        switch error {
        case NIOWebSocketError.invalidFrameLength,
            NIOWebSocketFrameAggregator.Error.accumulatedFrameSizeIsTooLarge,
            NIOWebSocketFrameAggregator.Error.tooManyFragments:
            close(WebSocket.CloseCode.tooBig.rawValue)
        case is NIOWebSocketError, is NIOWebSocketFrameAggregator.Error:
            close(WebSocket.CloseCode.protocolError.rawValue)
        default:
            context.close(promise: nil)
        }
    }

    private func end() {
        let ended = listener
        listener = nil
        ended?.closed()
    }
}

extension [UInt8] {
    fileprivate var isUTF8: Bool {
        allSatisfy { $0 < 0x80 } || String(validating: self, as: UTF8.self) != nil
    }
}
