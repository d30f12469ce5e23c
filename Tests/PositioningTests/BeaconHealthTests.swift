import Flare
import Glibc
import Positioning
import Testing

@Suite struct BeaconHealthTests {
    private let hall = GridPlace.hall
    private let spot = Point3D(x: 4, y: 5, z: 0.9)

    @Test func `nothing is said of beacons that are as they should be`() {
        var estimator = GridEstimator(map: hall.map)
        hall.stand(at: spot, from: 0, seconds: 1500, &estimator)
        #expect(estimator.findings.isEmpty)
    }

    /// Goes to and fro, as who stands beside a loud beacon cannot tell it from a near one.
    private func wander(from start: Int, seconds: Int, _ estimator: inout GridEstimator, error: Double) {
        for second in stride(from: start, to: start + seconds, by: 10) {
            let angle = Double(second) / 20
            let point = Point3D(x: 6 + 5 * cos(angle), y: 4 + 3 * sin(1.7 * angle), z: 0.9)
            hall.stand(at: point, from: Double(second), seconds: 10, &estimator) { $0 == 2 ? $1 + error : $1 }
        }
    }

    @Test(arguments: [(20.0, "too strong"), (-20, "too weak")])
    func `a beacon that is off by much is told after some minutes`(_ error: Double, _ words: String) throws {
        var estimator = GridEstimator(map: hall.map)
        wander(from: 0, seconds: 500, &estimator, error: error)
        #expect(estimator.findings.isEmpty)
        wander(from: 500, seconds: 700, &estimator, error: error)
        let finding = try #require(estimator.findings.first)
        #expect(estimator.findings.count == 1)
        #expect(finding.description.contains("beacon B2 sounds") && finding.description.contains(words))
        switch finding {
        case .tooStrong(let thing, _, let decibels), .tooWeak(let thing, _, let decibels):
            #expect(thing == FlareID(high: 3, low: 2))
            #expect((9...22).contains(decibels))
        case .silent: Issue.record("\(finding)")
        }
        // And when it is put right it is forgotten.
        wander(from: 1200, seconds: 600, &estimator, error: 0)
        #expect(estimator.findings.isEmpty)
    }

    @Test func `a beacon that falls silent among neighbours is told, and no more when it is back`() {
        var estimator = GridEstimator(map: hall.map)
        let others: Set<Int> = [0, 2, 3, 4, 5]
        hall.stand(at: spot, from: 0, seconds: 560, &estimator, hearing: others)
        #expect(estimator.findings.isEmpty)
        hall.stand(at: spot, from: 560, seconds: 60, &estimator, hearing: others)
        #expect(estimator.findings == [.silent(thing: FlareID(high: 3, low: 1), name: "B1")])
        hall.stand(at: spot, from: 620, seconds: 2, &estimator)
        #expect(estimator.findings.isEmpty)
    }

    @Test func `a beacon far from all that are heard may be silent`() {
        let place = GridPlace(
            GridPlace.hall.map.beacons.map(\.position) + [
                Point3D(x: 60, y: 4, z: 2), Point3D(x: 64, y: 4, z: 2),
            ]
        )
        var estimator = GridEstimator(map: place.map)
        place.stand(at: spot, from: 0, seconds: 700, &estimator, hearing: Set(0..<6))
        #expect(estimator.findings.isEmpty)
    }

    @Test func `what is known of a beacon goes when it is changed`() {
        var estimator = GridEstimator(map: hall.map)
        hall.stand(at: spot, from: 0, seconds: 700, &estimator, hearing: [0, 2, 3, 4, 5])
        #expect(estimator.findings.count == 1)
        estimator.map = GridPlace(hall.map.beacons.map { Point3D(x: $0.position.x, y: $0.position.y, z: 2.1) }).map
        #expect(estimator.findings.isEmpty)
    }
}
