package import Foundation
package import Positioning
package import Sensors
package import Settings

/// The beacons that give positions, and the Bluetooth adapter that scans for them.
package struct BeaconsConfiguration: Sendable, Hashable {
    package var isEnabled = true
    /// `nil` uses the environment's `data.uuid`.
    package var uuid: UUID?
    package var scanning = ScanSettings()
    package var identityKeysFile: String?
    /// The contents of that file.
    package var ephemeralBeacons: [EphemeralBeacon] = []
}

extension ConfigurationDefaults {
    package var beacons: BeaconsConfiguration { BeaconsConfiguration() }
}

extension ConfigurationSection {
    static let beacons = ConfigurationSection(
        summaries: ["sensors.beacons": "Bluetooth beacons (iBeacon, AltBeacon, Eddystone UID and EID)."],
        keys: ConfigurationKey.table([
            .init("sensors.beacons.enabled", \.beacons.isEnabled, .flag):
                "Whether positions come from Bluetooth beacons.",
            .init("sensors.beacons.uuid", \.beacons.uuid, .optional(.uuid)):
                "The UUID of the beacons; null uses data.uuid of the environment.",
            .init("sensors.beacons.adapter", \.beacons.scanning.adapter, .scalar(AdapterChoice.legal)):
                "The Bluetooth adapter that scans: auto, none, hci0, or an adapter's address.",
            .init("sensors.beacons.active", \.beacons.scanning.isActive, .flag):
                "Whether to scan actively, asking beacons for their scan response; few beacons need it, and it drains their batteries.",
            .init("sensors.beacons.reset_adapter", \.beacons.scanning.mayReset, .flag):
                "Whether an adapter that hears nothing or does not answer may be reset; that ends its connections.",
            .init("sensors.beacons.identity_keys_file", \.beacons.identityKeysFile, .optional(.path)):
                "A file with the keys of beacons that change their identifier (Eddystone-EID), one on each line; see contrib/manual/bluetooth.md.",
        ]),
        exchangeable: [.init(\.beacons)],
        files: [
            ConfigurationFile("sensors.beacons.identity_keys_file") { loaded in
                guard let file = loaded.values.beacons.identityKeysFile else { return .success(nil) }
                return IdentityKeys.load(file).map { found in
                    loaded.values.beacons.ephemeralBeacons = found.beacons
                    return found.warning
                }
            }
        ]
    )
}

extension ConfigurationType<UUID> {
    fileprivate static var uuid: ConfigurationType {
        scalar("a UUID such as f7826da6-4fa2-4e98-8024-bc5b71e0893e") {
            UUID(uuidString: $0)
        } encode: {
            $0.uuidString.lowercased()
        }
    }
}
