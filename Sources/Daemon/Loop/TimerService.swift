package import Controller

/// Carries out the controller's timers: each fires once, and is replaced when it is started again.
package struct TimerService: Sendable {
    /// One start of a timer.
    ///
    /// A firing counts only while its start is the last one.
    package struct Firing: Sendable, Hashable {
        package let timer: ControllerTimer
        fileprivate let number: Int
    }

    private let sleep: @Sendable (Duration) async throws -> Void
    private let fire: @Sendable (Firing) -> Void
    private var running: [ControllerTimer: (number: Int, task: Task<Void, Never>)] = [:]
    private var starts = 0

    /// - Parameters:
    ///   - sleep: Waits; throws when its task is cancelled.
    ///   - fire: Called from another task when a timer is due; pass its argument to ``accept(_:)``.
    package init(
        sleep: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) },
        fire: @escaping @Sendable (Firing) -> Void
    ) {
        (self.sleep, self.fire) = (sleep, fire)
    }

    package mutating func start(_ timer: ControllerTimer, after delay: Duration) {
        stop(timer)
        starts += 1
        let firing = Firing(timer: timer, number: starts)
        // A task of its own, since timers start and stop one by one; it is cancelled by stop and stopAll.
        let task = Task { [sleep, fire] in
            guard (try? await sleep(delay)) != nil else { return }
            fire(firing)
        }
        running[timer] = (starts, task)
    }

    package mutating func stop(_ timer: ControllerTimer) {
        running.removeValue(forKey: timer)?.task.cancel()
    }

    package mutating func stopAll() {
        for timer in running.values { timer.task.cancel() }
        running = [:]
    }

    /// - Returns: Whether the firing still counts: the timer was not stopped or started again meanwhile.
    package mutating func accept(_ firing: Firing) -> Bool {
        guard running[firing.timer]?.number == firing.number else { return false }
        running[firing.timer] = nil
        return true
    }
}
