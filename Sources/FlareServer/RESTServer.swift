package import HTTPListener
package import Logging
import ServiceLifecycle

/// The Flare server as others reach it: the hub's objects over HTTP.
package struct RESTServer: Service {
    private let front: HTTPFront<RESTRoutes>

    /// - Parameter onBound: Called once, when connections are taken, with the true port.
    package init(
        hub: FlareHub,
        _ configuration: HTTPListenerConfiguration,
        logger: Logger,
        onBound: @escaping @Sendable (_ port: Int) async -> Void = { _ in }
    ) {
        let routes = RESTRoutes(hub: hub, maximumBodyBytes: configuration.maximumBodyBytes, logger: logger)
        front = HTTPFront(configuration, responder: routes, logger: logger, onBound: onBound)
    }

    /// Serves until the graceful shutdown, or until it is cancelled.
    /// - Throws: `HTTPListenerError` when it cannot start.
    package func run() async throws {
        try await front.run()
    }
}
