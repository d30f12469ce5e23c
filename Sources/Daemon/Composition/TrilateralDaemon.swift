package import Logging
package import ServiceLifecycle
package import Settings
import Threading

/// A daemon that is built and ready to run; see ``TrilateralDaemon/build(_:logger:)`` for what it consists of.
package struct TrilateralDaemon: Sendable {
    /// Why a run ended.
    package enum End: Sendable {
        /// A signal asked for it.
        case stopped
        /// End the program and start it again.
        case restart
        /// A new configuration was read: build another daemon from it.
        case rebuild(LoadedConfiguration)
        /// Build the same daemon again, so that it opens its databases again.
        case reopen
    }

    let services: [any Service]
    let requests: AsyncStream<ShellRequest>
    package let requestPort: AsyncStream<ShellRequest>.Continuation
    let read: @Sendable () -> Result<LoadedConfiguration, ConfigurationErrors>
    package let tell: @Sendable (_ problem: String?) -> Void
    /// Called before the daemon ends for another one with a new configuration.
    let prepare: @Sendable (LoadedConfiguration) async -> Void
    let setLogLevel: @Sendable (String) -> Void
    let logger: Logger

    /// - Parameters:
    ///   - requests: What the shell is asked for; `requestPort` is where it comes from.
    ///   - read: Reads the configuration again.
    ///   - tell: Called with what came of reading it: what is wrong with it, or `nil`.
    ///   - prepare: Called before the daemon ends for another one with a new configuration.
    package init(
        services: [any Service],
        requests: AsyncStream<ShellRequest>,
        requestPort: AsyncStream<ShellRequest>.Continuation,
        read: @escaping @Sendable () -> Result<LoadedConfiguration, ConfigurationErrors>,
        tell: @escaping @Sendable (_ problem: String?) -> Void,
        prepare: @escaping @Sendable (LoadedConfiguration) async -> Void,
        setLogLevel: @escaping @Sendable (String) -> Void,
        logger: Logger
    ) {
        (self.services, self.requests, self.requestPort) = (services, requests, requestPort)
        (self.read, self.tell, self.prepare) = (read, tell, prepare)
        (self.setLogLevel, self.logger) = (setLogLevel, logger)
    }

    /// Runs until it is asked to end, or the surrounding task is cancelled.
    ///
    /// Services start in the order of their dependence and stop in reverse.
    /// - Throws: What made a service fail, since then the daemon cannot do its work; ``UnexpectedEnd`` when it ended
    ///   and nobody had asked for that.
    package func run() async throws -> End {
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

    /// Does what only the shell can do.
    private func obey(_ group: ServiceGroup, _ decision: Locked<End?>) async {
        var next: LoadedConfiguration?
        for await request in requests {
            switch request {
            case .readConfiguration:
                // What is read now would be lost: the next daemon reads it.
                guard decision.withLock({ $0 == nil }) else { continue }
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
                guard let next, decide(.rebuild(next), decision) else { continue }
                await prepare(next)
                await group.triggerGracefulShutdown()
            case .reopen:
                guard decide(.reopen, decision) else { continue }
                await group.triggerGracefulShutdown()
            case .restart:
                _ = decide(.restart, decision)
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

    /// - Returns: Whether this is how the run ends; false when that was decided before.
    private func decide(_ end: End, _ decision: Locked<End?>) -> Bool {
        decision.withLock {
            guard $0 == nil else { return false }
            $0 = end
            return true
        }
    }
}

/// The daemon ended, and nobody had asked it to: a bug, which must not look like an ordered end.
package struct UnexpectedEnd: Error, CustomStringConvertible {
    package init() {}

    package var description: String { "the daemon ended without having been asked to; this is a bug" }
}
