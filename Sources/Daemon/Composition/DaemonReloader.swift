import Logging
import Settings
import Threading

/// Decides what a configuration that was read again changes in a running daemon, and changes it.
actor DaemonReloader {
    private let node: NodeReloader
    private let logger: Logger
    /// With the configuration in use.
    private var plans: (daemon: DaemonPlan, node: NodePlan)

    init(_ plan: DaemonPlan, _ nodePlan: NodePlan, _ node: NodeReloader, logger: Logger) {
        (plans, self.node, self.logger) = ((plan, nodePlan), node, logger)
    }

    /// The configuration in use.
    var configuration: TrilateralConfiguration { plans.daemon.configuration }

    /// Called once at a time.
    func reload(_ loaded: LoadedConfiguration) async -> TrilateralDaemon.Reload {
        var daemon = plans.daemon
        (daemon.configuration, daemon.files) = (loaded.values, loaded.files)
        let new = NodePlan(daemon, after: plans.node)
        let changes = NodeChanges(from: plans.node, to: new, hasFailedSource: node.hasFailedSource)
        guard let changes else { return .rebuild }
        let isSame = plans.daemon.configuration == daemon.configuration && changes.names.isEmpty
        if !isSame {
            do {
                try await node.apply(changes, new)
            } catch {
                return .refused("\(error)")
            }
        }
        plans = (daemon, new)
        daemon.secrets.use(loaded.values)
        // Before the log is written to, which may have moved.
        daemon.onApplied(loaded)
        let names = changes.names.joined(separator: ", ")
        logger.notice(
            isSame
                ? "configuration read again; nothing has changed"
                : "configuration read again; \(names.isEmpty ? "using it" : "restarted: \(names)")"
        )
        node.finish(new)
        return .applied
    }
}
