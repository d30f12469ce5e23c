package import Flare
import Glibc

/// Simulates the beacon packets that a receiver gets while it is carried through a place.
///
/// Models log-distance path loss, walls, shadowing, fading on each advertising channel, the walker's body and
/// lost packets; the same seed gives the same packets.
/// - Source: contrib/contract/positioning.md, "5.2 The simulator".
package struct WalkSimulator: Sendable {
    package struct Beacon: Sendable, Hashable {
        package var address: DeviceAddress
        package var payload: [UInt8]
        package var position: Point3D
        package var powerAtOneMetre: Int

        package init(address: DeviceAddress, payload: [UInt8], position: Point3D, powerAtOneMetre: Int) {
            self.address = address
            self.payload = payload
            self.position = position
            self.powerAtOneMetre = powerAtOneMetre
        }
    }

    package let beacons: [Beacon]
    package let walls: WallPlan
    package let route: WalkRoute
    package let settings: RadioSettings
    package let seed: UInt64

    /// Sway of the hand of a person who stands still, metres.
    private static let swayMetres = 0.02
    /// Limits of the walk's length and of the interval, so that the packets fit in memory.
    private static let longestWalkSeconds = 24 * 3600.0
    private static let shortestIntervalSeconds = 0.02

    package init(
        beacons: [Beacon],
        walls: WallPlan,
        route: WalkRoute,
        settings: RadioSettings = RadioSettings(),
        seed: UInt64
    ) {
        self.beacons = beacons
        self.walls = walls
        self.route = route
        self.settings = settings
        self.seed = seed
    }

    /// All received packets of the walk, ordered by time.
    package func advertisements() -> [Advertisement] {
        var generator = SeededGenerator(seed: seed)
        let receiverOffset = generator.normal(deviation: settings.receiverOffsetDecibels)
        let end = min(route.durationSeconds, Self.longestWalkSeconds)
        let interval = max(settings.intervalSeconds, Self.shortestIntervalSeconds)
        var received: [Advertisement] = []
        for beacon in beacons {
            let channel = RadioChannel(
                beacon: beacon,
                settings: settings,
                receiverOffset: receiverOffset,
                generator: &generator
            )
            var time = interval * generator.unit()
            while time < end {
                if let rssi = receive(channel, at: time, &generator) {
                    received.append(
                        Advertisement(
                            time: time,
                            address: beacon.address,
                            payload: beacon.payload,
                            rssi: rssi
                        )
                    )
                }
                time += interval + settings.jitterSeconds * generator.unit()
            }
        }
        return received.sorted { ($0.time, $0.address.bits) < ($1.time, $1.address.bits) }
    }

    private func receive(
        _ channel: RadioChannel,
        at time: Double,
        _ generator: inout SeededGenerator
    ) -> Int? {
        // All random numbers are drawn first, so that a setting does not shift the later ones.
        let isLost = generator.unit() < settings.packetLoss
        let number = Int(generator.next() % 3)
        guard !isLost, let pose = route.pose(at: time) else { return nil }
        let power = channel.power(at: antenna(pose, at: time), pose: pose, walls: walls, channel: number)
        guard power >= settings.sensitivity, power.isFinite else { return nil }
        return Int(min(power.rounded(), -1))
    }

    private func antenna(_ pose: WalkRoute.Pose, at time: Double) -> Point3D {
        var point = pose.position
        point.x += Self.swayMetres * sin(2 * .pi * time / 3.1)
        point.y += Self.swayMetres * sin(2 * .pi * time / 4.3)
        return point
    }
}
