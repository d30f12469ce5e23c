import NIOCore
import NIOHTTP1

/// Decides after which response a connection ends, and speaks HTTP/1.0 with those who do.
///
/// A client of HTTP/1.0, such as nginx by default, gets no chunks and no interim responses, and its connection ends with
/// the response unless it asks to keep it. A response without a known length ends it in any case. Each response says
/// what becomes of the connection.
/// - Source: RFC 9112, 6.1, 6.3, 9.3 and 9.6.
final class PersistenceHandler: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart
    typealias OutboundIn = HTTPServerResponsePart
    typealias OutboundOut = HTTPServerResponsePart

    private struct Exchange {
        /// Whether the client speaks HTTP/1.0.
        let isOld: Bool
        let isHead: Bool
        let keepsConnection: Bool
    }

    /// Requests without a complete response.
    private var pending = CircularBuffer<Exchange>()
    /// Whether the response under way has no other end than that of the connection, although the request wanted to keep it.
    private var endsConnection = false
    /// Whether the last request of the connection was read.
    private var isLast = false
    /// Whether what comes belongs to no request that is answered.
    private var isDiscarding = false

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard case .head(var head) = unwrapInboundIn(data) else {
            if !isDiscarding { context.fireChannelRead(data) }
            return
        }
        guard !isLast else {
            isDiscarding = true
            return
        }
        let exchange = Exchange(
            isOld: head.isOld,
            isHead: head.method == .HEAD,
            keepsConnection: head.keepsConnection
        )
        pending.append(exchange)
        guard !exchange.keepsConnection else { return context.fireChannelRead(data) }
        isLast = true
        // In the one form that the server looks for.
        head.headers.replaceOrAdd(name: "Connection", value: "close")
        context.fireChannelRead(wrapInboundOut(.head(head)))
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        switch unwrapOutboundIn(data) {
        case .head(var head):
            guard let exchange = pending.first else { break }
            if head.status.isInformational {
                if exchange.isOld { promise?.succeed() } else { context.write(data, promise: promise) }
                return
            }
            let isFramed = exchange.isHead || !exchange.isOld || head.hasKnownLength
            endsConnection = exchange.keepsConnection && !isFramed
            let isKept = exchange.keepsConnection && !endsConnection
            // The head is of HTTP/1.1 as it comes, in which connections stay.
            if isKept, !exchange.isOld { break }
            head.version = exchange.isOld ? .http1_0 : .http1_1
            head.headers.replaceOrAdd(name: "Connection", value: isKept ? "keep-alive" : "close")
            context.write(wrapOutboundOut(.head(head)), promise: promise)
            return
        case .body: break
        case .end:
            _ = pending.popFirst()
            guard endsConnection else { break }
            isLast = true
            pending.removeAll()
            let sent = promise ?? context.eventLoop.makePromise()
            sent.futureResult.assumeIsolated().whenComplete { _ in
                context.close(mode: .output, promise: nil)
            }
            context.write(data, promise: sent)
            return
        }
        context.write(data, promise: promise)
    }
}

extension HTTPRequestHead {
    /// Whether the client speaks HTTP/1.0.
    var isOld: Bool { (version.major, version.minor) < (1, 1) }

    /// Whether the client wants to keep the connection after the response, and framed its request so that it can.
    fileprivate var keepsConnection: Bool {
        let options = headers[canonicalForm: "Connection"].map { $0.lowercased() }
        guard !options.contains("close") else { return false }
        return !isOld || options.contains("keep-alive") && !headers.contains(name: "Transfer-Encoding")
    }
}

extension HTTPResponseHead {
    /// Whether the end of the body is known without the end of the connection.
    fileprivate var hasKnownLength: Bool {
        headers.contains(name: "Content-Length") || !status.mayHaveResponseBody
    }
}

extension HTTPResponseStatus {
    fileprivate var isInformational: Bool { (100..<200).contains(code) }
}
