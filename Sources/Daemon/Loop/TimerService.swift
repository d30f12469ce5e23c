package import Controller

/// Runs the controller's timers: each fires once; starting it again replaces it.
package struct TimerService: Sendable {
    /// A timer that is due.
    ///
    /// It is ignored if the timer was stopped or started again meanwhile.
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
        // Unstructured, because timers start and stop one by one; cancelled by stop and stopAll.
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

    /// - Returns: `false` if the timer was stopped or started again meanwhile.
    package mutating func accept(_ firing: Firing) -> Bool {
        guard running[firing.timer]?.number == firing.number else { return false }
        running[firing.timer] = nil
        return true
    }
}
