/// When a station tells its address: at once, every period, and after a change; after a failure in 1, 2, 4 … s.
///
/// After the first time, after a change and every 10 minutes it also asks whether the resolver knows it. Times are
/// milliseconds of the steady clock.
/// - Source: contrib/contract/directory.md, "The announcer".
package struct AnnouncerSchedule: Sendable {
    /// What to do next.
    package enum Task: Sendable, Hashable {
        case announce
        /// Ask for the own serial.
        case check
    }

    private static let checkInterval: Int64 = 600_000
    /// Failures of so many periods are worth an alert.
    package static let alertPeriods: Int64 = 3

    private let period: Int64
    private var next: Int64
    private var isCheckDue = true
    private var checkedAt: Int64?
    private var failures = 0
    /// Since when nothing has succeeded.
    private var failingSince: Int64?
    private var isBusy = false
    private var isChanged = false

    /// - Parameter period: Milliseconds.
    package init(period: Int64, now: Int64) { (self.period, next) = (max(1000, period), now) }

    /// When to call ``tick(now:)``; `nil` while a task is running.
    package var deadline: Int64? { isBusy ? nil : next }

    /// Whether nothing has succeeded for three periods.
    package func isFailing(at now: Int64) -> Bool {
        failingSince.map { now - $0 >= Self.alertPeriods * period } ?? false
    }

    /// The task that is due; call ``ended(isSuccess:now:chance:)`` after it.
    package mutating func tick(now: Int64) -> Task? {
        guard !isBusy, now >= next else { return nil }
        isBusy = true
        isChanged = false
        return .announce
    }

    /// The system has another address, or the network is back.
    package mutating func addressChanged(now: Int64) {
        (isChanged, isCheckDue) = (true, true)
        next = min(next, now)
    }

    /// An announcement or a check has ended.
    ///
    /// - Parameter chance: A random number, 0 to 1: periods vary by a tenth, so that stations do not come all at once.
    /// - Returns: ``Task/check`` if it follows at once.
    package mutating func ended(_ task: Task, isSuccess: Bool, now: Int64, chance: Double) -> Task? {
        isBusy = false
        guard isSuccess else {
            failingSince = failingSince ?? now
            let pause = min(1000 << Int64(min(failures, 20)), period)
            failures += 1
            isCheckDue = true
            next = isChanged ? now : now + pause
            return nil
        }
        if task == .announce, isCheckDue || checkedAt.map({ now - $0 >= Self.checkInterval }) ?? true {
            isBusy = true
            return .check
        }
        if task == .check { (isCheckDue, checkedAt) = (isChanged, now) }
        (failures, failingSince) = (0, nil)
        let factor = 0.9 + min(max(chance, 0), 1) * 0.2
        next = isChanged ? now : now + Int64(Double(period) * factor)
        return nil
    }
}
