import Bridge
import Controller
import JSON
import Logging
import MQTT
import Messages
import Profiles
import ServiceLifecycle
import Settings
import Threading
import Web

extension Capability {
    /// The lifecycle on the broker, the displays that tell it whether they are visible and what
    /// they show, and what a kiosk may do.
    static let lifecycle = Capability(
        name: "lifecycle",
        settings: .lifecycle,
        // The slices follow the configuration themselves.
        inputs: { _ in [] },
        commands: [.lifecycleSet, .screenSet],
        slices: { configuration in
            let screens = configuration.profiles.library.experience.map { experience in
                ScreenSettings(
                    names: experience.screens.map(\.name),
                    home: experience.homeScreen,
                    signIn: experience.signInScreen
                )
            }
            let settings = configuration.lifecycle.adding(configuration.profiles)
            return [Lifecycle(settings), Screens(screens)]
        }
    ) { context in
        let refused = RefusalLog("a display's presence is ignored", context.logger)
        let displays = BrokerDisplays(
            on: context.loop,
            topics: context.topics,
            onRefused: refused.record,
            send: context.send
        )
        var parts = CapabilityParts()
        parts.features = ["lifecycle"]
        parts.counters = { ["presence_refused": refused.count] }
        parts.renderers = [renderer(context.topics)]
        // Its level tells whether a thing is near.
        parts.routes = [.reading("/api/lifecycle") { $0.lifecycleJSON }]
        parts.policy = LevelPolicy()
        parts.brokerLinkChanged = { isUp in displays.onExecutor { $0.brokerChanged(isUp: isUp) } }
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

    /// The lifecycle, what each display shows, and whether it can be seen.
    private static func renderer(_ topics: Topics) -> MessageRenderer {
        MessageRenderer { snapshot in
            let state = snapshot.state
            return snapshot.changes.compactMap { change in
                if change == .lifecycle {
                    return (topics.lifecycle, state.hasDevice ? state.lifecycleJSON.bytes : [])
                }
                if let display = change.part(of: Screens.changes) {
                    return (topics.screen(display: display), state.screenJSON(of: display)?.bytes ?? [])
                }
                guard let display = change.part(of: Lifecycle.displayChanges) else { return nil }
                let word = state.lifecycle.isVisible(display).map { $0 ? "ON" : "OFF" } ?? ""
                return (topics.visible(display: display), Array(word.utf8))
            }
        }
    }
}
