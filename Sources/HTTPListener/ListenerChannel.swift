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

    let responder: HTTPChannelHandler.Responder
    private let gate: (any WebSocketGate)?
    private let immediate: (any ImmediateResponder)?
    private let policy: AccessPolicy
    private let limits: ConnectionTiming.Limits
    private let decoderLimits: NIOHTTPDecoderLimitConfiguration
    private let configuration: HTTPListenerConfiguration
    private let connections: IdleConnections
    private let tls: ListenerTLS?

    init(
        _ configuration: HTTPListenerConfiguration,
        gate: (any WebSocketGate)?,
        immediate: (any ImmediateResponder)?,
        connections: IdleConnections,
        tls: ListenerTLS?,
        responder: @escaping HTTPChannelHandler.Responder
    ) {
        self.responder = responder
        self.gate = gate
        self.immediate = immediate
        policy = AccessPolicy(configuration)
        self.connections = connections
        self.tls = tls
        limits = ConnectionTiming.Limits(
            handshake: TimeAmount(bounded: configuration.handshakeTimeout),
            first: TimeAmount(bounded: configuration.firstRequestTimeout),
            head: TimeAmount(bounded: configuration.headTimeout),
            body: TimeAmount(bounded: configuration.bodyTimeout),
            idle: TimeAmount(bounded: configuration.idleTimeout),
            send: TimeAmount(bounded: configuration.sendTimeout),
            headBytes: configuration.maximumHeadBytes
        )
        self.configuration = configuration
        var decoderLimits = NIOHTTPDecoderLimitConfiguration()
        decoderLimits.maxHeaderFieldSize = configuration.maximumHeadBytes
        decoderLimits.maxHeaderListSize = configuration.maximumHeadBytes
        decoderLimits.maxHeaderFieldCount = 100
        self.decoderLimits = decoderLimits
    }

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Value> {
        channel.eventLoop.makeCompletedFuture {
            let pipeline = channel.pipeline.syncOperations
            let owner = ConnectionGuard(
                limits: limits,
                isSecure: tls != nil,
                connections: connections,
                errorFormat: configuration.errorFormat
            )
            let decoder = HTTPRequestDecoder(
                leftOverBytesStrategy: .forwardBytes,
                limitConfiguration: decoderLimits
            )
            let upgrade = UpgradeHandler(
                gate: gate,
                policy: policy,
                owner: owner,
                maximumMessageBytes: configuration.maximumMessageBytes
            )
            if let tls {
                try pipeline.addHandlers([
                    PlaintextRefusal(), NIOSSLServerHandler(context: tls.context(at: .now())),
                ])
            }
            try pipeline.addHandlers([
                ConnectionWireHandler(owner),
                HTTPResponseEncoder(),
                ByteToMessageHandler(decoder),
                upgrade,
                PersistenceHandler(),
                HTTP1ToHTTPServerCodec(secure: tls != nil),
                ConnectionPartHandler(owner, configuration),
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
