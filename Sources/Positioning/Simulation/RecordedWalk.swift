package import Flare

/// A recorded walk among beacons, read from two CSV files, which can be replayed to an estimator.
///
/// `beacons`: `id,x,y,z,tx_power`, metres and the received power at one metre in dBm. `scans`:
/// `time_s,beacon_id,rssi_dbm`, a row for each packet.
package struct RecordedWalk: Sendable {
    package let beacons: [BeaconMap.Beacon]
    private var packets: [Packet] = []
    /// Packets of beacons that are not in the list: their number, and the first.
    package private(set) var unknown: (count: Int, first: (line: Int, id: String)?) = (0, nil)

    private struct Packet {
        let time: Double
        let beacon: Int
        let rssi: Double
    }

    private static let mostBeacons = 10_000
    private static let mostPackets = 5_000_000
    /// A longer recording has wrong times.
    private static let longestSeconds = 7 * 86_400.0

    /// Reads the list of beacons.
    package static func beacons(_ csv: [UInt8]) throws(CSVError) -> [BeaconMap.Beacon] {
        var beacons: [BeaconMap.Beacon] = []
        let columns = ["id", "x", "y", "z", "tx_power"]
        try CSVRow.read(csv, columns: columns, atMost: mostBeacons, isNamed: true) { row throws(CSVError) in
            let id = try row.name(0)
            let range = -Point3D.farthest...Point3D.farthest
            let place = Point3D(
                x: try row.number(1, in: range),
                y: try row.number(2, in: range),
                z: try row.number(3, in: range)
            )
            beacons.append(
                BeaconMap.Beacon(
                    thing: FlareID(high: 0, low: UInt32(beacons.count)),
                    name: id,
                    position: place,
                    major: 0,
                    minor: UInt16(beacons.count),
                    powerAtOneMetre: try row.number(4, in: -127 ... -1)
                )
            )
        }
        guard !beacons.isEmpty else { throw CSVError(line: nil, "has no beacons") }
        return beacons
    }

    /// Reads the packets; the rows may be in any order.
    package init(beacons: [BeaconMap.Beacon], scans csv: [UInt8]) throws(CSVError) {
        self.beacons = beacons
        let numberOfID = Dictionary(beacons.enumerated().map { ($1.name, $0) }) { first, _ in first }
        var (packets, unknown) = (packets, unknown)
        let columns = ["time_s", "beacon_id", "rssi_dbm"]
        try CSVRow.read(csv, columns: columns, atMost: Self.mostPackets) { row throws(CSVError) in
            let id = try row.name(1)
            let number = numberOfID[id]
            if number == nil {
                unknown.count += 1
                unknown.first = unknown.first ?? (row.line, id)
            }
            packets.append(
                Packet(
                    time: try row.number(0, in: -1e9...1e9),
                    beacon: number ?? -1,
                    rssi: try row.number(2, in: -1000...1000)
                )
            )
        }
        packets.sort { ($0.time, $0.beacon, $0.rssi) < ($1.time, $1.beacon, $1.rssi) }
        self.packets = packets
        self.unknown = unknown
        guard let first = packets.first, let last = packets.last else { return }
        guard last.time - first.time <= Self.longestSeconds else {
            let days = Int(Self.longestSeconds / 86_400)
            throw CSVError(
                line: nil,
                "its times range from \(first.time) to \(last.time) s; at most \(days) days are allowed"
            )
        }
    }

    /// Times of the first and the last packet, seconds.
    package var times: ClosedRange<Double>? {
        guard let first = packets.first, let last = packets.last else { return nil }
        return first.time...last.time
    }

    /// A map of these beacons for an estimator.
    package func map(perimeter: Box?) -> BeaconMap { BeaconMap(beacons: beacons, perimeter: perimeter) }

    /// Replays the walk to an estimator, with an estimate at every whole second from one after the first
    /// packet.
    ///
    /// - Parameter change: Changes the RSSI of a packet, by its time, to try what another receiver would hear.
    package func estimates(
        _ estimator: consuming any PositionEstimator,
        changing change: (_ rssi: Int, _ time: Double) -> Int = { rssi, _ in rssi }
    ) -> [PositionEstimate] {
        guard let times else { return [] }
        let uuid = BeaconUUID(high: 0, low: 0)
        var estimates: [PositionEstimate] = []
        var next = packets.startIndex
        var second = times.lowerBound.rounded(.up) + 1
        while second <= times.upperBound {
            while next < packets.endIndex, packets[next].time <= second {
                let packet = packets[next]
                next += 1
                guard beacons.indices.contains(packet.beacon) else { continue }
                estimator.record(
                    BeaconSighting(
                        identity: BeaconIdentity(uuid: uuid, major: 0, minor: beacons[packet.beacon].minor),
                        rssi: change(Int(packet.rssi.rounded()), packet.time),
                        time: packet.time
                    )
                )
            }
            if let estimate = estimator.estimate(at: second) { estimates.append(estimate) }
            second += 1
        }
        return estimates
    }
}
