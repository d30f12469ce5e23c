package import Hummingbird
import HummingbirdCore
package import Logging
package import NIOCore
import NIOExtras
import NIOPosix
import ServiceLifecycle

/// An HTTP listener: it binds, guards connections and requests, and passes requests to an application.
///
/// Every request is checked against ``AccessPolicy`` and the size limit, every connection against the time
/// limits, before the application. A graceful shutdown closes idle connections at once and lets pending
/// requests finish.
package struct HTTPListenerService<Responder: HTTPResponder>: Service
where Responder.Context == ChannelContext {
    private let configuration: HTTPListenerConfiguration
    private let socket: ListeningSocket?
    private let responder: Responder
    private let gate: (any WebSocketGate)?
    private let immediate: (any ImmediateResponder)?
    private let loops: any EventLoopGroup
    private let logger: Logger
    private let onBound: @Sendable (_ port: Int) async -> Void
    private let onCertificateProblem: @Sendable (String?) -> Void

    /// - Parameters:
    ///   - socket: Keeps the address after this listener; `nil` to give it up at its end.
    ///   - responder: The application, such as a Hummingbird router's responder.
    ///   - gate: Decides which requests become WebSockets; `nil` for none.
    ///   - immediate: Answers requests before the application, after the same checks; `nil` for none.
    ///   - loops: The event loops of the connections; a single one when the gate needs them together.
    ///   - onBound: Called once, when connections are accepted, with the actual port.
    ///   - onCertificateProblem: Called when a renewed certificate cannot be used or the one in use has expired,
    ///     with a sentence; with `nil` when it is in order again.
    package init(
        _ configuration: HTTPListenerConfiguration,
        on socket: ListeningSocket? = nil,
        responder: Responder,
        gate: (any WebSocketGate)? = nil,
        immediate: (any ImmediateResponder)? = nil,
        loops: any EventLoopGroup = MultiThreadedEventLoopGroup.singleton,
        logger: Logger,
        onBound: @escaping @Sendable (_ port: Int) async -> Void = { _ in },
        onCertificateProblem: @escaping @Sendable (String?) -> Void = { _ in }
    ) {
        (self.configuration, self.socket) = (configuration, socket)
        self.responder = responder
        self.gate = gate
        self.immediate = immediate
        self.loops = loops
        self.logger = logger
        self.onBound = onBound
        self.onCertificateProblem = onCertificateProblem
    }

    /// Runs until the graceful shutdown or cancellation.
    /// - Throws: ``HTTPListenerError`` when it cannot start.
    package func run() async throws {
        let (configuration, gate, immediate, onBound) = (configuration, gate, immediate, onBound)
        // Hummingbird logs each connection and request; only its warnings are of interest.
        var quiet = logger
        quiet.logLevel = .warning
        let tls = try makeTLS()
        let connections = IdleConnections(maximum: max(1, configuration.maximumConnections))
        let policy = AccessPolicy(configuration)
        let responder = GuardedResponder(inner: responder, policy: policy, configuration: configuration)
        let channel = ListenerChannel(
            configuration: configuration,
            policy: policy,
            gate: gate,
            immediate: immediate,
            connections: connections,
            tls: tls,
            responder: { [quiet] request, writer, channel in
                try await responder.respond(to: request, channel, quiet, writer)
            }
        )
        let quiescing = ServerQuiescingHelper(group: loops)
        let server: NIOAsyncChannel<ListenerChannel.Value, Never>
        do {
            server = try await bind(channel, connections, quiescing, quiet)
        } catch {
            throw HTTPListenerError(error, configuration) ?? error
        }
        await withGracefulShutdownHandler {
            let port = server.channel.localAddress?.port ?? configuration.port
            logger.debug("listening", metadata: ["host": "\(configuration.host)", "port": "\(port)"])
            await onBound(port)
            await withDiscardingTaskGroup { [logger, quiet] tasks in
                do {
                    try await server.executeThenClose { accepted in
                        for try await connection in accepted {
                            tasks.addTask { await channel.handle(value: connection, logger: quiet) }
                        }
                    }
                } catch is CancellationError {
                } catch {
                    logger.error("accepting connections: \(error)")
                }
            }
        } onGracefulShutdown: {
            quiescing.initiateShutdown(promise: nil)
        }
    }

    /// Not the library's server, which cannot use a socket that is bound already.
    private func bind(
        _ channel: ListenerChannel,
        _ connections: IdleConnections,
        _ quiescing: ServerQuiescingHelper,
        _ logger: Logger
    ) async throws -> NIOAsyncChannel<ListenerChannel.Value, Never> {
        let bootstrap = ServerBootstrap(group: loops)
            .serverChannelInitializer { server in
                server.eventLoop.makeCompletedFuture {
                    let pipeline = server.pipeline.syncOperations
                    // Must receive errors before the library's handler, which does not forward them.
                    try pipeline.addHandler(DescriptorShortageHandler(connections))
                    try pipeline.addHandler(AvailableConnectionsChannelHandler(delegate: connections))
                    try pipeline.addHandler(quiescing.makeServerChannelHandler(channel: server))
                }
            }
            .childChannelOption(.allowRemoteHalfClosure, value: true)
        if let path = configuration.socketPath {
            return try await bootstrap.bind(unixDomainSocketPath: path, cleanupExistingSocketFile: true) {
                channel.setup(channel: $0, logger: logger)
            }
        }
        let socket = socket ?? ListeningSocket()
        return try await bootstrap.bind(
            socket.duplicate(host: configuration.host, port: configuration.port)
        ) { channel.setup(channel: $0, logger: logger) }
    }

    private func makeTLS() throws(HTTPListenerError) -> ListenerTLS? {
        guard let files = configuration.tls else { return nil }
        let key = "\(configuration.section).tls"
        do throws(ListenerTLSError) {
            return try ListenerTLS(files) { [logger, onCertificateProblem] event in
                switch event {
                case .renewed(let expiry):
                    logger.notice(
                        "\(key): the new certificate is in use; valid until \(HTTPDate.text(of: expiry))"
                    )
                case .failed(let problem):
                    logger.error("\(key): \(problem)")
                    onCertificateProblem("\(key): \(problem)")
                case .recovered: onCertificateProblem(nil)
                }
            }
        } catch {
            throw .unusableCertificate(reason: "\(error)", section: configuration.section)
        }
    }
}
