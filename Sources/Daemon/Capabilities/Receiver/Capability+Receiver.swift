import Messages
import Receivers
import Sensing
import Sensors
import ServiceLifecycle
import Settings

extension Capability {
    /// The daemon as a receiver; it listens to the same scan as the beacons.
    static let receiver = Capability(
        name: "receiver",
        settings: .receiver,
        inputs: { configuration in
            let settings = ConfigurationSection.receiver.keys.map { AnyHashable($0.encode(configuration)) }
            guard configuration.receiver.isEnabled else { return settings }
            // It has a connection of its own.
            return settings + [AnyHashable(configuration.mqtt), AnyHashable(configuration.receiver.keys)]
        },
        files: ["mqtt.tls.ca_file", "mqtt.tls.certificate_file", "mqtt.tls.key_file"],
        access: { configuration in
            configuration.receiver.isEnabled ? ReceiverSettings(configuration).access(configuration) : []
        },
        secrets: { $0.receiver.keys.entries.map { $0.key.reveal() } },
        build: { context in
            guard context.configuration.receiver.isEnabled else { return nil }
            let links = context.links
            let (states, port) = AsyncStream.makeStream(of: Bool.self)
            let receiver = ReceiverService(
                ReceiverSettings(context.configuration),
                feed: context.packets,
                link: context.configuration.mqtt,
                clock: context.clocks.steady,
                onLink: { port.yield($0) },
                logger: context.logger
            )
            var parts = CapabilityParts()
            parts.features = ["receiver"]
            parts.links = ["receiver"]
            parts.counters = { receiver.counters }
            parts.services = [
                DaemonService.untilShutdown("receiver's link") {
                    for await isUp in states { await links.linkChanged("receiver", isUp) }
                },
                DaemonService(name: "receiver") {
                    await withGracefulShutdownHandler {
                        await receiver.run()
                    } onGracefulShutdown: {
                        // A task, because this handler must not wait for the broker; run() returns after it.
                        Task { await receiver.stop() }
                    }
                },
            ]
            return parts
        }
    )
}

extension ReceiverSettings {
    /// What the receiver's user needs on the broker.
    fileprivate func access(_ configuration: TrilateralConfiguration) -> [AccessList.Grant] {
        let topics = ReceiverTopics(base: topic)
        let keys: [AccessList.Grant] =
            Self.takesKeys(over: configuration.mqtt) ? [.init(access: .read, filter: topics.keys)] : []
        return [
            .init(access: .write, filter: "\(topic)/devices/+/\(name)"),
            .init(access: .write, filter: topics.status(of: name)),
            .init(access: .write, filter: topics.telemetry(of: name)),
        ] + keys
    }
}
