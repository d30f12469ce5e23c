package import Logging
package import ServiceLifecycle
package import Settings
import Threading

/// A daemon that is ready to run; see ``TrilateralDaemon/build(_:logger:)``.
package struct TrilateralDaemon: Sendable {
    /// Why a run ended.
    package enum End: Sendable {
        /// By a signal.
        case stopped
        /// Start the program again.
        case restart
        /// Build another daemon with the new configuration.
        case rebuild(LoadedConfiguration)
        /// Build the same daemon again, which opens its databases again.
        case reopen
    }

    /// What a configuration that was read again needs.
    package enum Reload: Sendable {
        /// Another daemon.
        case rebuild
        /// The restart of parts, or nothing; returns whether it was possible.
        case apply(@Sendable () async -> Bool)
    }

    let services: [any Service]
    let requests: AsyncStream<ShellRequest>
    package let requestPort: AsyncStream<ShellRequest>.Continuation
    let read: @Sendable () -> Result<LoadedConfiguration, ConfigurationErrors>
    package let reportRead: @Sendable (_ problem: String?) -> Void
    /// Decides what a configuration that was read again needs.
    let reload: @Sendable (LoadedConfiguration) -> Reload
    /// Called before the daemon is replaced by one with another configuration.
    let prepare: @Sendable (LoadedConfiguration) async -> Void
    let setLogLevel: @Sendable (String) -> Void
    let logger: Logger

    /// - Parameters:
    ///   - requests: Requests to the shell; sent with `requestPort`.
    ///   - read: Reads the configuration again.
    ///   - reportRead: Called after it was read, with the problem or `nil`.
    ///   - reload: Decides what a configuration that was read again needs.
    ///   - prepare: Called before the daemon is replaced by one with another configuration.
    package init(
        services: [any Service],
        requests: AsyncStream<ShellRequest>,
        requestPort: AsyncStream<ShellRequest>.Continuation,
        read: @escaping @Sendable () -> Result<LoadedConfiguration, ConfigurationErrors>,
        reportRead: @escaping @Sendable (_ problem: String?) -> Void,
        reload: @escaping @Sendable (LoadedConfiguration) -> Reload = { _ in .rebuild },
        prepare: @escaping @Sendable (LoadedConfiguration) async -> Void,
        setLogLevel: @escaping @Sendable (String) -> Void,
        logger: Logger
    ) {
        (self.services, self.requests, self.requestPort) = (services, requests, requestPort)
        (self.read, self.reportRead, self.reload) = (read, reportRead, reload)
        (self.prepare, self.setLogLevel, self.logger) = (prepare, setLogLevel, logger)
    }

    /// Runs until it is asked to end or its task is cancelled.
    ///
    /// Services start in order and stop in reverse.
    /// - Throws: The error of a service that failed; ``UnexpectedEnd`` if it ended without a request.
    package func run() async throws -> End {
        let group = ServiceGroup(
            configuration: .init(
                services: services.map { .ofDaemon($0) },
                logger: logger
            )
        )
        // Set before the shutdown begins.
        let decision = Locked<End?>(nil)
        return try await withThrowingTaskGroup(of: Void.self) { tasks in
            let next = Locked<LoadedConfiguration?>(nil)
            let (restarts, restart) = AsyncStream.makeStream(of: Restart.self)
            tasks.addTask { await handleRequests(group, decision, next, restart) }
            // Beside the requests, so that a stop need not wait for it; one after the other.
            tasks.addTask {
                for await restart in restarts where await !restart.apply() {
                    next.withLock { $0 = restart.configuration }
                    reportRead(nil)
                }
            }
            defer { tasks.cancelAll() }
            do {
                try await group.run()
            } catch {
                switch decision.withLock({ $0 }) {
                case .rebuild?, .reopen?, .restart?:
                    logger.error("a service failed while it was stopping", metadata: ["error": "\(error)"])
                case .stopped?, nil: throw error
                }
            }
            if let end = decision.withLock({ $0 }) { return end }
            guard Task.isCancelled else { throw UnexpectedEnd() }
            return .stopped
        }
    }

    /// The restart of parts with another configuration.
    private struct Restart: Sendable {
        let configuration: LoadedConfiguration
        let apply: @Sendable () async -> Bool
    }

    private func handleRequests(
        _ group: ServiceGroup,
        _ decision: Locked<End?>,
        _ next: Locked<LoadedConfiguration?>,
        _ restarts: AsyncStream<Restart>.Continuation
    ) async {
        defer { restarts.finish() }
        for await request in requests {
            switch request {
            case .readConfiguration:
                // The next daemon reads it.
                guard decision.withLock({ $0 == nil }) else { continue }
                switch read() {
                case .success(let configuration):
                    switch reload(configuration) {
                    case .rebuild:
                        next.withLock { $0 = configuration }
                        reportRead(nil)
                    case .apply(let apply):
                        restarts.yield(Restart(configuration: configuration, apply: apply))
                    }
                case .failure(let problems):
                    let text = problems.problems.map(\.description).joined(separator: "; ")
                    logger.warning("the new configuration is not used", metadata: ["problems": "\(text)"])
                    reportRead(text)
                }
            case .rebuild:
                guard let next = next.withLock({ $0 }), decide(.rebuild(next), decision) else { continue }
                await prepare(next)
                await group.triggerGracefulShutdown()
            case .reopen:
                guard decide(.reopen, decision) else { continue }
                await group.triggerGracefulShutdown()
            case .restart:
                _ = decide(.restart, decision)
                await group.triggerGracefulShutdown()
            case .stop:
                // A signal takes precedence.
                decision.withLock { $0 = .stopped }
                await group.triggerGracefulShutdown()
            case .logLevel(let level):
                setLogLevel(level)
            }
        }
    }

    /// - Returns: `false` if the end was decided before.
    private func decide(_ end: End, _ decision: Locked<End?>) -> Bool {
        decision.withLock {
            guard $0 == nil else { return false }
            $0 = end
            return true
        }
    }
}

/// The daemon ended without a request, which is a bug.
package struct UnexpectedEnd: Error, CustomStringConvertible {
    package init() {}

    package var description: String { "the daemon ended without a request; this is a bug" }
}
