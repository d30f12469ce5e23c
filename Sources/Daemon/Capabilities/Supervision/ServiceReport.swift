package import OperatingSystem
import Threading

/// Reports to the supervisor what the daemon does; without one, nothing happens.
///
/// It outlives the single daemon: a reload may replace that.
package final class ServiceReport: Sendable {
    private let supervisor: ServiceSupervisor?
    private let phase = Locked(ServicePhase())

    package init(to supervisor: ServiceSupervisor? = nil) { self.supervisor = supervisor }

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

    private func send(_ change: (inout ServicePhase) -> [ServiceSupervisor.Message]) {
        guard let supervisor else { return }
        let messages = phase.withLock { change(&$0) }
        if !messages.isEmpty { supervisor.send(messages) }
    }
}
