import Flare
import JSON

/// A flat of four rooms, 10 m by 8 m, with four lamps and six other beacons.
struct SmallFlat {
    let environment: FlareEnvironment
    let zones: [FlareZone]
    let things: [FlareThing]

    var lamps: [FlareThing] { things.filter { $0.data["on"] != nil } }

    init() {
        let place = FlareID(high: 1, low: 0)
        var environment = FlareEnvironment(id: place)
        environment.name = "Flat"
        environment.data = ["uuid": "2F234454-CF6D-4A0F-ADF2-F4911BA9FFA6", "distance": 2.0]
        environment.perimeter = Box(origin: .zero, width: 10, height: 8)
        let corners = [("Living room", 0.0, 0.0), ("Kitchen", 5, 0), ("Bedroom", 0, 4), ("Study", 5, 4)]
        let zones = corners.enumerated().map { index, corner in
            var zone = FlareZone(id: FlareID(high: 2, low: UInt32(index)))
            zone.name = corner.0
            zone.environment = place
            zone.data = ["major": JSONValue(index + 1)]
            zone.perimeter = Box(origin: Point3D(x: corner.1, y: corner.2), width: 5, height: 4)
            return zone
        }
        var things: [FlareThing] = []
        func add(_ name: String, _ zone: Int, _ x: Double, _ y: Double, _ z: Double, isLamp: Bool = false) {
            var thing = FlareThing(id: FlareID(high: 3, low: UInt32(things.count)))
            thing.name = name
            thing.environment = place
            thing.zone = zones[zone].id
            thing.position = Point3D(x: x, y: y, z: z)
            thing.data = ["minor": JSONValue(things.count + 1)]
            if isLamp { thing.data.merge(["on": true, "color": "red", "brightness": 0.5]) { $1 } }
            things.append(thing)
        }
        add("Table lamp", 0, 1.5, 1.5, 0.9, isLamp: true)
        add("Kitchen light", 1, 8.5, 1.5, 2.0, isLamp: true)
        add("Bedside lamp", 2, 1.5, 6.5, 0.7, isLamp: true)
        add("Desk lamp", 3, 8.5, 6.5, 1.1, isLamp: true)
        add("Television", 0, 4.5, 0.5, 1.2)
        add("Fridge", 1, 5.5, 3.5, 1.5)
        add("Wardrobe", 2, 4.5, 7.5, 1.8)
        add("Printer", 3, 5.5, 4.5, 0.8)
        self.environment = environment
        self.zones = zones
        self.things = things
    }
}
