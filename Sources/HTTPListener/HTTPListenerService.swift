package import Hummingbird
import HummingbirdCore
package import Logging
package import NIOCore
import NIOPosix
import ServiceLifecycle

/// One HTTP listener: it binds, guards its connections and requests, and hands what passes to an application.
///
/// Every request is checked against ``AccessPolicy`` and the size limit first, every connection against the
/// time limits; the application cannot forget to. A graceful shutdown closes idle connections at once and lets
/// requests under way end.
package struct HTTPListenerService<Responder: HTTPResponder>: Service
where Responder.Context: InitializableFromSource<ApplicationRequestContextSource> {
    private let configuration: HTTPListenerConfiguration
    private let responder: Responder
    private let gate: (any WebSocketGate)?
    private let loops: any EventLoopGroup
    private let logger: Logger
    private let onBound: @Sendable (_ port: Int) async -> Void

    /// - Parameters:
    ///   - responder: The application: a Hummingbird router's responder, or an own one.
    ///   - gate: Which requests become WebSockets; none without it.
    ///   - loops: What the connections run on; one event loop where the gate needs to have them all together.
    ///   - onBound: Called once, when connections are taken, with the true port.
    package init(
        _ configuration: HTTPListenerConfiguration,
        responder: Responder,
        gate: (any WebSocketGate)? = nil,
        loops: any EventLoopGroup = MultiThreadedEventLoopGroup.singleton,
        logger: Logger,
        onBound: @escaping @Sendable (_ port: Int) async -> Void = { _ in }
    ) {
        self.configuration = configuration
        self.responder = responder
        self.gate = gate
        self.loops = loops
        self.logger = logger
        self.onBound = onBound
    }

    /// Listens until the graceful shutdown, or until it is cancelled.
    /// - Throws: ``HTTPListenerError`` when it cannot start.
    package func run() async throws {
        let (configuration, gate, onBound) = (configuration, gate, onBound)
        // Hummingbird reports each connection and request; that is noise above its own warnings.
        var quiet = logger
        quiet.logLevel = max(logger.logLevel, .warning)
        let connections = IdleConnections(maximum: max(1, configuration.maximumConnections))
        let application = Application(
            responder: GuardedResponder(
                inner: responder,
                policy: AccessPolicy(configuration),
                configuration: configuration
            ),
            server: HTTPServerBuilder {
                ListenerChannel(configuration, gate: gate, among: connections, responder: $0)
            },
            configuration: ApplicationConfiguration(
                address: .hostname(configuration.host, port: configuration.port),
                availableConnectionsDelegate: ConnectionCount(connections: connections)
            ),
            onServerRunning: { [logger] channel in
                // It must hear of errors before the library's own handler, which passes none on.
                try? await channel.pipeline.addHandler(
                    DescriptorShortageHandler(connections),
                    position: .first
                )
                let port = channel.localAddress?.port ?? configuration.port
                logger.debug("listening", metadata: ["host": "\(configuration.host)", "port": "\(port)"])
                await onBound(port)
            },
            eventLoopGroupProvider: .shared(loops),
            logger: quiet
        )
        do {
            try await application.run()
        } catch {
            throw HTTPListenerError(error, configuration) ?? error
        }
    }
}
