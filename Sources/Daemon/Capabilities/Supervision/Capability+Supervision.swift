import Controller
import HTTPListener
import MQTT
import Threading

extension Capability {
    /// The state of the daemon for the supervisor that has started it: one line, and signs of life.
    static let supervision = Capability(name: "supervision", inputs: { _ in [] }) { context in
        let report = context.service
        guard report.isRead else { return nil }
        let status = Locked(ServiceStatus())
        let (lines, port) = AsyncStream.makeStream(of: String.self, bufferingPolicy: .bufferingNewest(1))
        @Sendable func update(_ change: (inout ServiceStatus) -> Void) {
            let line = status.withLock { status -> String? in
                let old = status
                change(&status)
                return status == old ? nil : status.line
            }
            if let line { port.yield(line) }
        }
        port.yield(status.withLock { $0.line })

        var parts = CapabilityParts()
        parts.brokerLinkChanged = { isUp in update { $0.isBrokerConnected = isUp } }
        parts.observer = StateObserver(where: { $0.isOfServiceStatus }) { snapshot in
            // The daemon works without the page, whose alert says so.
            if snapshot.state.alerts["web"] != nil { report.opened("web") }
            update { status in
                status.isFlareConnected = snapshot.state.isLinkUp
                status.alerts = snapshot.state.alerts.keys.sorted()
            }
        }
        parts.services = [
            DaemonService.untilShutdown("service status") {
                for await line in lines {
                    report.show(line)
                    // What changes meanwhile is shown after that, if it lasts.
                    try? await Task.sleep(for: .seconds(1))
                }
            }
        ]
        if let timeout = report.watchdogTimeout {
            let watchdog = Watchdog(
                timeout: timeout,
                [
                    { [loop = context.loop] in await loop.nextTurn() },
                    { [client = context.client] in await client.nextRound() },
                    { await ListenerLoops.nextTurns() },
                ],
                feed: report.feedWatchdog
            )
            parts.services.append(DaemonService.untilShutdown("watchdog") { await watchdog.run() })
        }
        return parts
    }
}

extension StateChange {
    /// Whether the line for the supervisor depends on it.
    fileprivate var isOfServiceStatus: Bool {
        switch self {
        case .link, .alert: true
        default: false
        }
    }
}
