import Controller
import Flare
import JSON

/// A small state for the tests of this target.
enum Place {
    static let start = Instant(wallMilliseconds: 1_795_256_333_456, steadyMilliseconds: 1000)
    static let home = FlareID(high: 1, low: 0)
    static let hall = FlareID(high: 2, low: 0)
    static let lamp = FlareID(high: 3, low: 0)
    static let door = FlareID(high: 4, low: 0)
    static let panel = FlareID(high: 5, low: 0)

    static var state: ControllerState {
        var state = ControllerState(epoch: "e1")
        var environment = FlareEnvironment(id: home)
        environment.name = "Home"
        environment.description = "A house"
        environment.angle = 30
        environment.data = ["uuid": "u"]
        environment.perimeter = Box(origin: .zero, width: 10, height: 8)
        environment.geofence = Geofence(centre: GeoPoint(latitude: 48.5, longitude: 2.25), radiusMetres: 100)
        state.environments[home] = environment
        state.environmentID = home
        var zone = FlareZone(id: hall)
        zone.name = "Hall"
        zone.environment = home
        zone.perimeter = Box(origin: .zero, width: 5, height: 8, depth: 0)
        state.zones[hall] = zone
        state.zoneID = hall
        state.zoneSince = start
        var thing = FlareThing(id: lamp)
        thing.name = "Lamp"
        thing.description = "By the door"
        thing.environment = home
        thing.zone = hall
        thing.position = Point3D(x: 4, y: 5)
        thing.data = [
            "on": true, "brightness": 0.5, "color": "teal", "options": ["red", "teal"], "minor": 3,
        ]
        state.things[lamp] = thing
        var other = FlareThing(id: door)
        other.name = "Door"
        other.data = ["locked": true]
        state.things[door] = other
        state.nearbyID = lamp
        state.nearbySince = start
        var device = FlareDevice(id: panel)
        device.name = "Panel"
        device.environment = home
        device.position = Point3D(x: 1, y: 1)
        device.data = ["angle": 359.7]
        state.device = device
        state.fix = PositionFix(
            accuracyMetres: 0.456,
            quality: .good,
            source: "beacons",
            isMoving: true,
            at: start
        )
        state.seenAt = start
        state.isLinkUp = true
        state.sequence = 12
        for (id, kind, name) in [
            (home, FlareClass.environment, "Home"), (hall, .zone, "Hall"), (lamp, .thing, "Lamp"),
            (door, .thing, "Door"),
        ] {
            _ = state.slugs.assign(to: ObjectReference(kind, id), name: name)
            state.changedAt[ObjectReference(kind, id)] = start
        }
        return state
    }
}
