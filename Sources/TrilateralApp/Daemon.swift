import Logging
import ServiceLifecycle

/// A daemon that is built and ready to run; see ``Daemon/build(_:logger:)`` for what it consists of.
struct Daemon: Sendable {
    /// Why a run ended.
    enum End: Sendable {
        /// A signal asked for it.
        case stopped
        /// End the program and start it again.
        case restart
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

    /// Runs until it is asked to end, or the surrounding task is cancelled.
    ///
    /// Services start in the order of their dependence and stop in reverse.
    /// - Throws: What made a service fail, since then the daemon cannot do its work; ``UnexpectedEnd`` when it ended
    ///   and nobody had asked for that.
    func run() async throws -> End {
        let group = ServiceGroup(
            configuration: .init(
                services: services.map {
                    .init(
                        service: $0,
                        successTerminationBehavior: .ignore,
                        failureTerminationBehavior: .gracefullyShutdownGroup
                    )
                },
                logger: logger
            )
        )
        // Decided before the shutdown begins, so that its end is never taken for another one.
        let decision = Locked<End?>(nil)
        return try await withThrowingTaskGroup(of: Void.self) { tasks in
            tasks.addTask { await obey(group, decision) }
            defer { tasks.cancelAll() }
            do {
                try await group.run()
            } catch {
                switch decision.withLock({ $0 }) {
                case .rebuild?, .restart?:
                    logger.error("a service failed while it was stopping", metadata: ["error": "\(error)"])
                case .stopped?, nil: throw error
                }
            }
            if let end = decision.withLock({ $0 }) { return end }
            guard Task.isCancelled else { throw UnexpectedEnd() }
            return .stopped
        }
    }

    /// Does what only the shell can do.
    private func obey(_ group: ServiceGroup, _ decision: Locked<End?>) async {
        var next: LoadedConfiguration?
        for await request in requests {
            switch request {
            case .readConfiguration:
                switch read() {
                case .success(let configuration):
                    next = configuration
                    tell(nil)
                case .failure(let problems):
                    let text = problems.problems.map(\.description).joined(separator: "; ")
                    logger.warning("the new configuration is not used", metadata: ["problems": "\(text)"])
                    tell(text)
                }
            case .rebuild:
                guard let next, decision.withLock({ $0 == nil }) else { continue }
                await prepare(next)
                decision.withLock { if $0 == nil { $0 = .rebuild(next) } }
                await group.triggerGracefulShutdown()
            case .restart:
                decision.withLock { if $0 == nil { $0 = .restart } }
                await group.triggerGracefulShutdown()
            case .stop:
                // A signal overrules what else is on its way.
                decision.withLock { $0 = .stopped }
                await group.triggerGracefulShutdown()
            case .logLevel(let level):
                setLogLevel(level)
            }
        }
    }
}

/// The daemon ended, and nobody had asked it to: a bug, which must not look like an ordered end.
struct UnexpectedEnd: Error, CustomStringConvertible {
    var description: String { "the daemon ended without having been asked to; this is a bug" }
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
