import Controller
package import HTTPListener
package import Logging
package import Messages
import ServiceLifecycle
import Threading

/// The web listener of a node: the kiosk page, the API, and whether the daemon is well.
///
/// An address that is taken does not end the daemon: it raises an alert and is tried again.
package struct WebService: Service, CustomStringConvertible {
    /// For logs, which would show every file of the page otherwise.
    package var description: String { "web" }

    private static let alert = "web"
    private static let certificateAlert = "web-certificate"

    private let configuration: WebConfiguration
    private let socket: ListeningSocket?
    private let hub: WebHub
    private let responder: WebResponder
    private let logger: Logger
    private let onBound: @Sendable (_ port: Int) async -> Void

    /// - Parameters:
    ///   - socket: Keeps the address after this service; `nil` to give it up at its end.
    ///   - problems: What is wrong just now. Asked for each request of `/healthz`.
    ///   - metrics: The present figures. Asked for each request.
    ///   - onBound: Called when connections are taken, with the actual port.
    package init(
        _ configuration: WebConfiguration,
        on socket: ListeningSocket? = nil,
        hub: WebHub,
        problems: @escaping @Sendable () async -> [HealthProblem],
        metrics: @escaping @Sendable () async -> [Metric] = { [] },
        logger: Logger,
        onBound: @escaping @Sendable (_ port: Int) async -> Void = { _ in }
    ) {
        self.init(
            configuration,
            on: socket,
            hub: hub,
            problems: problems,
            metrics: metrics,
            page: { .embedded },
            logger: logger,
            onBound: onBound
        )
    }

    /// - Parameter page: Makes the files of the page. Not called before somebody asks for one.
    init(
        _ configuration: WebConfiguration,
        on socket: ListeningSocket? = nil,
        hub: WebHub,
        problems: @escaping @Sendable () async -> [HealthProblem],
        metrics: @escaping @Sendable () async -> [Metric],
        page: @escaping @Sendable () -> PageFiles,
        logger: Logger,
        onBound: @escaping @Sendable (_ port: Int) async -> Void
    ) {
        (self.configuration, self.socket) = (configuration, socket)
        (self.hub, self.logger, self.onBound) = (hub, logger, onBound)
        responder = WebResponder(
            hub: hub,
            configuration: configuration,
            problems: problems,
            metrics: metrics,
            page: page,
            routes: WebRoute.table(hub.node.commands)
        )
    }

    /// Serves until graceful shutdown or cancellation.
    package func run() async throws {
        await withTaskCancellationOrGracefulShutdownHandler {
            await hub.node.people.prepare()
            var isReported = false
            while !Task.isCancelled, !Task.isShuttingDownGracefully {
                do {
                    try await listen(afterFailure: isReported)
                    return
                } catch {
                    if !isReported { report(error) }
                    isReported = true
                }
                await cancelWhenGracefulShutdown {
                    try? await Task.sleep(for: configuration.retryInterval)
                }
            }
        } onCancelOrGracefulShutdown: { [hub] in
            hub.loop.perform { hub.onExecutor { $0.stop() } }
            hub.streams.stop()
        }
    }

    private func report(_ error: any Error) {
        let seconds = configuration.retryInterval.components.seconds
        let message = "The kiosk page and the API are not served: \(error). Trying again every \(seconds) s."
        logger.error("\(message)")
        hub.node.send(.alertRaised(Self.alert, .error, message: message))
    }

    private func listen(afterFailure: Bool) async throws {
        // One event loop for all connections, so that the event streams need no locks.
        let loop = hub.streams.loop
        let front = HTTPListenerService(
            configuration.listener,
            on: socket,
            responder: responder,
            loops: loop,
            logger: logger,
            onBound: { [hub, onBound] port in
                if afterFailure { hub.node.send(.alertCleared(Self.alert)) }
                await onBound(port)
            },
            onCertificateProblem: { [hub] in hub.node.send(.alert(Self.certificateAlert, .error, $0)) }
        )
        try await withTaskExecutorPreference(EventLoopTaskExecutor(loop, lendingTo: hub.loop)) {
            try await withThrowingTaskGroup(of: Void.self) { tasks in
                tasks.addTask { [configuration, hub] in
                    while (try? await Task.sleep(for: configuration.pingInterval)) != nil {
                        await hub.streams.ping()
                        await hub.lookAgain()
                    }
                }
                defer { tasks.cancelAll() }
                try await front.run()
            }
        }
    }
}
