package import Accounts
package import Controller
import GRDB
package import History
package import Logging
import ServiceLifecycle
import Threading

/// What is kept of the reports of things, as long as the daemon runs: their last states, and their history.
///
/// The history's file is opened when something is to be in it, or was: a home without such things has none.
/// - Source: contrib/contract/bindings.md, "History".
package final class ThingRecords: Service {
    package static let alert = "history"

    private struct State {
        var history: HistoryStore?
        var limits: HistoryLimits
        /// What people should know, and whether it is an error.
        var problem: (message: String, isError: Bool)?
        var isClosed = false
    }

    let states: ReportedStates
    private let state: Locked<State>
    private let path: String
    private let clock: @Sendable () -> Int64
    private let send: @Sendable (ControllerEvent) -> Void
    private let logger: Logger

    /// - Parameters:
    ///   - path: Of the history's file.
    ///   - clock: Milliseconds since 1970, UTC.
    ///   - send: Receives the alert.
    /// - Throws: If the bindings cannot be read.
    package init(
        _ accounts: AccountsStore,
        history path: String,
        _ limits: HistoryLimits = HistoryLimits(),
        clock: @escaping @Sendable () -> Int64,
        send: @escaping @Sendable (ControllerEvent) -> Void,
        logger: Logger
    ) throws(AccountsError) {
        (self.path, self.clock, self.send, self.logger) = (path, clock, send, logger)
        states = try ReportedStates(accounts, logger: logger)
        state = Locked(State(limits: limits))
    }

    // MARK: The history

    /// The history, which is opened if it is not open yet; `nil` if it cannot be, or is closed.
    package var history: HistoryStore? {
        do {
            return try state.withLock { state in
                guard state.history == nil, !state.isClosed else { return state.history }
                state.history = try HistoryStore(path, state.limits, clock: clock) { [weak self] event in
                    self?.report(event)
                }
                return state.history
            }
        } catch {
            // The system allows no further thread.
            announce("The history cannot be opened: \(error).", isError: true)
            return nil
        }
    }

    /// Does work with the connection of the history, of which a backup is made with it.
    ///
    /// - Throws: If the history is not open, and what the work throws.
    func perform(_ work: @escaping @Sendable (Database) throws -> Bool) async throws -> Bool {
        guard let history else { throw HistoryError.closed(path: path) }
        // What waits to be stored is in the copy as well.
        await history.flush()
        return try await history.perform(work)
    }

    /// Follows other limits from now on.
    package func use(_ limits: HistoryLimits) async {
        let history = state.withLock { state in
            state.limits = limits
            return state.history
        }
        await history?.use(limits)
    }

    /// Raises the alert again if it was raised: a reload has cleared it.
    package func repeatAlert() {
        guard let problem = state.withLock({ $0.problem }) else { return }
        send(.alertRaised(Self.alert, problem.isError ? .error : .warning, message: problem.message))
    }

    private func announce(_ message: String, isError: Bool) {
        state.withLock { $0.problem = (message, isError) }
        repeatAlert()
    }

    private func report(_ event: HistoryEvent) {
        switch event {
        case .restarted(let damaged, let error):
            logger.error("the history was damaged", metadata: ["error": "\(error)", "moved": "\(damaged)"])
            announce(
                "The history was damaged, and another one was begun. The damaged one is \(damaged): \(error).",
                isError: false
            )
        case .failed(let error):
            logger.error("the history cannot be stored", metadata: ["error": "\(error)"])
            announce(
                "The history cannot be stored: \(error). Things report on, and their samples wait as long as there is room.",
                isError: true
            )
        case .recovered(let dropped):
            logger.notice("the history is stored again", metadata: ["dropped": "\(dropped)"])
            state.withLock { $0.problem = nil }
            send(.alertCleared(Self.alert))
        }
    }

    // MARK: The service

    /// Stores states until the shutdown, and closes the history then.
    package func run() async throws {
        await cancelWhenGracefulShutdown { await self.states.run() }
        // The group treats a service that returns early as failed.
        try? await gracefulShutdown()
        await close()
    }

    /// Stores what waits, and closes the history.
    package func close() async {
        states.flush()
        let history = state.withLock { state in
            state.isClosed = true
            defer { state.history = nil }
            return state.history
        }
        await history?.close()
    }
}
