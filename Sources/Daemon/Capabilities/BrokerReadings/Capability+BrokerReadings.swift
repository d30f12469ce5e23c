import Controller
import MQTT
import Messages
import Sensing
import Sensors
import Settings
import Threading

extension Capability {
    /// Readings that other programs and ESPresense nodes publish on the broker.
    static let brokerReadings = Capability(
        name: "readings",
        settings: .espresense,
        alerts: ["sensor-readings", "receivers", "receiver-messages"],
        access: { configuration in
            let espresense = configuration.espresense
            guard let filter = espresense.filter else { return [] }
            let rooms = ["status", "telemetry"].map { "\(espresense.topic)/rooms/+/\($0)" }
            return ([filter] + rooms).map { .init(access: .read, filter: $0) }
        },
        build: { context in
            let refused = Locked(RefusedReadings())
            let receivers = context.receivers
            let espresense = context.configuration.espresense
            receivers.use(topic: espresense.topic, device: espresense.device)
            receivers.record(linkIsUp: false, at: context.clocks.steady())
            let (send, clock) = (context.send, context.clocks.steady)
            let shown = Locked<(silent: String?, unusable: String?)>((nil, nil))
            @Sendable func showReceivers() {
                let alerts = receivers.alerts
                let last = shown.withLock { last in
                    defer { last = alerts }
                    return last
                }
                if alerts.silent != last.silent { send(.alert("receivers", .warning, alerts.silent)) }
                if alerts.unusable != last.unusable {
                    send(.alert("receiver-messages", .warning, alerts.unusable))
                }
            }
            let readings = RawReadings(
                client: context.client,
                root: context.topics.root,
                receivers: receivers,
                clocks: context.clocks,
                logger: context.logger,
                report: { readings in
                    let hasChanged = refused.withLock { last in
                        defer { last = readings }
                        return last.problem != readings.problem
                    }
                    if hasChanged { send(.alert("sensor-readings", .warning, readings.problem)) }
                },
                onReceivers: showReceivers
            )
            var parts = CapabilityParts()
            parts.sources = [readings.source]
            parts.receiversExpected = { names in
                if !receivers.expect(names, at: clock()).isEmpty { showReceivers() }
            }
            parts.brokerLinkChanged = { receivers.record(linkIsUp: $0, at: clock()) }
            parts.counters = { ["readings_refused": refused.withLock { $0.count }] }
            if !context.isReplaying {
                // What this machine's adapter hears, for who looks for a device.
                let name = ReceiverSettings(context.configuration).name
                parts.services = [
                    DaemonService.untilShutdown("heard devices") { [packets = context.packets] in
                        let id = packets.add { payload, sender, rssi in
                            receivers.record(payload, from: sender, rssi: rssi, by: name, at: clock())
                        }
                        defer { packets.remove(id) }
                        while (try? await Task.sleep(for: .seconds(86_400))) != nil {}
                    }
                ]
            }
            return parts
        }
    )
}
