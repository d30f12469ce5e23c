import Logging
import Settings
import Threading

/// Decides what a configuration that was read again changes in a running daemon, and changes it.
final class DaemonReloader: Sendable {
    private let node: NodeReloader
    private let logger: Logger
    /// With the configuration in use.
    private let plan: Locked<DaemonPlan>

    init(_ plan: DaemonPlan, _ node: NodeReloader, logger: Logger) {
        (self.plan, self.node, self.logger) = (Locked(plan), node, logger)
    }

    func reload(_ loaded: LoadedConfiguration) -> TrilateralDaemon.Reload {
        let old = plan.withLock { $0 }
        var new = old
        (new.configuration, new.files) = (loaded.values, loaded.files)
        let plans = (old: NodePlan(old), new: NodePlan(new))
        let changes = NodeChanges(from: plans.old, to: plans.new, hasFailedSource: node.hasFailedSource)
        guard let changes else { return .rebuild }
        plan.withLock { $0 = new }
        let isSame = old.configuration == new.configuration && changes.isEmpty
        return .apply { [node, logger, new] in
            do {
                try await node.apply(changes, plans.new)
            } catch {
                logger.error("a part cannot be restarted alone", metadata: ["error": "\(error)"])
                return false
            }
            new.secrets.use(loaded.values)
            // Before the log is written to, which may have moved.
            new.onApplied(loaded)
            let names = changes.capabilities.sorted().joined(separator: ", ")
            logger.notice(
                isSame
                    ? "configuration read again; nothing has changed"
                    : "configuration read again; \(names.isEmpty ? "using it" : "restarted: \(names)")"
            )
            node.use(plans.new)
            return true
        }
    }
}
