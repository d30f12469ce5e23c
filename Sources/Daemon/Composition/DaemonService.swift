import Logging
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

extension ServiceGroup {
    /// Services that start in order and stop in reverse; one that fails ends all.
    init(of services: [any Service], logger: Logger) {
        self.init(
            configuration: .init(
                services: services.map {
                    // Without a name the group would log everything that is in the service.
                    .init(
                        service: $0,
                        successTerminationBehavior: .ignore,
                        failureTerminationBehavior: .gracefullyShutdownGroup,
                        serviceName: ($0 as? DaemonService)?.name ?? "\(type(of: $0))"
                    )
                },
                logger: logger
            )
        )
    }
}
