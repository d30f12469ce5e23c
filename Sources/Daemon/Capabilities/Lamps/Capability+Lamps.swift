import Bridge
import Controller
import Lamps
import MQTT
import Messages
import ServiceLifecycle
import Settings
import Threading

extension Capability {
    /// Links between things and real lamps on the broker.
    static let lamps = Capability(
        name: "lamps",
        settings: .lamps,
        alerts: ["lamps", "links"],
        access: { configuration in
            let dialects = configuration.links.compactMap(\.dialect)
            return Set(dialects.flatMap(\.topics)).sorted().map { .init(access: .read, filter: $0) }
                + Set(dialects.flatMap(\.publishedTopics)).sorted().map { .init(access: .write, filter: $0) }
        },
        build: { context in
            let links = context.configuration.links
            var meanings = try context.store.links()
            for name in Set(meanings.keys).subtracting(links.map(\.thing)) {
                meanings[name] = nil
                context.remember(.link(name, nil))
            }
            guard !links.isEmpty else { return nil }
            let ignored = Locked(0)
            let lamps = LampService(
                on: context.loop,
                links.compactMap(LampService.Pair.init),
                meanings: meanings,
                client: context.client,
                logger: context.logger,
                clock: context.clock,
                onGarbage: { ignored.withLock { $0 += 1 } },
                remember: context.remember,
                send: context.send
            )
            var parts = CapabilityParts()
            parts.features = ["links"]
            parts.counters = { ["lamp_messages_ignored": ignored.withLock { $0 }] }
            parts.observer = StateObserver(where: LampService.isInterested) { snapshot in
                lamps.onExecutor { $0.observe(snapshot) }
            }
            parts.brokerLinkChanged = { isUp in lamps.onExecutor { $0.brokerChanged(isUp: isUp) } }
            parts.answers = (.lamp, { answer in lamps.onExecutor { $0.receive(answer) } })
            parts.services = [
                DaemonService(name: "lamps") {
                    let subscription = await lamps.subscribe()
                    try? await gracefulShutdown()
                    subscription.cancel()
                    await lamps.end()
                }
            ]
            return parts
        }
    )
}

extension LampService.Pair {
    /// `nil` if a required key is missing, which the decoder refuses.
    fileprivate init?(_ settings: LampSettings) {
        guard let dialect = settings.dialect else { return nil }
        self.init(thing: settings.thing, dialect: dialect)
    }
}
