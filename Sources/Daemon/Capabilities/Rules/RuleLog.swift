import Controller
import Logging
import Text
import Threading

/// Tells in the log what goes wrong with rules: firings that have failed, and rules that do not run.
///
/// A rule may fail each second, so it gets a line in a minute at most.
final class RuleLog: Sendable {
    private let logger: Logger
    /// Milliseconds of the steady clock.
    private let clock: @Sendable () -> Int64
    /// When each rule had its last line, by its number.
    private let lines = Locked<[Int: Int64]>([:])

    /// Between two lines of a rule, milliseconds.
    private static let interval: Int64 = 60_000

    init(_ logger: Logger, clock: @escaping @Sendable () -> Int64) {
        (self.logger, self.clock) = (logger, clock)
    }

    /// Whether a change is for the log.
    static func tells(_ change: StateChange) -> Bool {
        if case .alert(let id) = change { return ["rules", "rule-loop"].contains(id) }
        return change.part(of: RulesSlice.failureChanges) != nil
    }

    func observe(_ snapshot: StateSnapshot) {
        for id in ["rules", "rule-loop"] where snapshot.changes.contains(.alert(id)) {
            guard let alert = snapshot.state.alerts[id] else { continue }
            logger.notice("rules do not run", metadata: ["why": "\(alert.message)"])
        }
        let failed = snapshot.changes.compactMap {
            $0.part(of: RulesSlice.failureChanges).flatMap { Int($0) }
        }
        guard !failed.isEmpty else { return }
        let rules = snapshot.state.slices[RulesSlice.self].rules
        for id in failed.sorted() {
            guard let rule = rules[id], let failure = rule.last?.failure, isDue(id) else { continue }
            logger.notice(
                "a rule has failed",
                metadata: ["rule": "\(rule.slug)", "why": "\(SecretMask.tokens.masked(failure))"]
            )
        }
    }

    private func isDue(_ id: Int) -> Bool {
        let now = clock()
        return lines.withLock { lines in
            if let last = lines[id], now - last < Self.interval { return false }
            lines[id] = now
            return true
        }
    }
}
