import Controller
import Flare
import JSON

/// Sample data: a home with two rooms and two lamps, an office and a studio.
enum House {
    static func id(_ number: UInt32) -> FlareID { FlareID(high: 0, low: number) }

    static let home = id(1)
    static let office = id(2)
    static let studio = id(3)
    static let kitchen = id(11)
    static let living = id(12)
    static let meeting = id(21)
    static let lamp = id(101)
    static let floorLamp = id(102)
    static let kettle = id(103)
    static let screen = id(201)
    /// The devices created by earlier runs.
    static let homeDevice = id(301)
    static let officeDevice = id(302)
    static let stranger = id(399)

    static let lampThing = ObjectReference(.thing, lamp)
    static let floorLampThing = ObjectReference(.thing, floorLamp)

    static var environments: [FlareEnvironment] {
        [(studio, "Studio", 30.0), (home, "Home", 10.0), (office, "Office", 20.0)].map { id, name, degrees in
            var environment = FlareEnvironment(id: id)
            environment.name = name
            environment.geofence = Geofence(
                centre: GeoPoint(latitude: degrees, longitude: degrees),
                radiusMetres: 200
            )
            return environment
        }
    }

    static var zones: [FlareZone] {
        [
            (kitchen, "Kitchen", home, 0.0), (living, "Living room", home, 4.0),
            (meeting, "Meeting", office, 0.0),
        ]
        .map { id, name, environment, x in
            var zone = FlareZone(id: id)
            zone.name = name
            zone.environment = environment
            zone.perimeter = Box(origin: Point3D(x: x, y: 0), width: 3.9, height: 4)
            zone.data = ["major": .number(x + 1)]
            return zone
        }
    }

    static var things: [FlareThing] {
        [
            thing(
                lamp,
                "Lamp",
                home,
                kitchen,
                Point3D(x: 2, y: 2),
                ["on": true, "brightness": 0.5, "color": "red", "minor": 1]
            ),
            thing(
                floorLamp,
                "Floor lamp",
                home,
                living,
                Point3D(x: 6, y: 2),
                ["on": false, "brightness": 1, "minor": 2]
            ),
            thing(kettle, "Kettle", home, kitchen, nil, ["temperature": 20], actions: ["boil"]),
            thing(screen, "Screen", office, meeting, Point3D(x: 1, y: 1), ["on": true]),
        ]
    }

    private static func thing(
        _ id: FlareID,
        _ name: String,
        _ environment: FlareID,
        _ zone: FlareID,
        _ position: Point3D?,
        _ data: JSONObject,
        actions: [String] = []
    ) -> FlareThing {
        var thing = FlareThing(id: id)
        thing.name = name
        thing.environment = environment
        thing.zone = zone
        thing.position = position
        thing.data = data
        thing.actions = actions
        return thing
    }

    static func device(
        _ id: FlareID,
        in environment: FlareID,
        at position: Point3D? = .zero,
        zone: FlareID? = nil
    ) -> FlareDevice {
        var device = FlareDevice(id: id)
        device.name = "tablet"
        device.environment = environment
        device.position = position
        device.zone = zone
        return device
    }

    /// A point in no zone and near no thing.
    static let outside = Point3D(x: 100, y: 100)

    static func estimate(
        _ x: Double,
        _ y: Double,
        _ quality: PositionFix.Quality = .good,
        accuracy: Double = 0.5
    ) -> ControllerEvent {
        .positionEstimated(.init(position: Point3D(x: x, y: y), accuracyMetres: accuracy, quality: quality))
    }

    static func located(_ degrees: Double) -> ControllerEvent {
        .located(Location(point: GeoPoint(latitude: degrees, longitude: degrees)))
    }
}
