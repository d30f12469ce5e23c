import Controller
import Logging

extension StateSnapshot {
    /// Logs which names of the configuration nothing has, when that has changed: the controller only raises an alert.
    func logUnknownNames(_ logger: Logger) {
        let id = ConfiguredName.alert
        guard changes.contains(.alert(id)), let alert = state.alerts[id] else { return }
        logger.warning("names without effect", metadata: ["why": "\(alert.message)"])
    }
}
