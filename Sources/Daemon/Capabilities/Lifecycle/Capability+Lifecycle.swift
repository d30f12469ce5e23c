import Bridge
import Controller
import Logging
import MQTT
import Messages
import ServiceLifecycle
import Settings
import Threading

extension Capability {
    /// The lifecycle on the broker, the displays that tell it whether they are visible and what
    /// they show, and what a kiosk may do.
    static let lifecycle = Capability(
        name: "lifecycle",
        settings: .lifecycle,
        // The rules are the controller's.
        inputs: { _ in [] },
        commands: [.lifecycleSet, .screenSet]
    ) { context in
        let refused = Locked(0)
        let warnings = Locked<Set<String>>([])
        let logger = context.logger
        let displays = BrokerDisplays(
            on: context.loop,
            topics: context.topics,
            onRefused: { why in
                refused.withLock { $0 += 1 }
                guard warnings.withLock({ $0.insert(why).inserted }) else { return }
                logger.warning("a display's presence is ignored", metadata: ["why": "\(why)"])
            },
            send: context.send
        )
        var parts = CapabilityParts()
        parts.features = ["lifecycle"]
        parts.counters = { ["presence_refused": refused.withLock { $0 }] }
        parts.renderers = [
            MessageRenderer.lifecycle(context.topics), MessageRenderer.screens(context.topics),
        ]
        parts.policy = LevelPolicy()
        parts.brokerLinkChanged = { isUp in displays.assumeIsolated { $0.brokerChanged(isUp: isUp) } }
        let client = context.client
        parts.services = [
            DaemonService(name: "displays") {
                let subscription = await displays.subscribe(client)
                try? await gracefulShutdown()
                subscription.cancel()
            }
        ]
        return parts
    }
}
