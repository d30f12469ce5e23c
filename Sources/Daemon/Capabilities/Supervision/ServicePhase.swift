package import OperatingSystem

/// What the daemon does as a service, and what to report of it to the supervisor.
package struct ServicePhase: Sendable, Hashable {
    private enum Phase { case starting, running, reloading, stopping }

    private var phase = Phase.starting
    /// The listeners that have no socket yet.
    private var closed: Set<String> = []

    package init() {}

    /// A daemon with a valid configuration begins, and opens these listeners.
    package mutating func begun(opening listeners: Set<String>) -> [ServiceSupervisor.Message] {
        closed = listeners
        return settled()
    }

    /// A listener is open, or the daemon works without it.
    package mutating func opened(_ listener: String) -> [ServiceSupervisor.Message] {
        closed.remove(listener) == nil ? [] : settled()
    }

    /// - Parameter now: Monotonic time, microseconds.
    package mutating func reloadBegun(at now: UInt64) -> [ServiceSupervisor.Message] {
        // The supervisor expects no reload of what has not started.
        guard phase == .running else { return [] }
        phase = .reloading
        return [.reloading(since: now)]
    }

    /// The configuration that was read again is in use, or refused.
    package mutating func reloadEnded() -> [ServiceSupervisor.Message] { settled() }

    package mutating func stopBegun() -> [ServiceSupervisor.Message] {
        guard phase != .stopping else { return [] }
        phase = .stopping
        return [.stopping]
    }

    private mutating func settled() -> [ServiceSupervisor.Message] {
        guard closed.isEmpty, phase == .starting || phase == .reloading else { return [] }
        phase = .running
        return [.ready]
    }
}
