import Flare
import JSON
import Positioning
import Sensors

/// What an advertising report costs through parsing and filter, against reading each byte once.
///
/// From the bytes that the adapter sends to the beacon of our place that it is, or to none.
struct AdvertBenchmark {
    private static let rounds = 40
    private static let repeats = 20

    func run() {
        let place = map()
        for (what, events) in [
            ("our own iBeacons", events { Self.iBeacon(uuid: 1, number: $0) }),
            ("strangers: phones, and beacons of other places", events(stranger)),
            ("extended reports, one in three our own", events(isExtended: true, mixed)),
            ("one in three our own, the others strangers", events(mixed)),
        ] {
            measure("an advertising report through parsing and filter, \(what)", events, place)
        }
    }

    private func measure(_ what: String, _ events: [[UInt8]], _ place: BeaconMap) {
        var receiver = BeaconReceiver()
        var readings: [SensorReading] = []
        let count = Double(events.count * Self.repeats)
        var (ours, floor): ([Double], [Double]) = ([], [])
        var check = 0
        for _ in 0..<Self.rounds {
            let took = ContinuousClock().measure {
                for _ in 0..<Self.repeats {
                    for event in events {
                        let now = BeaconReceiver.Instant(time: 1, wall: 1)
                        receiver.receive(event: event.span, at: now, into: &readings)
                        for case .beacon(let sighting) in readings
                        where place.beacon(sighting.identity) != nil {
                            check &+= 1
                        }
                        readings.removeAll(keepingCapacity: true)
                    }
                }
            }
            ours.append(took.nanoseconds / count)
            let read = ContinuousClock().measure {
                for _ in 0..<Self.repeats {
                    for event in events { for byte in event { check = check &* 31 &+ Int(byte) } }
                }
            }
            floor.append(read.nanoseconds / count)
        }
        // A million a second on one core.
        Row(what, floor: floor.median, ours: ours.median, limit: 1000).print()
        // What nobody looks at need not be reckoned.
        if check == 1 { print() }
    }

    private static func iBeacon(uuid: UInt64, number: Int) -> [UInt8] {
        BeaconFrame.iBeaconPayload(
            uuid: BeaconUUID(high: uuid, low: 2),
            major: 1,
            minor: UInt16(truncatingIfNeeded: number % 100),
            powerAtOneMetre: -59
        )
    }

    private func stranger(_ number: Int) -> [UInt8] {
        switch number % 3 {
        case 0: Self.iBeacon(uuid: 99, number: number)
        // Flags, transmitting power and one of a phone's messages.
        case 1: [0x02, 0x01, 0x1A, 0x02, 0x0A, 0x08, 0x0A, 0xFF, 0x4C, 0x00, 0x10, 0x05, 1, 2, 3, 4, 5]
        default:
            [0x02, 0x01, 0x06, 0x03, 0x03, 0x9F, 0xFE, 0x17, 0x16, 0x9F, 0xFE]
                + [UInt8](repeating: 7, count: 20)
        }
    }

    private func mixed(_ number: Int) -> [UInt8] {
        number % 3 == 0 ? Self.iBeacon(uuid: 1, number: number) : stranger(number / 3)
    }

    /// Events with a report each of one of our own beacons.
    static func events(_ count: Int) -> [[UInt8]] {
        Array(AdvertBenchmark().events { iBeacon(uuid: 1, number: $0) }.prefix(count))
    }

    private func events(isExtended: Bool = false, _ payload: (Int) -> [UInt8]) -> [[UInt8]] {
        (0..<1000).map { number in
            let payload = payload(number)
            let address: [UInt8] = [1, UInt8(number & 0xFF), UInt8(number >> 8), 3, 4, 5, 0xC6]
            let rssi = UInt8(bitPattern: Int8(-40 - number % 50))
            let report =
                isExtended
                ? [0x13, 0] + address + [
                    1, 0, 0xFF, 127, rssi, 0, 0, 0, 0, 0, 0, 0, 0, 0, UInt8(payload.count),
                ]
                    + payload
                : [0] + address + [UInt8(payload.count)] + payload + [rssi]
            return [0x3E, UInt8(report.count + 2), isExtended ? 0x0D : 0x02, 1] + report
        }
    }

    /// A hundred beacons in one zone.
    private func map() -> BeaconMap {
        var environment = FlareEnvironment(id: FlareID(high: 1, low: 0))
        environment.data["uuid"] = .string(BeaconUUID(high: 1, low: 2).description)
        var zone = FlareZone(id: FlareID(high: 2, low: 0))
        zone.data["major"] = 1
        let things = (0..<100).map { number in
            var thing = FlareThing(id: FlareID(high: 3, low: UInt32(number)))
            thing.zone = zone.id
            thing.position = Point3D(x: Double(number), y: 0)
            thing.data["minor"] = JSONValue(number)
            return thing
        }
        return BeaconMap(environment: environment, zones: [zone], things: things)
    }
}
