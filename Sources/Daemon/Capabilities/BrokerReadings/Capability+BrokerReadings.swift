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
        alerts: ["sensor-readings"],
        access: { configuration in
            configuration.espresense.filter.map { [.init(access: .read, filter: $0)] } ?? []
        },
        build: { context in
            let refused = Locked(RefusedReadings())
            let readings = RawReadings(
                client: context.client,
                root: context.topics.root,
                espresense: context.configuration.espresense.filter,
                clocks: context.clocks,
                logger: context.logger
            ) { readings in
                let hasChanged = refused.withLock { last in
                    defer { last = readings }
                    return last.problem != readings.problem
                }
                if hasChanged { context.send(.alert("sensor-readings", .warning, readings.problem)) }
            }
            var parts = CapabilityParts()
            parts.sources = [readings.source]
            parts.counters = { ["readings_refused": refused.withLock { $0.count }] }
            return parts
        }
    )
}
