import Glibc
import NIOCore
import NIOPosix
import OperatingSystem
package import Resolution

/// Asks a resolver, and tells it a station's address: one connection each.
package struct DirectoryClient: Sendable {
    package let host: String
    package let port: Int

    package init(host: String, port: Int) { (self.host, self.port) = (host, port) }

    /// Asks for the address of a serial.
    package func ask(_ serial: StationSerial) async -> ResolverQuery.Result {
        await exchange { _, now in
            ResolverQuery(serial, now: now)
        } failure: { reason in
            reason.map { .unreachable($0) } ?? .noAnswer
        }
    }

    /// Tells the address of a station.
    ///
    /// - Parameter message: The update, from our IPv4 address on the way to the resolver; `nil` if there is none.
    package func deliver(
        _ message: @escaping @Sendable (_ ownAddress: StationAddress?) -> [UInt8]
    ) async -> UpdateDelivery.Result {
        await exchange { own, now in
            UpdateDelivery(message(own), now: now)
        } failure: { reason in
            reason.map { .unreachable($0) } ?? .notTaken
        }
    }

    /// - Parameter failure: The result without an answer, from why there is no connection, if that is known.
    private func exchange<Exchange: DirectoryExchange>(
        _ make: @escaping @Sendable (StationAddress?, Int64) -> Exchange,
        failure: @escaping @Sendable (String?) -> Exchange.Result
    ) async -> Exchange.Result {
        let loop = MultiThreadedEventLoopGroup.singleton.next()
        let result = loop.makePromise(of: Exchange.Result.self)
        let started = Self.now
        let connecting = ClientBootstrap(group: loop)
            .connectTimeout(.milliseconds(ResolverQuery.patience))
            .channelOption(.tcpOption(.tcp_nodelay), value: 1)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let handler = ExchangeHandler(make, startedAt: started, result: result, failure: failure)
                    try channel.pipeline.syncOperations.addHandler(handler)
                }
            }
            .connect(host: host, port: port)
        connecting.whenFailure { result.succeed(failure(Self.reason($0))) }
        return await withTaskCancellationHandler {
            (try? await result.futureResult.get()) ?? failure(nil)
        } onCancel: {
            connecting.whenSuccess { $0.close(promise: nil) }
        }
    }

    /// Why there is no connection; `nil` for silence.
    private static func reason(_ error: any Error) -> String? {
        switch error {
        case let error as NIOConnectionError:
            if let first = error.connectionErrors.first {
                reason(first.error)
            } else {
                "the name is not known"
            }
        case let error as IOError:
            switch error.errnoCode {
            case ECONNREFUSED: "the connection was refused"
            case ETIMEDOUT: nil
            default: systemMessage(error.errnoCode)
            }
        default: nil
        }
    }

    fileprivate static var now: Int64 { Int64(NIODeadline.now().uptimeNanoseconds / 1_000_000) }
}

/// One connection of a client.
private final class ExchangeHandler<Exchange: DirectoryExchange>: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let make: @Sendable (StationAddress?, Int64) -> Exchange
    private let startedAt: Int64
    private let result: EventLoopPromise<Exchange.Result>
    private let failure: @Sendable (String?) -> Exchange.Result
    private var exchange: Exchange?
    private var timer: Scheduled<Void>?

    init(
        _ make: @escaping @Sendable (StationAddress?, Int64) -> Exchange,
        startedAt: Int64,
        result: EventLoopPromise<Exchange.Result>,
        failure: @escaping @Sendable (String?) -> Exchange.Result
    ) {
        (self.make, self.startedAt, self.result, self.failure) = (make, startedAt, result, failure)
    }

    func channelActive(context: ChannelHandlerContext) {
        let own = (context.localAddress?.ipAddress).flatMap { PeerAddress($0) }.flatMap { StationAddress($0) }
        exchange = make(own, startedAt)
        updateTimer(context)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let bytes = Array(unwrapInboundIn(data).readableBytesView)
        perform(exchange?.received(bytes, now: DirectoryClient.now) ?? [], context)
    }

    func channelInactive(context: ChannelHandlerContext) {
        timer?.cancel()
        perform(exchange?.closed() ?? [], context)
        // Has no effect if the exchange has ended already.
        result.succeed(failure(nil))
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }

    private func perform(_ actions: [DirectoryAction<Exchange.Result>], _ context: ChannelHandlerContext) {
        for action in actions {
            switch action {
            case .send(let bytes):
                context.writeAndFlush(wrapOutboundOut(ByteBuffer(bytes: bytes)), promise: nil)
            case .end(let outcome):
                timer?.cancel()
                result.succeed(outcome)
                context.close(promise: nil)
                return
            }
        }
        updateTimer(context)
    }

    private func updateTimer(_ context: ChannelHandlerContext) {
        timer?.cancel()
        guard let exchange, context.channel.isActive else { return }
        let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        let delay = TimeAmount.milliseconds(max(1, exchange.deadline - DirectoryClient.now))
        timer = context.eventLoop.scheduleTask(in: delay) {
            let (handler, context) = bound.value
            handler.perform(handler.exchange?.tick(now: DirectoryClient.now) ?? [], context)
        }
    }
}
