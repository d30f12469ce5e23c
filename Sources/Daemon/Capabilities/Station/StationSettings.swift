package import Directory
package import OperatingSystem
import Resolution
package import Settings
import Text

/// The settings of announcing this station's address to a resolver.
package struct StationSettings: Sendable, Hashable {
    /// The resolver; `nil` announces nothing.
    package var announce: HostAndPort?
    package var serial: String?
    package var periodSeconds = 30.0
    /// `auto`, `peer` or an IPv4 address.
    package var address = "auto"
    package var keyFile: String?

    /// The address to announce.
    package var announced: Announcer.Address {
        switch address {
        case "auto": .automatic
        case "peer": .peer
        default: StationAddress(address).map { .fixed($0) } ?? .automatic
        }
    }

    /// The key of a file: 64 hexadecimal digits.
    package static func key(in file: String) -> Result<(key: [UInt8], warning: String?), FileError> {
        Secret.load(file).flatMap { found in
            guard let key = [UInt8](hexadecimal: found.secret.reveal()), key.count == 32 else {
                return .failure(FileError(message: "must hold 64 hexadecimal digits and nothing else"))
            }
            return .success((key, found.warning))
        }
    }
}

extension ConfigurationDefaults {
    package var station: StationSettings { StationSettings() }
}

extension ConfigurationSection {
    static let station = ConfigurationSection(
        summaries: [
            "station":
                "Announcing the address of this machine to a resolver, for clients that know its serial."
        ],
        keys: ConfigurationKey.table([
            .init("station.announce", \.station.announce, .optional(.hostAndPort)):
                "The resolver, HOST:PORT; null announces nothing.",
            .init(
                "station.serial",
                \.station.serial,
                .optional(
                    .checked("a serial: a MAC, or another text of 1 to 64 bytes") { StationSerial($0) != nil }
                )
            ):
                "The serial of this station; null takes the MAC of the first network interface, and keeps it.",
            .init("station.period_seconds", \.station.periodSeconds, .number(5...3600)):
                "The interval of announcements, seconds, varied by a tenth; a changed address is announced at once.",
            .init(
                "station.address",
                \.station.address,
                .checked("auto, peer or an IPv4 address") {
                    ["auto", "peer"].contains($0) || StationAddress($0) != nil
                }
            ):
                "The address to announce: auto for the one this machine connects from, peer for the one that the resolver "
                + "sees, or an IPv4 address.",
            .init("station.key_file", \.station.keyFile, .optional(.path)):
                "A file with 64 hexadecimal digits, with which updates are signed; the resolver must know them.",
        ]),
        exchangeable: [.init(\.station)],
        usedLater: [
            .init("station.key_file") { loaded in
                guard let file = loaded.values.station.keyFile else { return .success(nil) }
                return StationSettings.key(in: file).map(\.warning)
            }
        ]
    )
}
