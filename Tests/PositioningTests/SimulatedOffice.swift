import Flare
import JSON
import Positioning

/// An office of 30 m by 18 m: eight rooms along a corridor of 2 m, and a person who walks from room to room.
struct SimulatedOffice {
    let environment: FlareEnvironment
    let zones: [FlareZone]
    let things: [FlareThing]

    static let uuid = BeaconUUID(high: 0x0F1C_E000_0000_4000, low: 0x8000_0000_0000_0001)
    private static let power = -59

    /// With a beacon in each room and two in the corridor.
    init() {
        let place = FlareID(high: 1, low: 0)
        var environment = FlareEnvironment(id: place)
        environment.name = "Office"
        environment.data = ["uuid": .string("\(Self.uuid)")]
        environment.perimeter = Box(origin: .zero, width: 30, height: 18)
        var boxes = (0..<8).map { room in
            Box(
                origin: Point3D(x: Double(room % 4) * 7.5, y: room < 4 ? 0 : 10),
                width: 7.5,
                height: 8
            )
        }
        boxes.append(Box(origin: Point3D(x: 0, y: 8), width: 30, height: 2))
        zones = boxes.enumerated().map { number, box in
            var zone = FlareZone(id: FlareID(high: 2, low: UInt32(number)))
            zone.environment = place
            zone.perimeter = box
            zone.data = ["major": JSONValue(number + 1)]
            return zone
        }
        var places = (0..<8).map { room in
            (
                room,
                Point3D(x: Double(room % 4) * 7.5 + 1.5 + Double(room % 3) * 2, y: room < 4 ? 2 : 16, z: 2.2)
            )
        }
        places += [(8, Point3D(x: 8, y: 9, z: 2.6)), (8, Point3D(x: 23, y: 9, z: 2.6))]
        things = places.enumerated().map { number, place in
            var thing = FlareThing(id: FlareID(high: 3, low: UInt32(number)))
            thing.name = "B\(number)"
            thing.environment = environment.id
            thing.zone = FlareID(high: 2, low: UInt32(place.0))
            thing.position = place.1
            thing.data = ["minor": JSONValue(number + 1), "power": JSONValue(Self.power)]
            return thing
        }
        self.environment = environment
    }

    var map: BeaconMap { BeaconMap(environment: environment, zones: zones, things: things) }

    /// From room to room through the corridor, with stops.
    func route(seed: UInt64, stops: Int = 8) -> WalkRoute {
        var generator = SeededGenerator(seed: seed)
        var points: [WalkRoute.WayPoint] = []
        for _ in 0..<stops {
            let room = Int(generator.next() % 8)
            let (left, isLow) = (Double(room % 4) * 7.5, room < 4)
            let door = Point3D(x: left + 6.5, y: isLow ? 8 : 10, z: 1.1)
            let corridor = Point3D(x: door.x, y: 9, z: 1.1)
            let stop = Point3D(
                x: left + 1 + 5.5 * generator.unit(),
                y: (isLow ? 1 : 11) + 6 * generator.unit(),
                z: 1.1
            )
            points += [
                .init(corridor), .init(door), .init(stop, staySeconds: 5 + 35 * generator.unit()),
                .init(door),
                .init(corridor),
            ]
        }
        return WalkRoute(wayPoints: points, isClosed: false, metresPerSecond: 0.7 + 0.7 * generator.unit())
    }

    /// The sightings of a walk.
    func sightings(_ route: WalkRoute, seed: UInt64, radio: RadioSettings = RadioSettings())
        -> [BeaconSighting]
    {
        let map = map
        let simulator = WalkSimulator(
            beacons: map.beacons.enumerated().map { number, beacon in
                WalkSimulator.Beacon(
                    address: DeviceAddress(bits: UInt64(number), isRandom: true),
                    payload: BeaconFrame.iBeaconPayload(
                        uuid: Self.uuid,
                        major: beacon.major,
                        minor: beacon.minor,
                        powerAtOneMetre: Self.power
                    ),
                    position: beacon.position,
                    powerAtOneMetre: Self.power
                )
            },
            walls: WallPlan(rooms: zones.compactMap(\.perimeter)),
            route: route,
            settings: radio,
            seed: seed
        )
        return simulator.advertisements().flatMap { packet in
            BeaconFrame.frames(in: packet.payload).compactMap { frame in
                frame.identity.map {
                    BeaconSighting(
                        identity: $0,
                        rssi: packet.rssi,
                        powerAtOneMetre: frame.powerAtOneMetre,
                        time: packet.time
                    )
                }
            }
        }
    }

    /// Scores an estimator's estimates, one a second, against the true positions.
    ///
    /// - Parameter from: Seconds of the start that are not scored.
    func score(
        _ sightings: [BeaconSighting],
        on route: WalkRoute,
        _ estimator: any PositionEstimator,
        from start: Double = 10
    ) -> Score {
        var score = Score()
        var tracker = PositionTracker(estimator: estimator)
        for sighting in sightings {
            for estimate in tracker.record(sighting) where estimate.time >= start {
                guard let truth = route.pose(at: estimate.time)?.position else { continue }
                let (dx, dy) = (estimate.position.x - truth.x, estimate.position.y - truth.y)
                score.errors.append((dx * dx + dy * dy).squareRoot())
                score.accuracies.append(estimate.accuracyMetres)
            }
        }
        return score
    }
}
