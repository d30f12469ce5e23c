import HummingbirdCore
import Logging
import NIOCore
import NIOHTTP1
import NIOHTTPTypes
import NIOHTTPTypesHTTP1
import NIOSSL

/// The pipeline of a connection: TLS if configured, then HTTP/1.1 between the two parts of a ``ConnectionGuard``, or a
/// WebSocket.
struct ListenerChannel: HTTPChannelHandler {
    typealias Value = NIOAsyncChannel<HTTPRequestPart, HTTPResponsePart>

    let configuration: HTTPListenerConfiguration
    let policy: AccessPolicy
    let gate: (any WebSocketGate)?
    let immediate: (any ImmediateResponder)?
    let connections: IdleConnections
    let tls: ListenerTLS?
    let responder: HTTPChannelHandler.Responder

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Value> {
        channel.eventLoop.makeCompletedFuture {
            let pipeline = channel.pipeline.syncOperations
            let owner = ConnectionGuard(configuration, connections)
            var limits = NIOHTTPDecoderLimitConfiguration()
            limits.maxHeaderFieldSize = configuration.maximumHeadBytes
            limits.maxHeaderListSize = configuration.maximumHeadBytes
            limits.maxHeaderFieldCount = 100
            let decoder = HTTPRequestDecoder(leftOverBytesStrategy: .forwardBytes, limitConfiguration: limits)
            if let tls {
                try pipeline.addHandlers([
                    PlaintextRefusal(), NIOSSLServerHandler(context: tls.context(at: .now())),
                ])
            }
            try pipeline.addHandlers([
                ConnectionWireHandler(owner),
                HTTPResponseEncoder(),
                ByteToMessageHandler(decoder),
                UpgradeHandler(gate, policy, owner),
                PersistenceHandler(),
                HTTP1ToHTTPServerCodec(secure: tls != nil),
                ConnectionPartHandler(owner),
            ])
            if let immediate {
                try pipeline.addHandler(ImmediateResponseHandler(immediate, policy: policy))
            }
            try pipeline.addHandler(HTTPConnectionStateHandler(logger: logger))
            return try NIOAsyncChannel(
                wrappingChannelSynchronously: channel,
                configuration: .init(isOutboundHalfClosureEnabled: true)
            )
        }
    }

    func handle(value: Value, logger: Logger) async {
        await handleHTTP(asyncChannel: value, logger: logger)
    }
}
