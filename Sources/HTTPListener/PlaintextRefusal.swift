import NIOCore

/// Tells a client that speaks plain HTTP to a TLS port what to do; stands before the TLS handler.
///
/// Every TLS connection begins with a handshake record, whose first byte is 22; that of a request is a letter.
/// - Source: RFC 8446 5.1.
final class PlaintextRefusal: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private static let handshakeRecord: UInt8 = 22
    private static let advice = "this port speaks TLS; use an address that begins with https://\n"
    private static let answer =
        "HTTP/1.1 400 Bad Request\r\nConnection: close\r\nContent-Type: text/plain; charset=utf-8\r\n"
        + "Content-Length: \(advice.utf8.count)\r\n\r\n" + advice

    private var isRefused = false

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let bytes = unwrapInboundIn(data)
        // What follows is discarded; the time limit of the handshake closes the connection if the peer does not.
        guard !isRefused, let first = bytes.getInteger(at: bytes.readerIndex, as: UInt8.self) else { return }
        guard first != Self.handshakeRecord else {
            context.fireChannelRead(data)
            context.pipeline.syncOperations.removeHandler(context: context, promise: nil)
            return
        }
        isRefused = true
        context.writeAndFlush(wrapOutboundOut(ByteBuffer(string: Self.answer)), promise: nil)
        context.close(mode: .output, promise: nil)
    }
}
