import Bridge
import Controller
import HTTPListener
import Logging
import Settings
import Web

extension Capability {
    /// The kiosk page for displays, and the API over HTTP.
    static let kiosk = Capability(name: "kiosk", settings: .kiosk) { context in
        guard let web = WebConfiguration(context.configuration) else { return nil }
        let (logger, onListening) = (context.logger, context.onListening)
        let hub = WebHub(
            web,
            node: WebNode(
                loop: context.loop,
                state: context.state,
                send: context.send,
                clock: context.clock
            )
        )
        var parts = CapabilityParts()
        parts.features = ["kiosk"]
        parts.observer = StateObserver { snapshot in hub.assumeIsolated { $0.observe(snapshot) } }
        parts.answers = (.kiosk, { answer in hub.assumeIsolated { $0.receive(answer) } })
        parts.service = { _, bridge in
            WebService(web, hub: hub, problems: { await bridge.problems }, logger: logger) { port in
                StartReport(logger).webBound(host: web.listener.host, port: port)
                await onListening(port)
            }
        }
        return parts
    }
}
