package import Flare
package import Logging
import NIOCore
import NIOPosix

/// The way to a Flare server on another machine: REST for what is read and made, Socket.IO for what is said and
/// heard.
///
/// Behaves as the way to the embedded server does, with these differences, which lie in the protocol:
/// - Everything needs the server's word. What is said over Socket.IO is confirmed by a question behind it. A key
///   of `setData` that the server does not store is refused, but the keys before it, in alphabetical order, are
///   stored by then.
/// - What others make, remove or change by REST is not told; it is read when the link is up again.
/// - Results of an action come before its reply only from servers that handle messages in order; the origin
///   does not.
/// - Source: flare-protocol 13.
package struct FlareClient: FlareLink {
    private let endpoint: Endpoint
    private let logger: Logger
    private let chance: @Sendable () -> Double

    /// - Parameter chance: A number from 0 to 1, for the pauses between attempts.
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

    package func run(_ requests: AsyncStream<FlareRequest>, emit: @escaping @Sendable (FlareEvent) -> Void)
        async
    {
        // All of one link is on one event loop.
        let loop = MultiThreadedEventLoopGroup.singleton.next()
        let driver = FlareDriver(endpoint, on: loop, logger: logger, chance: chance, emit: emit)
        await driver.start()
        for await request in requests { await driver.request(request) }
        if !Task.isCancelled { await driver.answerAll() }
        await driver.stop()
    }
}
