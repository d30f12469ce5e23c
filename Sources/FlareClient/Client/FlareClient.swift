package import Flare
package import Logging
import NIOCore
import NIOPosix

/// A client of a remote Flare server: REST for reading and creating objects, Socket.IO for messages.
///
/// Behaves like the embedded server, with these differences, which follow from the protocol:
/// - A message over Socket.IO is confirmed by reading the value back. If the server does not store a key of
///   `setData`, the request fails, but the keys before it in alphabetical order are stored by then.
/// - Changes that others make by REST are not announced; they are read when the link is up again.
/// - The results of an action come before its reply only if the server handles messages in order; the original
///   server does not.
///
/// Without ``FlareClientConfiguration/streams`` nothing is subscribed: the place is read in intervals over REST, and
/// differences become notices. Actions of others are not heard then, and of several changes between two readings only
/// the result. Socket.IO is used for writes only.
/// - Source: contrib/contract/flare-protocol.md, "13. Rules for a server and a client".
package struct FlareClient: Sendable {
    private let endpoint: Endpoint
    private let logger: Logger
    private let chance: @Sendable () -> Double

    /// - Parameter chance: A random number from 0 to 1, for the jitter of the pauses between attempts.
    /// - Throws: ``TLSConfigurationError`` when a certificate or a key cannot be used.
    package init(
        _ configuration: FlareClientConfiguration,
        logger: Logger,
        chance: @escaping @Sendable () -> Double = { .random(in: 0...1) }
    ) throws(TLSConfigurationError) {
        endpoint = try Endpoint(configuration)
        self.logger = logger
        self.chance = chance
    }

    /// Runs until the requests end or the task is cancelled.
    ///
    /// A lost connection is an event, and is re-established for ever.
    /// - Parameter emit: Called in order with every event; must not block.
    package func run(_ requests: AsyncStream<FlareRequest>, emit: @escaping @Sendable (FlareEvent) -> Void)
        async
    {
        // The driver and all its connections share one event loop.
        let loop = MultiThreadedEventLoopGroup.singleton.next()
        let driver: any RequestDriver =
            endpoint.configuration.streams
            ? FlareDriver(endpoint, on: loop, logger: logger, chance: chance, emit: emit)
            : PollingDriver(endpoint, on: loop, logger: logger, chance: chance, emit: emit)
        await driver.start()
        for await request in requests { await driver.request(request) }
        if !Task.isCancelled { await driver.waitUntilIdle() }
        await driver.stop()
    }
}
