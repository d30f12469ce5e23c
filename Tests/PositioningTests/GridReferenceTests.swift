import Flare
import Positioning
import Testing

/// A synthetic walk among seven beacons, with a receiver error of 5 dB, stops, losses, outliers and a
/// beacon that is silent for a while; the expected values come from the reference implementation of the method.
@Suite struct GridReferenceTests {
    private func walk() throws -> RecordedWalk {
        try RecordedWalk(
            beacons: RecordedWalk.beacons(Walks.bytes("beacons.csv")),
            scans: Walks.bytes("scans.csv")
        )
    }

    private func estimator(_ walk: RecordedWalk) -> GridEstimator {
        var settings = GridEstimator.Settings()
        settings.deviceZ = 1.2
        return GridEstimator(map: walk.map(perimeter: nil), settings: settings)
    }

    @Test func `positions are those of the reference within a centimetre`() throws {
        let walk = try walk()
        let estimates = walk.estimates(estimator(walk))
        let rows = try Walks.text("expected.csv").split(separator: "\n").dropFirst().map { line in
            line.split(separator: ",").compactMap { Double($0) }
        }
        try #require(estimates.count == rows.count && rows.count > 50)
        for (estimate, row) in zip(estimates, rows) {
            try #require(row.count == 5)
            #expect(estimate.time == row[0])
            #expect(abs(estimate.position.x - row[1]) <= 0.01, "\(estimate)")
            #expect(abs(estimate.position.y - row[2]) <= 0.01, "\(estimate)")
            #expect(abs(estimate.accuracyMetres - row[3]) <= 0.01, "\(estimate)")
            #expect(estimate.beaconsHeard == Int(row[4]))
            #expect(estimate.position.z == 1.2)
        }
    }

    @Test func `the same walk gives the same positions, bit for bit`() throws {
        let walk = try walk()
        #expect(walk.estimates(estimator(walk)) == walk.estimates(estimator(walk)))
    }

    @Test func `a copy of the estimator is independent`() throws {
        let walk = try walk()
        var one = estimator(walk)
        var two = one
        func sighting(_ minor: UInt16, _ rssi: Int, _ time: Double) -> BeaconSighting {
            let identity = BeaconIdentity(uuid: BeaconUUID(high: 0, low: 0), major: 0, minor: minor)
            return BeaconSighting(identity: identity, rssi: rssi, time: time)
        }
        for second in 0..<20 {
            one.record(sighting(0, -50, Double(second)))
            two.record(sighting(2, -50, Double(second)))
            _ = one.estimate(at: Double(second) + 0.5)
            _ = two.estimate(at: Double(second) + 0.5)
        }
        let (left, right) = (
            try #require(one.estimate(at: 20) as PositionEstimate?),
            try #require(two.estimate(at: 20) as PositionEstimate?)
        )
        #expect(right.position.x - left.position.x > 3)
    }
}
