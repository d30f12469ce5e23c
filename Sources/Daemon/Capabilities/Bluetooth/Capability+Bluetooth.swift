import Controller
import Positioning
import Sensing
import Sensors
import Settings

extension Capability {
    /// The Bluetooth adapter that scans for beacons.
    static let bluetooth = Capability(
        name: "bluetooth",
        settings: .beacons,
        alerts: ["bluetooth"],
        inputs: { configuration in
            ConfigurationSection.beacons.keys.map { AnyHashable($0.encode(configuration)) }
                + [AnyHashable(configuration.receiver.isEnabled)]
        },
        switchedOff: { $0.beacons.isEnabled ? [] : [.beacons] }
    ) { context in
        let beacons = context.configuration.beacons
        // A receiver hears others whether or not this device uses beacons.
        let isReceiver = context.configuration.receiver.isEnabled
        guard !context.isReplaying,
            let bluetooth = try BluetoothService(
                beacons.scanning,
                ephemerals: EphemeralBeacons(beacons.ephemeralBeacons),
                feed: context.packets,
                isOn: isReceiver || !context.switchedOff.contains(.beacons),
                isReceiver: isReceiver,
                clocks: context.clocks,
                logger: context.logger
            )
        else { return nil }
        var parts = CapabilityParts()
        parts.features = ["beacons"]
        parts.sources = [bluetooth.scanner.source]
        parts.adapterAddress = { bluetooth.adapterAddress }
        parts.sensorSwitched = { sensor, on in
            if sensor == .beacons { bluetooth.power.set(on: on || isReceiver) }
        }
        parts.counters = { bluetooth.counters }
        parts.services = [DaemonService.untilShutdown("bluetooth") { await bluetooth.run(context.links) }]
        return parts
    }
}
