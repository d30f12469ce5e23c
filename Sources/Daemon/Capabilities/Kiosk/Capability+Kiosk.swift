import Accounts
import Bridge
import Controller
import HTTPListener
import Logging
import Settings
import Threading
import Web

extension Capability {
    /// The kiosk page for displays, and the API over HTTP.
    static let kiosk = Capability(
        name: "kiosk",
        settings: .kiosk,
        alerts: ["web", "web-certificate"],
        inputs: { configuration in
            var web = configuration.web
            // Email messages and the command line name it, and the accounts know it.
            web.publicURL = nil
            return [web, WebConfiguration(configuration), configuration.people.proxy]
        },
        files: ["profiles.modules"],
        secrets: { [$0.web.access.passwordText] }
    ) { context in
        guard let web = WebConfiguration(context.configuration) else {
            context.sockets.close("web")
            return nil
        }
        let listen = HostAndPort(host: web.listener.host, port: web.listener.port)
        let (logger, onListening) = (context.logger, context.onListening)
        let people = try WebPeople(context)
        let hub = WebHub(
            web,
            node: WebNode(
                loop: context.loop,
                commands: context.commands,
                routes: context.routes,
                state: context.state,
                send: context.send,
                clock: context.clock,
                allows: context.allows,
                people: people
            )
        )
        context.accounts.onChange { [loop = context.loop, weak hub] in
            loop.perform { [weak hub] in hub?.onExecutor { $0.lookAgain() } }
        }
        var parts = CapabilityParts()
        parts.features = ["kiosk"]
        parts.counters = {
            let counters = hub.counters.withLock { $0 }
            var values = counters.values
            if people.password != nil { values["sign_ins_refused"] = counters.refusedSignIns }
            return values
        }
        parts.observer = StateObserver { snapshot in hub.onExecutor { $0.observe(snapshot) } }
        parts.answers = (.kiosk, { answer in hub.onExecutor { $0.receive(answer) } })
        parts.service = { _, bridge in
            WebService(
                web,
                on: context.sockets.socket(of: "web", for: listen),
                hub: hub,
                problems: { await bridge.problems },
                metrics: {
                    HealthMetrics.metrics(of: await bridge.health, version: ProgramInfo.currentVersion)
                },
                logger: logger
            ) { port in
                StartReport(logger).webBound(web.listener, port: port)
                context.accounts.servePage(at: web.listener.address(onThisMachineAt: port))
                await onListening(port)
            }
        }
        return parts
    }
}
