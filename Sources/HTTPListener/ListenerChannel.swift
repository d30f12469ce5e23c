import HummingbirdCore
import Logging
import NIOCore
import NIOHTTPTypes

/// What a connection is made of: Hummingbird's HTTP/1.1 handlers between the two ends of a ``ConnectionGuard``.
///
/// The place for other things that a connection can become (an upgrade to WebSocket).
struct ListenerChannel: ServerChildChannel {
    let http: HTTP1Channel
    let limits: ConnectionTiming.Limits
    let maximumBodyBytes: Int

    init(_ configuration: HTTPListenerConfiguration, responder: @escaping HTTPChannelHandler.Responder) {
        limits = ConnectionTiming.Limits(
            head: TimeAmount(bounded: configuration.headTimeout),
            body: TimeAmount(bounded: configuration.bodyTimeout),
            idle: TimeAmount(bounded: configuration.idleTimeout),
            send: TimeAmount(bounded: configuration.sendTimeout),
            headBytes: configuration.maximumHeadBytes
        )
        maximumBodyBytes = configuration.maximumBodyBytes
        http = HTTP1Channel(
            responder: responder,
            configuration: .init(
                httpDecoderConfiguration: .init(
                    maxHeaderFieldSize: configuration.maximumHeadBytes,
                    maxHeaderListSize: configuration.maximumHeadBytes,
                    maxHeaderFieldCount: 100
                )
            )
        )
    }

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<HTTP1Channel.Value> {
        http.setup(channel: channel, logger: logger).flatMapThrowing { value in
            let pipeline = channel.pipeline.syncOperations
            let owner = ConnectionGuard(limits: limits)
            let state = try pipeline.handler(type: HTTPConnectionStateHandler.self)
            try pipeline.addHandler(
                ConnectionPartHandler(owner, maximumBodyBytes: maximumBodyBytes),
                position: .before(state)
            )
            try pipeline.addHandler(ConnectionWireHandler(owner), position: .first)
            return value
        }
    }

    func handle(value: HTTP1Channel.Value, logger: Logger) async {
        await http.handle(value: value, logger: logger)
    }
}
