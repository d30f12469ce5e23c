package import OperatingSystem
import Threading

/// Reports to the supervisor what the daemon does; without one, nothing happens.
///
/// It outlives the single daemon: a reload may replace that. What the supervisor cannot take is repeated, as it would wait
/// for ever for a daemon that is ready.
package final class ServiceReport: Sendable {
    private typealias Messages = [ServiceSupervisor.Message]

    private struct State {
        var phase = ServicePhase()
        /// What the supervisor does not have yet, the oldest first.
        var unsent: [Messages] = []
        var isRepeating = false
    }

    /// The most that is kept for a supervisor that does not read.
    private static let mostUnsent = 16
    /// How often it is repeated after a failure; later with the next report.
    private static let mostRepeats = 60

    private let supervisor: ServiceSupervisor?
    private let pause: @Sendable () async throws -> Void
    private let state = Locked(State())

    /// - Parameter pause: Returns when what has failed is to be sent again.
    package init(
        to supervisor: ServiceSupervisor? = nil,
        pause: @escaping @Sendable () async throws -> Void = { try await Task.sleep(for: .seconds(1)) }
    ) {
        (self.supervisor, self.pause) = (supervisor, pause)
    }

    /// Whether anybody reads it.
    var isRead: Bool { supervisor != nil }

    /// How long the supervisor waits for a sign of life; `nil` if it does not.
    var watchdogTimeout: Duration? { supervisor?.watchdogTimeout }

    /// A daemon with a valid configuration begins, and opens these listeners.
    package func begun(opening listeners: Set<String>) { send { $0.begun(opening: listeners) } }

    /// A listener is open, or the daemon works without it.
    package func opened(_ listener: String) { send { $0.opened(listener) } }

    package func reloadBegun() {
        let now = ServiceSupervisor.monotonicTime
        send { $0.reloadBegun(at: now) }
    }

    /// The configuration that was read again is in use, or refused.
    package func reloadEnded() { send { $0.reloadEnded() } }

    package func stopBegun() { send { $0.stopBegun() } }

    /// Replaces the line for people.
    func show(_ status: String) { supervisor?.send([.status(status)]) }

    /// Everything that has to work has worked just now, or the daemon is being built anew.
    func feedWatchdog() {
        guard watchdogTimeout != nil else { return }
        supervisor?.send([.watchdog])
    }

    private func send(_ change: (inout ServicePhase) -> Messages) {
        guard let supervisor else { return }
        let mustRepeat = state.withLock { state in
            let messages = change(&state.phase)
            guard !messages.isEmpty else { return false }
            state.unsent.append(messages)
            if state.unsent.count > Self.mostUnsent { state.unsent.removeFirst() }
            guard !Self.sendAll(&state.unsent, to: supervisor, waits: true), !state.isRepeating else {
                return false
            }
            state.isRepeating = true
            return true
        }
        if mustRepeat { Task { await self.sendAgain(to: supervisor) } }
    }

    private func sendAgain(to supervisor: ServiceSupervisor) async {
        for _ in 0..<Self.mostRepeats {
            guard (try? await pause()) != nil else { break }
            let isDone = state.withLock { state in
                let isDone = Self.sendAll(&state.unsent, to: supervisor, waits: false)
                if isDone { state.isRepeating = false }
                return isDone
            }
            if isDone { return }
        }
        state.withLock { $0.isRepeating = false }
    }

    /// Sends each in a datagram of its own, in order: of several in one, the last counts.
    ///
    /// - Returns: Whether the supervisor has all of them.
    private static func sendAll(
        _ unsent: inout [Messages],
        to supervisor: ServiceSupervisor,
        waits: Bool
    ) -> Bool {
        while let messages = unsent.first {
            guard supervisor.send(messages, waits: waits) else { return false }
            unsent.removeFirst()
        }
        return true
    }
}
