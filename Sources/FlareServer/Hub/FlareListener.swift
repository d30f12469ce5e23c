package import HTTPListener
package import Logging
import NIOPosix
import ServiceLifecycle
import SocketIO

/// The network side of the Flare server, on one port: objects over REST, messages over Socket.IO, and static files.
package struct FlareListener: Service {
    private let front: HTTPListenerService<RESTRoutes>
    private let sockets: SocketServer
    private let thread: EventLoopTaskExecutor
    private let configuration: HTTPListenerConfiguration
    private let hub: FlareHub
    private let logger: Logger

    /// - Parameters:
    ///   - socket: Keeps the address after this listener; `nil` to give it up at its end.
    ///   - publicFolder: A folder of static files to serve.
    ///   - onBound: Called once, when connections are accepted, with the actual port.
    package init(
        hub: FlareHub,
        _ configuration: HTTPListenerConfiguration,
        on socket: ListeningSocket? = nil,
        publicFolder: String? = nil,
        sockets settings: SocketSettings = SocketSettings(),
        logger: Logger,
        onBound: @escaping @Sendable (_ port: Int) async -> Void = { _ in }
    ) {
        // One event loop for all connections, so that sessions and sockets need neither locks nor thread switches.
        let loop = MultiThreadedEventLoopGroup.singleton.next()
        thread = EventLoopTaskExecutor(loop, lendingTo: hub.executor)
        sockets = SocketServer(hub: hub, loop: loop, settings: settings, logger: logger)
        // Polling has a body limit of its own.
        var configuration = configuration
        configuration.bodyLimits[EngineRequest.path] = settings.engine.limits.maximumPacketBytes
        self.configuration = configuration
        self.hub = hub
        self.logger = logger
        let routes = RESTRoutes(
            hub: hub,
            sockets: sockets,
            files: publicFolder.map { PublicFiles(folder: $0) },
            maximumBodyBytes: configuration.maximumBodyBytes,
            logger: logger
        )
        front = HTTPListenerService(
            configuration,
            on: socket,
            responder: routes,
            gate: sockets,
            immediate: routes,
            loops: loop,
            logger: logger,
            onBound: onBound
        )
    }

    /// Serves until graceful shutdown or cancellation.
    /// - Throws: `HTTPListenerError` when it cannot start.
    package func run() async throws {
        if hub.access.isOpen, !configuration.isOnlyForThisMachine {
            logger.warning(
                "the Flare server has no password: anyone who can reach this address can read and change the place",
                metadata: ["host": "\(configuration.host)"]
            )
        }
        await sockets.attach()
        try await withTaskCancellationOrGracefulShutdownHandler {
            try await withTaskExecutorPreference(thread) {
                // Detaching breaks the reference cycle of hub and sockets.
                do {
                    try await front.run()
                } catch {
                    await sockets.detach()
                    throw error
                }
                await sockets.detach()
            }
        } onCancelOrGracefulShutdown: {
            sockets.stop()
        }
    }
}
