import Flare
import JSON
import Positioning
import Testing

/// A device that hears beacons and is heard by receivers: one estimator, with a constant error for each.
@Suite struct GridJoiningTests {
    private let spot = Point3D(x: 4, y: 5, z: 0.9)

    /// The hall, in which some beacons are receivers.
    private func hall(receivers: Set<Int>) -> GridPlace {
        var place = GridPlace.hall
        place.map = BeaconMap(
            beacons: place.map.beacons.enumerated().map { number, beacon in
                BeaconMap.Beacon(
                    thing: beacon.thing,
                    name: beacon.name,
                    position: beacon.position,
                    major: beacon.major,
                    minor: beacon.minor,
                    powerAtOneMetre: beacon.powerAtOneMetre,
                    receiver: receivers.contains(number) ? beacon.name : nil
                )
            },
            perimeter: Box(origin: Point3D(x: -1.5, y: -1.5), width: 15, height: 11)
        )
        return place
    }

    @Test(arguments: [(-12.0, 9.0), (10, -10), (0, 15)])
    func `each source has a constant error of its own`(_ beacons: Double, _ receivers: Double) throws {
        let place = hall(receivers: [1, 3, 5])
        var estimator = GridEstimator(map: place.map)
        let estimates = place.stand(at: spot, from: 0, seconds: 60, &estimator) { beacon, level in
            level + (beacon % 2 == 1 ? receivers : beacons)
        }
        let last = try #require(estimates.last)
        #expect(last.position.plane(to: spot) < 0.7, "\(last.position)")
        #expect(last.beaconsHeard == 6)
        #expect(abs(try #require(estimator.offsets.device) - beacons) < 3)
        #expect(abs(try #require(estimator.offsets.receivers) - receivers) < 3)
        // What one is set to leaves the other.
        let known = estimator.offsets.receivers
        estimator.offsets.device = nil
        #expect(estimator.offsets.device == nil && estimator.offsets.receivers == known)
    }

    @Test func `a source that is silent changes nothing for the other`() {
        let (alone, both) = (hall(receivers: []), hall(receivers: [1, 3, 5]))
        var (one, other) = (GridEstimator(map: alone.map), GridEstimator(map: both.map))
        let beacons: Set = [0, 2, 4]
        let left = alone.stand(at: spot, from: 0, seconds: 20, &one, hearing: beacons)
        let right = both.stand(at: spot, from: 0, seconds: 20, &other, hearing: beacons)
        #expect(left == right)
        #expect(one.offsets.device == other.offsets.device && other.offsets.receivers == nil)
    }

    @Test func `a source that falls silent keeps what is known of it`() throws {
        let place = hall(receivers: [1, 3, 5])
        var estimator = GridEstimator(map: place.map)
        place.stand(at: spot, from: 0, seconds: 60, &estimator) { $0 % 2 == 1 ? $1 + 9 : $1 - 12 }
        let known = try #require(estimator.offsets.receivers)
        place.stand(at: spot, from: 60, seconds: 60, &estimator, hearing: [0, 2, 4]) { $1 - 12 }
        #expect(abs(try #require(estimator.offsets.receivers) - known) < 2)
        let again = place.stand(at: spot, from: 120, seconds: 3, &estimator) {
            $0 % 2 == 1 ? $1 + 9 : $1 - 12
        }
        #expect(try #require(again.last).position.plane(to: spot) < 0.7)
    }

    @Test func `both together place a walker better than either, and better than with one error for all`() {
        let office = SimulatedOffice()
        let beacons = office.map
        var things = office.things
        for number in things.indices where number % 2 == 1 {
            let power = things[number].data["power"] ?? -59
            things[number].data = ["receiver": .string("r\(number)"), "power": power]
        }
        let joined = BeaconMap(environment: office.environment, zones: office.zones, things: things)
        var sums = (beacons: 0.0, receivers: 0.0, joined: 0.0, mixed: 0.0)
        for seed in 1...4 as ClosedRange<UInt64> {
            let route = office.route(seed: seed)
            var (heard, received, both, mixed): ([BeaconSighting], [BeaconSighting], [BeaconSighting], _) = (
                [], [], [], [BeaconSighting]()
            )
            for var sighting in office.sightings(route, seed: seed) {
                guard let index = beacons.index(of: sighting.identity) else { continue }
                let isReceiver = index % 2 == 1
                sighting.rssi += isReceiver ? 8 : -12
                guard BeaconSighting.isUsable(rssi: sighting.rssi) else { continue }
                mixed.append(sighting)
                if isReceiver, let identity = joined.identity(ofReceiver: "r\(index)") {
                    sighting.identity = identity
                    received.append(sighting)
                } else {
                    heard.append(sighting)
                }
                both.append(sighting)
            }
            sums.beacons += office.score(heard, on: route, GridEstimator(map: joined)).figures.median
            sums.receivers += office.score(received, on: route, GridEstimator(map: joined)).figures.median
            sums.joined += office.score(both, on: route, GridEstimator(map: joined)).figures.median
            sums.mixed += office.score(mixed, on: route, GridEstimator(map: beacons)).figures.median
        }
        #expect(sums.joined < min(sums.beacons, sums.receivers), "\(sums)")
        #expect(sums.joined < sums.mixed, "\(sums)")
    }
}
