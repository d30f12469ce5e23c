package import Flare
import JSON
package import Positioning

/// Generates the capture of a walk through a place: the packets of its beacons at the device.
package enum WalkCapture {
    /// Why a place cannot be walked through.
    package enum PlaceError: Error, Sendable, Hashable, CustomStringConvertible {
        case noBeacons([String])

        package var description: String {
            switch self {
            case .noBeacons(let problems):
                "the place has no beacons; a beacon is a thing with minor in its data and a position, in a zone with major"
                    + problems.map { "\n  \($0)" }.joined()
            }
        }
    }

    /// Start of the demo's recording, 2026-01-01; fixed, so that the same seed gives the same bytes.
    private static let recorded: UInt32 = 1_767_225_600
    /// Sent when the environment has no uuid, and so accepts any.
    private static let anyUUID = BeaconUUID(high: 0x5472_696C_6174_4572, low: 0x616C_2D44_656D_6F00)
    private static let defaultPower = -59

    /// A btsnoop capture of a closed walk that stays for a while at each lamp.
    ///
    /// The zones' perimeters are
    /// walls.
    ///
    /// A lamp is a thing with `on`, `color` and `brightness` in its data; in a place without lamps the walk
    /// visits all beacons. The first lamp in the order of the things is reached first, a few seconds after
    /// the start.
    package static func demoWalk(
        environment: FlareEnvironment,
        zones: [FlareZone],
        things: [FlareThing],
        seed: UInt64,
        radio: RadioSettings = demoRadio
    ) throws(PlaceError) -> [UInt8] {
        let map = BeaconMap(environment: environment, zones: zones, things: things)
        let beacons = map.beacons.filter { $0.receiver == nil }
        guard !beacons.isEmpty else { throw .noBeacons(map.problems) }
        let route = demoRoute(environment: environment, zones: zones, things: things)
        let simulator = WalkSimulator(
            beacons: beacons.enumerated().map { beacon($1, uuid: map.uuid, number: $0) },
            walls: WallPlan(rooms: zones.compactMap(\.perimeter)),
            route: route,
            settings: radio,
            seed: seed
        )
        var writer = BtsnoopWriter(secondsSince1970: recorded)
        for advertisement in simulator.advertisements() { writer.append(advertisement) }
        return writer.bytes
    }

    /// The route of the demo's walk.
    package static func demoRoute(
        environment: FlareEnvironment,
        zones: [FlareZone],
        things: [FlareThing]
    ) -> WalkRoute {
        let lamps = things.filter { thing in
            ["on", "color", "brightness"].allSatisfy { thing.data[$0] != nil }
        }
        let places = lamps.compactMap(\.position)
        let beacons = BeaconMap(environment: environment, zones: zones, things: things).beacons.map(
            \.position
        )
        return WalkRoute(
            visiting: places.isEmpty ? beacons : places,
            within: environment.perimeter,
            floor: environment.perimeter?.origin.z ?? 0
        )
    }

    /// Default radio settings, with a calibrated receiver, and beacons that send every 100 ms, as iBeacon
    /// specifies.
    package static var demoRadio: RadioSettings {
        var settings = RadioSettings()
        settings.receiverOffsetDecibels = 0
        settings.intervalSeconds = 0.1
        return settings
    }

    private static func beacon(
        _ beacon: BeaconMap.Beacon,
        uuid: BeaconUUID?,
        number: Int
    ) -> WalkSimulator.Beacon {
        let power = beacon.powerAtOneMetre.map { Int($0.rounded()) } ?? defaultPower
        return WalkSimulator.Beacon(
            address: DeviceAddress(bits: 0xC0DE_0000_0000 | UInt64(number), isRandom: true),
            payload: BeaconFrame.iBeaconPayload(
                uuid: uuid ?? anyUUID,
                major: beacon.major,
                minor: beacon.minor,
                powerAtOneMetre: power
            ),
            position: beacon.position,
            powerAtOneMetre: power
        )
    }
}
