import Logging
import ServiceLifecycle
import UnixSignals

/// A daemon that is built and ready to run; see ``Daemon/build(_:logger:)`` for what it consists of.
struct Daemon: Sendable {
    /// Why a run ended.
    enum End: Sendable {
        case stopped
        /// A new configuration was read: build another daemon from it.
        case rebuild(LoadedConfiguration)
    }

    let services: [any Service]
    let requests: AsyncStream<RuntimeLoop.ShellRequest>
    let requestPort: AsyncStream<RuntimeLoop.ShellRequest>.Continuation
    let read: @Sendable () -> Result<LoadedConfiguration, ConfigurationErrors>
    let tell: @Sendable (_ problem: String?) -> Void
    /// Called before the daemon ends for another one with a new configuration.
    let prepare: @Sendable (LoadedConfiguration) async -> Void
    let setLogLevel: @Sendable (String) -> Void
    let logger: Logger

    /// Runs until a signal, the end of the surrounding task's life, or a reload.
    ///
    /// Services start in the order of their dependence and stop in reverse.
    /// - Throws: What made a service fail: then the daemon cannot do its work.
    func run(signals: [UnixSignal] = [.sigterm, .sigint]) async throws -> End {
        let group = ServiceGroup(
            configuration: .init(
                services: services.map {
                    .init(
                        service: $0,
                        successTerminationBehavior: .ignore,
                        failureTerminationBehavior: .gracefullyShutdownGroup
                    )
                },
                gracefulShutdownSignals: signals,
                logger: logger
            )
        )
        return try await withThrowingTaskGroup(of: End?.self) { tasks in
            tasks.addTask {
                try await group.run()
                return .stopped
            }
            tasks.addTask { await obey(group) }
            var end = End.stopped
            for try await result in tasks {
                switch result {
                case .rebuild(let configuration)?: end = .rebuild(configuration)
                case .stopped?:
                    tasks.cancelAll()
                    return end
                case nil: break
                }
            }
            return end
        }
    }

    /// Does what only the shell can do.
    private func obey(_ group: ServiceGroup) async -> End? {
        var next: LoadedConfiguration?
        for await request in requests {
            switch request {
            case .readConfiguration:
                switch read() {
                case .success(let configuration):
                    next = configuration
                    tell(nil)
                case .failure(let problems):
                    logger.warning(
                        "the new configuration is not used",
                        metadata: [
                            "problems": "\(problems.problems.map(\.description).joined(separator: "; "))"
                        ]
                    )
                    tell("\(problems.problems.map(\.description).joined(separator: "; "))")
                }
            case .rebuild:
                guard let next else { continue }
                await prepare(next)
                await group.triggerGracefulShutdown()
                return .rebuild(next)
            case .logLevel(let level):
                setLogLevel(level)
            }
        }
        return nil
    }
}

/// A part of the daemon that runs as a service.
struct DaemonService: Service {
    let name: String
    let body: @Sendable () async throws -> Void

    func run() async throws {
        try await body()
        // The group takes a service that ends before its turn for broken.
        try? await gracefulShutdown()
    }
}
