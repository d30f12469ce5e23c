package import Hummingbird
import HummingbirdCore
package import Logging
package import NIOCore
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
    private let responder: Responder
    private let gate: (any WebSocketGate)?
    private let immediate: (any ImmediateResponder)?
    private let loops: any EventLoopGroup
    private let logger: Logger
    private let onBound: @Sendable (_ port: Int) async -> Void
    private let onCertificateProblem: @Sendable (String?) -> Void

    /// - Parameters:
    ///   - responder: The application, such as a Hummingbird router's responder.
    ///   - gate: Decides which requests become WebSockets; `nil` for none.
    ///   - immediate: Answers requests before the application, after the same checks; `nil` for none.
    ///   - loops: The event loops of the connections; a single one when the gate needs them together.
    ///   - onBound: Called once, when connections are accepted, with the actual port.
    ///   - onCertificateProblem: Called when a renewed certificate cannot be used or the one in use has expired,
    ///     with a sentence; with `nil` when it is in order again.
    package init(
        _ configuration: HTTPListenerConfiguration,
        responder: Responder,
        gate: (any WebSocketGate)? = nil,
        immediate: (any ImmediateResponder)? = nil,
        loops: any EventLoopGroup = MultiThreadedEventLoopGroup.singleton,
        logger: Logger,
        onBound: @escaping @Sendable (_ port: Int) async -> Void = { _ in },
        onCertificateProblem: @escaping @Sendable (String?) -> Void = { _ in }
    ) {
        self.configuration = configuration
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
        // Not the library's `Application`, which wakes up every second to format the date of responses.
        let server = try HTTPServerBuilder {
            ListenerChannel(
                configuration: configuration,
                policy: policy,
                gate: gate,
                immediate: immediate,
                connections: connections,
                tls: tls,
                responder: $0
            )
        }
        .buildServer(
            configuration: ServerConfiguration(
                address: configuration.socketPath.map { .unixDomainSocket(path: $0) }
                    ?? .hostname(configuration.host, port: configuration.port),
                availableConnectionsDelegate: connections
            ),
            eventLoopGroup: loops,
            logger: quiet,
            responder: { [quiet] request, writer, channel in
                try await responder.respond(to: request, channel, quiet, writer)
            },
            onServerRunning: { [logger] channel in
                // Must receive errors before the library's handler, which does not forward them.
                try? await channel.pipeline.addHandler(
                    DescriptorShortageHandler(connections),
                    position: .first
                )
                let port = channel.localAddress?.port ?? configuration.port
                logger.debug("listening", metadata: ["host": "\(configuration.host)", "port": "\(port)"])
                await onBound(port)
            }
        )
        do {
            try await server.run()
        } catch {
            throw HTTPListenerError(error, configuration) ?? error
        }
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
