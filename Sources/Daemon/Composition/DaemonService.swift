import ServiceLifecycle

/// A closure as a service.
struct DaemonService: Service {
    let name: String
    let body: @Sendable () async throws -> Void

    /// A service whose work is cancelled when the shutdown begins.
    static func untilShutdown(
        _ name: String,
        _ work: @escaping @Sendable () async -> Void
    ) -> DaemonService {
        DaemonService(name: name) { await cancelWhenGracefulShutdown { await work() } }
    }

    func run() async throws {
        try await body()
        // The group treats a service that returns early as failed.
        try? await gracefulShutdown()
    }
}

extension ServiceGroupConfiguration.ServiceConfiguration {
    /// A service that ends the daemon when it fails, and not when it returns.
    ///
    /// Without a name the group would log everything that is in the service.
    static func ofDaemon(_ service: any Service) -> Self {
        .init(
            service: service,
            successTerminationBehavior: .ignore,
            failureTerminationBehavior: .gracefullyShutdownGroup,
            serviceName: (service as? DaemonService)?.name ?? "\(type(of: service))"
        )
    }
}
