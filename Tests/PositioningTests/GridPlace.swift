import Flare
import Glibc
import Positioning

/// A place for the grid estimator, with exact levels at every point.
struct GridPlace {
    var map: BeaconMap
    static let uuid = BeaconUUID(high: 7, low: 7)
    static let power = -59.0

    init(_ beacons: [Point3D], power: Double? = GridPlace.power, perimeter: Box? = nil) {
        map = BeaconMap(
            beacons: beacons.enumerated().map { number, place in
                BeaconMap.Beacon(
                    thing: FlareID(high: 3, low: UInt32(number)),
                    name: "B\(number)",
                    position: place,
                    major: 1,
                    minor: UInt16(number),
                    powerAtOneMetre: power
                )
            },
            perimeter: perimeter
        )
    }

    /// Six beacons around a hall of 12 m by 8 m.
    static let hall = GridPlace([
        Point3D(x: 0, y: 0, z: 2), Point3D(x: 6, y: 0, z: 2), Point3D(x: 12, y: 0, z: 2),
        Point3D(x: 0, y: 8, z: 2), Point3D(x: 6, y: 8, z: 2), Point3D(x: 12, y: 8, z: 2),
    ])

    static func sighting(_ minor: Int, _ rssi: Int, at time: Double, power: Int? = nil) -> BeaconSighting {
        BeaconSighting(
            identity: BeaconIdentity(uuid: uuid, major: 1, minor: UInt16(minor)),
            rssi: rssi,
            powerAtOneMetre: power,
            time: time
        )
    }

    /// The received power of a beacon at a point, dBm.
    func level(_ beacon: Int, at point: Point3D) -> Double {
        Self.power - 22 * log10(max(map.beacons[beacon].position.distance(to: point), 0.3))
    }

    /// Records all beacons, or some, at a point three times a second, and estimates each second.
    ///
    /// - Parameter change: Added to a beacon's level.
    @discardableResult
    func stand(
        at point: Point3D,
        from start: Double,
        seconds: Int,
        _ estimator: inout GridEstimator,
        hearing: Set<Int>? = nil,
        _ change: (_ beacon: Int, _ level: Double) -> Double = { $1 }
    ) -> [PositionEstimate] {
        var estimates: [PositionEstimate] = []
        for second in 0..<seconds {
            for part in [0.1, 0.4, 0.8] {
                for beacon in map.beacons.indices where hearing?.contains(beacon) ?? true {
                    let rssi = Int(change(beacon, level(beacon, at: point)).rounded())
                    estimator.record(Self.sighting(beacon, rssi, at: start + Double(second) + part))
                }
            }
            if let estimate = estimator.estimate(at: start + Double(second) + 1) {
                estimates.append(estimate)
            }
        }
        return estimates
    }
}
