import Flare
import Foundation
import Positioning

/// A minute in the flat of ``Place``, with a receiver in each room: how `Recordings/flat.txt` is made.
///
/// The packets are those of ``WalkSimulator``: a receiver hears a device as the device would hear a beacon in its place, with
/// walls, shadowing, fading, and the bearer's body. The same seeds give the same recording.
enum RecordedFlat {
    /// A device, and the way that it takes.
    struct Bearer: Sendable {
        let id: String
        var name: String?
        let mac: String
        let way: [WalkRoute.WayPoint]
        let seed: UInt64
    }

    static let anna = "phone:anna"
    static let bert = "iBeacon:\(Place.beaconUUID)-9-21"
    static let cleo = "name:cleos-watch"

    /// When everybody is in the room where they stay.
    static let arrival = 24_000
    static let file = "flat.txt"

    /// The receivers had been running for so long, seconds.
    private static let lead = 20.0
    private static let seconds = 60.0

    /// Anna stays in the living room and Bert in the kitchen; Cleo walks from Anna to Bert.
    ///
    /// Behind the wall is a stranger's telephone.
    private static let bearers = [
        Bearer(
            id: anna,
            name: "Anna",
            mac: "5ef2d0a3c1b4",
            way: [at(1.8, 1.2, for: 34), at(2.6, 2.9, for: 22), at(1.6, 1.4, for: 40)],
            seed: 11
        ),
        Bearer(
            id: bert,
            mac: "d4f013a02b15",
            way: [at(8.6, 1.3, for: 30), at(7.9, 2.9, for: 24), at(8.9, 1.6, for: 40)],
            seed: 12
        ),
        Bearer(
            id: cleo,
            name: "Cleo's Watch",
            mac: "7a10c95be2f6",
            way: [at(2.4, 2.6, for: 29), at(4.9, 2), at(6.2, 2), at(8.3, 2.5, for: 60)],
            seed: 13
        ),
        Bearer(id: "apple:1006:10-12", mac: "4c8b21e07d93", way: [at(9.4, 5.6, for: 100)], seed: 14),
    ]

    /// The receivers of the rooms; one hears a little too well, the other too badly.
    private static let receivers: [(name: String, x: Double, version: SimulatedNode.Version, error: Int)] = [
        ("living", 1.5, .four, 1), ("kitchen", 8.5, .three, -2),
    ]

    private static func at(_ x: Double, _ y: Double, for seconds: Double = 0) -> WalkRoute.WayPoint {
        WalkRoute.WayPoint(Point3D(x: x, y: y, z: 1.1), staySeconds: seconds)
    }

    private static func packets(of bearer: Bearer) -> [Advertisement] {
        var radio = RadioSettings()
        radio.receiverOffsetDecibels = 2
        // The same for all devices: see `receivers`.
        radio.beaconOffsetDecibels = 0
        let rooms = [0.0, 5].map { Box(origin: Point3D(x: $0, y: 0), width: 5, height: 4) }
        return WalkSimulator(
            beacons: receivers.enumerated().map { number, receiver in
                WalkSimulator.Beacon(
                    address: DeviceAddress(bits: UInt64(number), isRandom: true),
                    payload: [],
                    position: Point3D(x: receiver.x, y: 2, z: 1),
                    powerAtOneMetre: -59 + receiver.error
                )
            },
            walls: WallPlan(rooms: rooms),
            route: WalkRoute(wayPoints: bearer.way, isClosed: false),
            settings: radio,
            seed: bearer.seed
        ).advertisements()
    }

    static func recording() -> ReceiverRecording {
        var heard: [(order: (Int, Int, UInt64), message: ReceiverRecording.Message)] = []
        for (number, bearer) in bearers.enumerated() {
            var nodes = receivers.map { SimulatedNode($0.version) }
            var delays = SeededGenerator(seed: 1000 + bearer.seed)
            for packet in packets(of: bearer) {
                let index = Int(packet.address.bits)
                // For a second now and then somebody stands in between.
                let isCovered = Int(packet.time) % 17 == (5 * number + 9) % 17
                let members = nodes[index].hear(packet.rssi - (isCovered ? 14 : 0), at: packet.time)
                let delay = 5 + 35 * delays.unit()
                // The receiver of the kitchen loses its Wi-Fi for six seconds.
                let isLost = index == 1 && packet.time >= 62 && packet.time < 68
                guard let members, !isLost, packet.time >= lead, packet.time < lead + seconds else {
                    continue
                }
                let milliseconds = Int((packet.time - lead) * 1000 + delay)
                let message = ReceiverRecording.Message(
                    milliseconds: milliseconds,
                    topic: "espresense/devices/\(bearer.id)/\(receivers[index].name)",
                    payload: payload(bearer, members)
                )
                heard.append(((milliseconds, number, packet.address.bits), message))
            }
        }
        return ReceiverRecording(heard.sorted { $0.order < $1.order }.map(\.message))
    }

    /// The members in the order in which nodes write them.
    private static func payload(_ bearer: Bearer, _ members: [(name: String, value: String)]) -> String {
        let about = [("mac", bearer.mac), ("id", bearer.id)] + (bearer.name.map { [("name", $0)] } ?? [])
        let all = about.map { ($0, "\"\($1)\"") } + members.map { ($0.name, $0.value) }
        return "{" + all.map { "\"\($0)\":\($1)" }.joined(separator: ",") + "}"
    }
}
