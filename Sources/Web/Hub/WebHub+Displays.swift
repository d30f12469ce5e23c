import Controller
import Things

/// The displays' side of the hub.
extension WebHub {
    /// A display says whether it is visible.
    ///
    /// - Returns: Why it does not count.
    func setPresence(_ presence: Lifecycle.DisplayPresence, of display: String) -> Refusal? {
        guard let outcome = displays.set(display, presence) else {
            let most = configuration.maximumDisplays
            return Refusal(.rateLimited, "\(most) displays are attached already; more do not count")
        }
        perform(outcome, on: display)
        return nil
    }

    func perform(_ outcome: DisplayRegistry.Outcome, on display: String) {
        if let presence = outcome.presence {
            // Displays of other interfaces have other prefixes.
            node.send(.displayChanged(id: "web/\(display)", presence))
            streams.setVisible(displays.visible)
        }
        displayTimers.removeValue(forKey: display)?.cancel()
        guard let timer = outcome.timer, !isStopping else { return }
        // Unstructured, because each display has a timer of its own; cancelled by the next one.
        displayTimers[display] = Task {
            guard (try? await Task.sleep(for: timer.duration)) != nil else { return }
            self.expire(timer)
        }
    }

    private func expire(_ timer: DisplayRegistry.Timer) {
        perform(displays.expire(timer), on: timer.display)
    }
}
