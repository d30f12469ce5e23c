import NIOCore
import NIOHTTP1
import NIOWebSocket
import SocketIO

/// Opens a WebSocket.
/// - Source: RFC 6455, section 4.1.
struct WebSocketOpening: Sendable {
    let endpoint: Endpoint
    /// Path and query.
    let target: String
    let maximumMessageBytes: Int

    /// - Parameter handle: Called on the loop when the WebSocket is open, before its first message.
    /// - Returns: A future that fails with a `ClientSessionEnd`.
    func open(
        on loop: any EventLoop,
        connected: @escaping @Sendable (any Channel) -> Void,
        handle: @escaping @Sendable (any Channel) throws -> Void
    ) -> EventLoopFuture<Void> {
        endpoint.connect(on: loop) { try initialize($0, handle: handle) }
            .flatMapErrorThrowing { throw ClientSessionEnd.unreachable(endpoint.message(for: $0)) }
            .flatMap { channel in
                connected(channel)
                do {
                    let handler = try channel.pipeline.syncOperations.handler(
                        type: NIOTypedHTTPClientUpgradeHandler<Bool>.self
                    )
                    return handler.upgradeResultFuture.flatMapThrowing { isOpen in
                        if !isOpen { throw ClientSessionEnd.connectionClosed }
                    }.flatMapErrorThrowing { error in
                        let status = try? channel.pipeline.syncOperations.handler(
                            type: UpgradeStatusRecorder.self
                        )
                        .status
                        channel.close(promise: nil)
                        if let status { throw ClientSessionEnd.refused(status: status, "no WebSocket") }
                        if error is ClientSessionEnd { throw error }
                        if let error = error as? NIOHTTPClientUpgradeError {
                            throw ClientSessionEnd.malformed("no WebSocket: \(error)")
                        }
                        if error is HTTPParserError {
                            throw ClientSessionEnd.malformed("invalid HTTP: \(error)")
                        }
                        if error is ChannelError { throw ClientSessionEnd.connectionClosed }
                        throw ClientSessionEnd.unreachable(endpoint.message(for: error))
                    }
                } catch {
                    channel.close(promise: nil)
                    return loop.makeFailedFuture(ClientSessionEnd.connectionClosed)
                }
            }
    }

    private func initialize(
        _ channel: any Channel,
        handle: @escaping @Sendable (any Channel) throws -> Void
    ) throws {
        let maximumMessageBytes = maximumMessageBytes
        let upgrader = NIOTypedWebSocketClientUpgrader<Bool>(
            maxFrameSize: maximumMessageBytes,
            enableAutomaticErrorHandling: false
        ) { channel, _ in
            channel.eventLoop.makeCompletedFuture {
                let aggregator = NIOWebSocketFrameAggregator(
                    minNonFinalFragmentSize: 0,
                    maxAccumulatedFrameCount: 10_000,
                    maxAccumulatedFrameSize: maximumMessageBytes
                )
                try channel.pipeline.syncOperations.addHandler(aggregator)
                try handle(channel)
                return true
            }
        }
        var head = HTTPRequestHead(version: .http1_1, method: .GET, uri: target)
        head.headers.add(name: "Host", value: endpoint.configuration.authority)
        for header in endpoint.configuration.headers {
            head.headers.replaceOrAdd(name: header.name, value: header.value)
        }
        let upgrade = NIOTypedHTTPClientUpgradeConfiguration(
            upgradeRequestHead: head,
            upgraders: [upgrader],
            notUpgradingCompletionHandler: { $0.eventLoop.makeSucceededFuture(false) }
        )
        let encoder = HTTPRequestEncoder()
        // Bytes after the 101 response belong to the WebSocket.
        let decoder = ByteToMessageHandler(HTTPResponseDecoder(leftOverBytesStrategy: .forwardBytes))
        let recorder = UpgradeStatusRecorder()
        let upgradeHandler = NIOTypedHTTPClientUpgradeHandler(
            httpHandlers: [encoder, decoder, recorder],
            upgradeConfiguration: upgrade
        )
        try channel.pipeline.syncOperations.addHandlers([encoder, decoder, recorder, upgradeHandler])
    }
}

/// Records the status of a refused upgrade.
private final class UpgradeStatusRecorder: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPClientResponsePart

    private(set) var status: Int?

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        if case .head(let head) = unwrapInboundIn(data), head.status != .switchingProtocols {
            status = Int(head.status.code)
        }
        context.fireChannelRead(data)
    }
}
