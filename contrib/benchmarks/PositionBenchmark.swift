import Flare
import JSON
import Positioning
import Sensors

/// What an advertising packet costs on its way from bytes to a position.
///
/// Parsed, its beacon found, heard by the estimator, which is asked once a second; against reading each byte once.
struct PositionBenchmark {
    private static let rounds = 20

    private struct Packet {
        let time: Double
        let event: [UInt8]
    }

    func run() {
        let (map, packets) = walk()
        var ours: [Double] = []
        var floor: [Double] = []
        var check = 0
        for _ in 0..<Self.rounds {
            let took = ContinuousClock().measure { check &+= positions(packets, map) }
            ours.append(took.nanoseconds / Double(packets.count))
            let read = ContinuousClock().measure {
                for packet in packets { for byte in packet.event { check = check &* 31 &+ Int(byte) } }
            }
            floor.append(read.nanoseconds / Double(packets.count))
        }
        let what = "a packet from bytes to position, \(map.beacons.count) beacons, \(packets.count) packets"
        Row(what, floor: floor.median, ours: ours.median).print()
        // What nobody looks at need not be reckoned.
        if check == 1 { print() }
    }

    private func positions(_ packets: [Packet], _ map: BeaconMap) -> Int {
        var receiver = BeaconReceiver()
        var readings: [SensorReading] = []
        var tracker = PositionTracker(estimator: GridEstimator(map: map))
        var count = 0
        for packet in packets {
            let now = BeaconReceiver.Instant(time: packet.time, wall: packet.time)
            receiver.receive(event: packet.event.span, at: now, into: &readings)
            for case .beacon(let sighting) in readings { count += tracker.record(sighting).count }
            readings.removeAll(keepingCapacity: true)
        }
        return count
    }

    /// A minute through a place with a thousand beacons.
    private func walk() -> (BeaconMap, [Packet]) {
        let tree = BenchmarkPlace(things: 1_000).json["environments"]?.array?.first ?? .null
        guard let environment = FlareEnvironment(json: tree) else {
            return (
                BeaconMap(
                    environment: FlareEnvironment(id: BenchmarkPlace.environment),
                    zones: [],
                    things: []
                ), []
            )
        }
        let rooms = tree["zones"]?.array ?? []
        let zones = rooms.compactMap { FlareZone(json: $0) }
        let things = rooms.flatMap { room in
            (room["things"]?.array ?? []).compactMap { json in
                var thing = FlareThing(json: json)
                thing?.zone = room.flareID("_id")
                return thing
            }
        }
        let map = BeaconMap(environment: environment, zones: zones, things: things)
        let beacons = map.beacons.enumerated().compactMap { number, beacon -> WalkSimulator.Beacon? in
            guard let uuid = map.uuid else { return nil }
            return WalkSimulator.Beacon(
                address: DeviceAddress(bits: UInt64(number), isRandom: true),
                payload: BeaconFrame.iBeaconPayload(
                    uuid: uuid,
                    major: beacon.major,
                    minor: beacon.minor,
                    powerAtOneMetre: -59
                ),
                position: beacon.position,
                powerAtOneMetre: -59
            )
        }
        let route = WalkRoute(
            wayPoints: [Point3D(x: 5, y: 2), Point3D(x: 65, y: 2)].map { WalkRoute.WayPoint($0) },
            isClosed: false
        )
        let simulator = WalkSimulator(beacons: beacons, walls: WallPlan(rooms: []), route: route, seed: 1)
        var writer = BtsnoopWriter(secondsSince1970: 0)
        let heard = simulator.advertisements()
        for advertisement in heard { writer.append(advertisement) }
        return (map, packets(of: writer.bytes))
    }

    private func packets(of capture: [UInt8]) -> [Packet] {
        var packets: [Packet] = []
        do throws(SensorError) {
            var reader = try PacketReader<BtsnoopFormat>(.bytes(capture, name: "walk"))
            while let record = try reader.next() {
                guard let event = record.event else { continue }
                packets.append(Packet(time: Double(record.microseconds) / 1_000_000, event: event))
            }
        } catch {
            print("bench: \(error)")
        }
        return packets
    }
}
