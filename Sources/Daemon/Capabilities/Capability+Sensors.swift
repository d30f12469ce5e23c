import Controller
import MQTT
import Messages
import Sensing
import Sensors
import Settings
import Threading

extension Capability {
    /// Readings that other programs publish on the broker, and what ESPresense nodes hear.
    static let brokerReadings = Capability(
        name: "readings",
        access: { configuration in
            [configuration.sensors.espresenseFilter].compactMap(\.self).map {
                .init(access: .read, filter: $0)
            }
        },
        build: { context in
            let refused = Locked(RefusedReadings())
            let readings = RawReadings(
                client: context.client,
                root: context.topics.root,
                espresense: context.configuration.sensors.espresenseFilter,
                logger: context.logger
            ) { readings in
                let isNews = refused.withLock { last in
                    defer { last = readings }
                    return last.problem != readings.problem
                }
                guard isNews else { return }
                context.send(
                    readings.problem.map { .alertRaised("sensor-readings", .warning, message: $0) }
                        ?? .alertCleared("sensor-readings")
                )
            }
            var parts = CapabilityParts()
            parts.features = ["beacons"]
            parts.sources = [readings.source]
            parts.counters = { ["readings_refused": refused.withLock { $0.count }] }
            return parts
        }
    )

    /// The Bluetooth adapter that listens for beacons.
    static let bluetooth = Capability(name: "bluetooth") { context in
        guard !context.isReplaying,
            let bluetooth = try BluetoothService(
                context.configuration.sensors,
                isOn: !context.switchedOff.contains(.beacons),
                logger: context.logger
            )
        else { return nil }
        var parts = CapabilityParts()
        parts.sources = [bluetooth.scanner.source]
        parts.adapterAddress = { bluetooth.adapterAddress }
        parts.sensorSwitched = { sensor, on in
            if sensor == .beacons { bluetooth.power.set(on: on) }
        }
        parts.counters = { bluetooth.counters }
        parts.services = [DaemonService.untilShutdown("bluetooth") { await bluetooth.run(context.links) }]
        return parts
    }

    /// This machine's own compass and its gpsd.
    static let localSensors = Capability(name: "compass and gps") { context in
        guard !context.isReplaying else { return nil }
        let sensors = LocalSensors(
            context.configuration.sensors,
            switchedOff: context.switchedOff,
            calibration: context.store.calibrations(logger: context.logger),
            logger: context.logger
        )
        var parts = CapabilityParts()
        parts.sources = sensors.sources
        parts.sensorSwitched = { sensors.set($0, on: $1) }
        parts.services = [
            DaemonService.untilShutdown("compass and gps") {
                await sensors.run(context.links, logger: context.logger)
            }
        ]
        return parts
    }
}
