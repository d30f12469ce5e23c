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

    /// What became of a configuration that was read again.
    package enum Reload: Sendable {
        /// It needs another daemon.
        case rebuild
        /// It is in use, and whoever asked for it was answered.
        case applied
        /// It does not work, for a reason; nothing has changed.
        case refused(String)
    }

    let services: [any Service]
    /// Requests to the shell, sent with ``requestPort``.
    let requests: AsyncStream<ShellRequest>
    package let requestPort: AsyncStream<ShellRequest>.Continuation
    /// Reads the configuration again.
    let read: @Sendable () -> Result<LoadedConfiguration, ConfigurationErrors>
    /// Called after it was read and needs another daemon, or with the problem.
    package let reportRead: @Sendable (_ problem: String?) -> Void
    /// Uses a configuration that was read again, as far as that is possible; called once at a time.
    let reload: @Sendable (LoadedConfiguration) async -> Reload
    /// Called before the daemon is replaced by one with another configuration.
    let prepare: @Sendable (LoadedConfiguration) async -> Void
    let setLogLevel: @Sendable (String) -> Void
    let service: ServiceReport
    let logger: Logger

    package init(
        services: [any Service],
        requests: AsyncStream<ShellRequest>,
        requestPort: AsyncStream<ShellRequest>.Continuation,
        read: @escaping @Sendable () -> Result<LoadedConfiguration, ConfigurationErrors>,
        reportRead: @escaping @Sendable (_ problem: String?) -> Void,
        reload: @escaping @Sendable (LoadedConfiguration) async -> Reload = { _ in .rebuild },
        prepare: @escaping @Sendable (LoadedConfiguration) async -> Void,
        setLogLevel: @escaping @Sendable (String) -> Void,
        service: ServiceReport = ServiceReport(),
        logger: Logger
    ) {
        (self.services, self.requests, self.requestPort) = (services, requests, requestPort)
        (self.read, self.reportRead, self.reload) = (read, reportRead, reload)
        (self.prepare, self.setLogLevel) = (prepare, setLogLevel)
        (self.service, self.logger) = (service, logger)
    }

    /// Runs until it is asked to end or its task is cancelled.
    ///
    /// Services start in order and stop in reverse.
    /// - Throws: The error of a service that failed; ``UnexpectedEnd`` if it ended without a request.
    package func run() async throws -> End {
        let group = ServiceGroup(of: services, logger: logger)
        // Set before the shutdown begins.
        let decision = Locked<End?>(nil)
        return try await withThrowingTaskGroup(of: Void.self) { tasks in
            let next = Locked<LoadedConfiguration?>(nil)
            let (readings, reading) = AsyncStream.makeStream(of: Void.self)
            tasks.addTask { await handleRequests(group, decision, next, reading) }
            // Beside the requests, so that a stop need not wait for it; one after the other.
            tasks.addTask {
                // The next daemon reads what was asked for after that.
                for await _ in readings where decision.withLock({ $0 == nil }) { await readAgain(next) }
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

    private func readAgain(_ next: Locked<LoadedConfiguration?>) async {
        service.reloadBegun()
        switch read() {
        case .success(let configuration):
            switch await reload(configuration) {
            case .applied: service.reloadEnded()
            case .rebuild:
                next.withLock { $0 = configuration }
                reportRead(nil)
            case .refused(let problem): refuse(problem)
            }
        case .failure(let problems): refuse(problems.problems.map(\.description).joined(separator: "; "))
        }
    }

    private func refuse(_ problem: String) {
        logger.warning("the new configuration is not used", metadata: ["problems": "\(problem)"])
        reportRead(problem)
        service.reloadEnded()
    }

    private func handleRequests(
        _ group: ServiceGroup,
        _ decision: Locked<End?>,
        _ next: Locked<LoadedConfiguration?>,
        _ reading: AsyncStream<Void>.Continuation
    ) async {
        defer { reading.finish() }
        for await request in requests {
            switch request {
            case .readConfiguration: reading.yield()
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
                service.stopBegun()
                await group.triggerGracefulShutdown()
            case .logLevel(let level):
                setLogLevel(level)
            }
        }
    }

    /// - Returns: `false` if the end was decided before.
    private func decide(_ end: End, _ decision: Locked<End?>) -> Bool {
        let isFirst = decision.withLock {
            guard $0 == nil else { return false }
            $0 = end
            return true
        }
        // Nothing gives signs of life between the end of this daemon and the beginning of the next one.
        if isFirst { service.feedWatchdog() }
        return isFirst
    }
}

/// The daemon ended without a request, which is a bug.
package struct UnexpectedEnd: Error, CustomStringConvertible {
    package init() {}

    package var description: String { "the daemon ended without a request; this is a bug" }
}
