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
        switchedOff: { $0.beacons.isEnabled ? [] : [.beacons] }
    ) { context in
        let beacons = context.configuration.beacons
        guard !context.isReplaying,
            let bluetooth = try BluetoothService(
                beacons.scanning,
                ephemerals: EphemeralBeacons(beacons.ephemeralBeacons),
                isOn: !context.switchedOff.contains(.beacons),
                clocks: context.clocks,
                logger: context.logger
            )
        else { return nil }
        var parts = CapabilityParts()
        parts.features = ["beacons"]
        parts.sources = [bluetooth.scanner.source]
        parts.adapterAddress = { bluetooth.adapterAddress }
        parts.sensorSwitched = { sensor, on in
            if sensor == .beacons { bluetooth.power.set(on: on) }
        }
        parts.counters = { bluetooth.counters }
        parts.services = [DaemonService.untilShutdown("bluetooth") { await bluetooth.run(context.links) }]
        return parts
    }
}
