import Flare
import FlareServer
import JSON
import Positioning
import Profiles
import Sensors
import Testing
import Things
import TrilateralApp

struct DemoPlaceTests {
    private let environment: FlareEnvironment
    private let zones: [FlareZone]
    private let things: [FlareThing]

    init() throws {
        let records = try ModelTree.read(DemoPlace.model).records
        environment = try #require(
            records.first { $0.kind == .environment }.flatMap { FlareEnvironment(json: $0.json) }
        )
        zones = records.filter { $0.kind == .zone }.compactMap { FlareZone(json: $0.json) }
        things = records.filter { $0.kind == .thing }.compactMap { FlareThing(json: $0.json) }
    }

    private var lamps: [FlareThing] {
        things.filter { thing in ["on", "color", "brightness"].allSatisfy { thing.data[$0] != nil } }
    }

    /// The nearest thing within the environment's distance at each second, as stretches.
    private func stays(seed: UInt64, isGrid: Bool) throws -> [(
        thing: FlareThing?, from: Double, seconds: Int
    )] {
        let capture = try WalkCapture.demoWalk(
            environment: environment,
            zones: zones,
            things: things,
            seed: seed
        )
        let map = BeaconMap(environment: environment, zones: zones, things: things)
        var tracker = PositionTracker(
            estimator: isGrid ? GridEstimator(map: map) as any PositionEstimator : CentroidEstimator(map: map)
        )
        var recording = try Recording(.bytes(capture, name: "walk"))
        let limit = ProximityLimit.metres(environmentData: environment.data)
        var stays: [(thing: FlareThing?, from: Double, seconds: Int)] = []
        while let reading = try recording.next() {
            guard case .beacon(let sighting) = reading else { continue }
            for estimate in tracker.record(sighting) {
                let near = things.compactMap { thing in
                    thing.position.map { (thing: thing, metres: $0.distance(to: estimate.position)) }
                }.min { $0.metres < $1.metres }.flatMap { $0.metres < limit ? $0.thing : nil }
                if let last = stays.last, last.thing?.id == near?.id {
                    stays[stays.count - 1].seconds += 1
                } else {
                    stays.append((near, estimate.time, 1))
                }
            }
        }
        return stays
    }

    @Test func `what a thing only tells cannot be set`() {
        let tellers = things.filter { $0.description.hasPrefix("Tells") }
        #expect(tellers.count == 2)
        for thing in tellers {
            let values = Set(thing.data.keys).subtracting(["kind", "on", "minor", "readonly"])
            #expect(Set(thing.data["readonly"]?.array?.compactMap(\.string) ?? []) == values, "\(thing.name)")
        }
    }

    @Test func `four things have a profile, with values that it manages`() throws {
        let catalog = ThingCatalog(.builtIn)
        var names: [String] = []
        for thing in things {
            guard let kind = catalog.kind(of: thing, slug: nil) else {
                #expect(thing.data["profile"] == nil, "\(thing.name)")
                continue
            }
            names.append(kind.name)
            let managed = Set(kind.allProperties.map(\.name))
            #expect(Set(thing.data.keys).subtracting(["profile"]).isSubset(of: managed), "\(thing.name)")
        }
        #expect(names.sorted() == ["blind", "sensor-station", "socket", "thermostat"])
    }

    @Test func `the place is a legal model with lamps to drive`() throws {
        #expect(try !ModelTree.read(DemoPlace.model).records.isEmpty)
        #expect(lamps.count >= 3)
        #expect(BeaconMap(environment: environment, zones: zones, things: things).problems.isEmpty)
    }

    @Test func `no two things are near at once when one stands beside one of them`() throws {
        let limit = ProximityLimit.metres(environmentData: environment.data)
        for (index, thing) in things.enumerated() {
            for other in things.dropFirst(index + 1) {
                let metres = try #require(thing.position).distance(to: #require(other.position))
                #expect(metres > limit, "\(thing.name) and \(other.name)")
            }
        }
    }

    @Test(arguments: [true, false])
    func `a lamp is nearby within twenty seconds, and each time for ten at least`(isGrid: Bool) throws {
        let near = try stays(seed: DemoPlace.seed, isGrid: isGrid).filter { stay in
            lamps.contains { $0.id == stay.thing?.id }
        }
        #expect(Set(near.compactMap(\.thing?.id)) == Set(lamps.map(\.id)))
        #expect(near.allSatisfy { $0.seconds >= 10 })
        #expect((near.first?.from ?? .infinity) <= 15)
    }
}
