import ServiceLifecycle

/// A part of the daemon that runs as a service.
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
        // The group takes a service that ends before its turn for broken.
        try? await gracefulShutdown()
    }
}
