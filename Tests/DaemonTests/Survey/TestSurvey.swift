import Controller
import Daemon
import Flare
import Foundation
import JSON
import Logging
import Positioning
import Sensing
import Sensors
import TestSupport
import Things
import Threading

/// A hall with six beacons, a device in it, and the service of its survey over a real database.
///
/// While a point is measured, the device hears the beacons as where it stands.
final class TestSurvey: Sendable {
    static let environment = FlareEnvironment(id: FlareID(high: 1, low: 0))
    static let now: Int64 = 1_900_000_000_000
    static let receiver = "AA:00:00:00:00:01"
    static let places = [
        Point3D(x: 0, y: 0, z: 2), Point3D(x: 6, y: 0, z: 2), Point3D(x: 12, y: 0, z: 2),
        Point3D(x: 0, y: 8, z: 2), Point3D(x: 6, y: 8, z: 2), Point3D(x: 12, y: 8, z: 2),
    ]

    private struct World {
        var pipeline: PositionPipeline?
        var second = 0
        var place = Point3D(x: 6, y: 4, z: 1)
        /// For how many more seconds anything is heard.
        var hearing = Int.max
        var meanwhile: (@Sendable () async -> Void)?
    }

    let store: StateStore
    let service: SurveyService
    private let world: Locked<World>
    private let sent: Locked<[ControllerEvent]>

    init(in folder: URL, settings: SurveyService.Settings = SurveyService.Settings()) throws {
        let (world, sent) = (Locked(World()), Locked<[ControllerEvent]>([]))
        store = try StateStore(folder: folder)
        service = SurveyService(
            store,
            settings,
            SurveyService.Ports(clock: { TestSurvey.now }, pause: { _ in await TestSurvey.listen(world) }) {
                event in
                sent.withLock { $0.append(event) }
            },
            logger: .silent
        )
        (self.world, self.sent) = (world, sent)
        let pipeline = PositionPipeline(
            makeEstimator: { GridEstimator(map: $0) },
            receivers: ReceiverOffsets(
                sources: [BeaconScanner.name],
                adapter: { TestSurvey.receiver },
                offset: { _ in nil },
                store: { _, _ in }
            ),
            clocks: SensorClocks(steady: { 0 }, wall: { 0 }),
            survey: service.channel,
            send: { event in sent.withLock { $0.append(event) } },
            logger: .silent
        )
        world.withLock { $0.pipeline = pipeline }
    }

    func close() { store.close() }

    /// A place with beacons, of which one may be elsewhere.
    static func map(
        environment: FlareEnvironment = TestSurvey.environment,
        moving beacon: Int? = nil,
        power: Double? = nil
    ) -> BeaconMap {
        var zone = FlareZone(id: FlareID(high: 2, low: 0))
        zone.data["major"] = 1
        let things = places.indices.map { index in
            var thing = FlareThing(id: FlareID(high: 3, low: UInt32(index)))
            thing.name = "beacon \(index)"
            thing.zone = zone.id
            thing.position = places[index]
            if index == beacon, power == nil { thing.position = Point3D(x: 3, y: 3, z: 2) }
            thing.data = ["minor": .number(Double(index)), "power": -59]
            if index == beacon, let power { thing.data["power"] = .number(power) }
            return thing
        }
        return BeaconMap(environment: environment, zones: [zone], things: things)
    }

    /// The daemon is in this place from now on.
    func enter(_ map: BeaconMap = TestSurvey.map(), in environment: FlareEnvironment = environment) async {
        enterUnnoticed(map, in: environment)
        Self.hear(world)
        await service.refresh()
        // The estimators use the fitted map from the next packet on.
        Self.hear(world)
        Self.hear(world)
    }

    /// The estimators are in this place, and the service has not heard of it yet.
    func enterUnnoticed(_ map: BeaconMap, in environment: FlareEnvironment) {
        _ = world.withLock { $0.pipeline?.enter(map, in: environment) }
    }

    /// Measures a point where the device stands; `named` is where the person believes to be.
    func take(
        _ name: String,
        standing place: Point3D,
        named claimed: Point3D? = nil,
        hearing seconds: Int = .max,
        isAccepted: Bool = false,
        meanwhile: (@Sendable () async -> Void)? = nil
    ) async throws(Refusal) -> JSONObject {
        world.withLock { ($0.place, $0.hearing, $0.meanwhile) = (place, seconds, meanwhile) }
        var wish = SurveyService.Wish(name: name, position: claimed ?? place)
        wish.isAccepted = isAccepted
        defer { world.withLock { ($0.hearing, $0.meanwhile) = (.max, nil) } }
        return try await service.take(wish)
    }

    /// Five points that cover the hall.
    static let five: KeyValuePairs = [
        "door": Point3D(x: 1, y: 1, z: 1), "sofa": Point3D(x: 11, y: 1, z: 1),
        "table": Point3D(x: 6, y: 4, z: 1), "stove": Point3D(x: 1, y: 7, z: 1),
        "window": Point3D(x: 11, y: 7, z: 1),
    ]

    func takeFive() async throws {
        for (name, place) in Self.five { _ = try await take(name, standing: place) }
    }

    /// Stores points of which nothing is known but that they are there.
    func fill(with count: Int) async throws {
        let points = (0..<count).map { number in
            SurveyPoint(
                name: "P\(number)",
                environment: Self.environment.id,
                position: Point3D(x: 6, y: 4, z: 1),
                receiver: Self.receiver,
                levels: [:]
            )
        }
        try store.save(points, of: Self.map())
        // The service reads the points of a place that is new.
        await enter(Self.map(moving: 2))
        await enter()
    }

    var events: [ControllerEvent] { sent.withLock { $0 } }

    /// What levels the last position was estimated from.
    func lastModel() -> PositionModel? {
        Self.hear(world)
        Self.hear(world)
        return events.compactMap { event -> PositionModel? in
            if case .positionEstimated(let estimate) = event { estimate.model } else { nil }
        }.last
    }

    /// The message of the last alert of the survey; `nil` if it was cleared.
    var alert: String? {
        for event in events.reversed() {
            switch event {
            case .alertRaised("survey", _, let message): return message
            case .alertCleared("survey"): return nil
            default: continue
            }
        }
        return nil
    }

    // MARK: Hearing

    private static func listen(_ world: Locked<World>) async {
        hear(world)
        if let meanwhile = world.withLock({ $0.meanwhile }) { await meanwhile() }
    }

    /// A second passes, in which each beacon is heard three times.
    private static func hear(_ world: Locked<World>) {
        world.withLock { world in
            world.second += 1
            guard world.hearing > 0 else { return }
            world.hearing -= 1
            for packet in 0..<3 {
                for (index, beacon) in places.enumerated() {
                    let level = -59 - 22 * log10(max(beacon.distance(to: world.place), 0.3))
                    world.pipeline?.handle(
                        BeaconSighting(
                            identity: BeaconIdentity(
                                uuid: BeaconUUID(high: 0, low: 0),
                                major: 1,
                                minor: UInt16(index)
                            ),
                            rssi: Int(level.rounded()),
                            powerAtOneMetre: nil,
                            time: Double(world.second) + Double(packet) / 4
                        ),
                        from: 0
                    )
                }
            }
        }
    }
}

/// Runs the body with a survey of the hall, in which the daemon is.
func withSurvey(
    _ settings: SurveyService.Settings = SurveyService.Settings(),
    _ body: (TestSurvey) async throws -> Void
) async throws {
    try await withTemporaryFolder { folder in
        let survey = try TestSurvey(in: folder.url, settings: settings)
        defer { survey.close() }
        await survey.enter()
        try await body(survey)
    }
}
