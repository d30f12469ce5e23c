package import HTTPListener
package import Logging
import NIOPosix
import ServiceLifecycle
import SocketIO

/// The Flare server as others reach it, on one port: the hub's objects over HTTP, messages over Socket.IO, and
/// files of the user's own.
package struct FlareListener: Service {
    private let front: HTTPListenerService<RESTRoutes>
    private let sockets: SocketServer
    private let thread: EventLoopThread
    private let configuration: HTTPListenerConfiguration
    private let logger: Logger

    /// - Parameters:
    ///   - publicFolder: A folder whose files are served beside the objects.
    ///   - onBound: Called once, when connections are taken, with the true port.
    package init(
        hub: FlareHub,
        _ configuration: HTTPListenerConfiguration,
        publicFolder: String? = nil,
        sockets settings: SocketSettings = SocketSettings(),
        logger: Logger,
        onBound: @escaping @Sendable (_ port: Int) async -> Void = { _ in }
    ) {
        // One event loop for all connections: sessions and sockets are together without a lock or a hop.
        let loop = MultiThreadedEventLoopGroup.singleton.next()
        thread = EventLoopThread(loop, lendingTo: hub.executor)
        sockets = SocketServer(hub: hub, loop: loop, settings: settings, logger: logger)
        // What is polled may be longer than what REST takes.
        var configuration = configuration
        configuration.bodyLimits[EngineRequest.path] = settings.engine.limits.maximumPacketBytes
        configuration.bodyLimits[LocalRoutes.modelPath] = ModelTree.maximumBytes
        configuration.bodyLimits[LocalRoutes.orphansPath] = ModelTree.maximumBytes
        self.configuration = configuration
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
            responder: routes,
            gate: sockets,
            immediate: routes,
            loops: loop,
            logger: logger,
            onBound: onBound
        )
    }

    /// Serves until the graceful shutdown, or until it is cancelled.
    /// - Throws: `HTTPListenerError` when it cannot start.
    package func run() async throws {
        if !configuration.isOnlyForThisMachine {
            logger.warning(
                "the Flare server has no password: everybody who reaches this address can read and change the place",
                metadata: ["host": "\(configuration.host)"]
            )
        }
        await sockets.attach()
        try await withTaskCancellationOrGracefulShutdownHandler {
            try await withTaskExecutorPreference(thread) {
                // The hub would hold the sockets, and they hold the hub.
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
