import Flare
import Positioning
import Testing

@Suite struct BeaconHealthTests {
    private let hall = GridPlace.hall
    private let spot = Point3D(x: 4, y: 5, z: 0.9)

    @Test func `healthy beacons have no findings`() {
        var estimator = GridEstimator(map: hall.map)
        hall.stand(at: spot, from: 0, seconds: 1500, &estimator)
        #expect(estimator.findings.isEmpty)
    }

    /// The findings after a walk to and fro until `end`, seconds.
    private func wander(_ error: Double, until end: Double) -> [BeaconFinding] {
        let office = SimulatedOffice()
        let route = office.route(seed: 5, stops: 40)
        var radio = RadioSettings()
        radio.intervalSeconds = 1
        var tracker = PositionTracker(estimator: GridEstimator(map: office.map))
        for sighting in office.sightings(route, seed: 5, radio: radio) where sighting.time < end {
            var sighting = sighting
            if sighting.identity.minor == 4 {
                sighting.rssi = min(max(sighting.rssi + Int(error), -110), -1)
            }
            _ = tracker.record(sighting)
        }
        return tracker.estimator.findings
    }

    @Test(arguments: [(14.0, "stronger than expected"), (-14, "weaker than expected"), (0, "")])
    func `a beacon with a wrong level is found while the device moves`(_ error: Double, _ words: String)
        throws
    {
        let findings = wander(error, until: 1200)
        #expect(findings.count == (error == 0 ? 0 : 1), "\(findings)")
        for finding in findings {
            #expect(finding.description.contains("beacon B3 is") && finding.description.contains(words))
            switch finding {
            case .tooStrong(let thing, _, let decibels), .tooWeak(let thing, _, let decibels):
                #expect(thing == FlareID(high: 3, low: 3))
                #expect((9...19).contains(decibels))
            case .silent: Issue.record("\(finding)")
            }
        }
        #expect(wander(error, until: 200).isEmpty)
    }

    @Test func `a weak beacon is found while the device stands, until it is corrected`() {
        var estimator = GridEstimator(map: hall.map)
        hall.stand(at: spot, from: 0, seconds: 500, &estimator) { $0 == 2 ? $1 - 20 : $1 }
        #expect(estimator.findings.isEmpty)
        hall.stand(at: spot, from: 500, seconds: 700, &estimator) { $0 == 2 ? $1 - 20 : $1 }
        #expect(estimator.findings.count == 1)
        #expect(estimator.findings.first?.description.contains("B2 is") == true)
        hall.stand(at: spot, from: 1200, seconds: 600, &estimator)
        #expect(estimator.findings.isEmpty)
    }

    @Test func `a beacon that falls silent among neighbours is found until it is back`() {
        var estimator = GridEstimator(map: hall.map)
        let others: Set<Int> = [0, 2, 3, 4, 5]
        hall.stand(at: spot, from: 0, seconds: 560, &estimator, hearing: others)
        #expect(estimator.findings.isEmpty)
        hall.stand(at: spot, from: 560, seconds: 60, &estimator, hearing: others)
        #expect(estimator.findings == [.silent(thing: FlareID(high: 3, low: 1), name: "B1")])
        hall.stand(at: spot, from: 620, seconds: 2, &estimator)
        #expect(estimator.findings.isEmpty)
    }

    @Test func `a silent beacon far from all received beacons is no finding`() {
        let place = GridPlace(
            GridPlace.hall.map.beacons.map(\.position) + [
                Point3D(x: 60, y: 4, z: 2), Point3D(x: 64, y: 4, z: 2),
            ]
        )
        var estimator = GridEstimator(map: place.map)
        place.stand(at: spot, from: 0, seconds: 700, &estimator, hearing: Set(0..<6))
        #expect(estimator.findings.isEmpty)
    }

    @Test func `changing a beacon discards its findings`() {
        var estimator = GridEstimator(map: hall.map)
        hall.stand(at: spot, from: 0, seconds: 700, &estimator, hearing: [0, 2, 3, 4, 5])
        #expect(estimator.findings.count == 1)
        estimator.map =
            GridPlace(hall.map.beacons.map { Point3D(x: $0.position.x, y: $0.position.y, z: 2.1) }).map
        #expect(estimator.findings.isEmpty)
    }
}
