import Flare
import JSON
import Testing

struct FlareObjectsJSONTests {
    private let id = FlareID(high: 7, low: 9)

    @Test func `objects are the same after writing and parsing`() throws {
        var environment = FlareEnvironment(id: id)
        (environment.name, environment.description) = ("Haus \"é\"", "x\ny")
        (environment.data, environment.actions) = (["a": ["b": [1, 2.5, .null]]], ["dance"])
        environment.perimeter = Box(origin: Point3D(x: -1, y: 2, z: 3), width: 4, height: 5, depth: 6)
        environment.geofence = Geofence(centre: GeoPoint(latitude: 48.1, longitude: -2), radiusMetres: 7.5)
        environment.angle = 195
        #expect(FlareEnvironment(json: try JSONValue(parsing: environment.json.text)) == environment)
        var zone = FlareZone(id: id)
        (zone.environment, zone.perimeter) = (FlareID(high: 1, low: 2), environment.perimeter)
        #expect(FlareZone(json: try JSONValue(parsing: zone.json.text)) == zone)
        var thing = FlareThing(id: id)
        (thing.environment, thing.zone) = (zone.environment, FlareID(high: 3, low: 4))
        (thing.position, thing.data) = (Point3D(x: 0.1, y: 2, z: -3), ["on": true])
        #expect(FlareThing(json: try JSONValue(parsing: thing.json.text)) == thing)
        var device = FlareDevice(id: id)
        (device.environment, device.zone, device.nearest) = (thing.environment, thing.zone, id)
        device.position = thing.position
        #expect(FlareDevice(json: try JSONValue(parsing: device.json.text)) == device)
    }

    @Test func `objects that have only an id are the same too`() throws {
        #expect(FlareEnvironment(json: FlareEnvironment(id: id).json) == FlareEnvironment(id: id))
        #expect(FlareZone(json: FlareZone(id: id).json) == FlareZone(id: id))
        #expect(FlareThing(json: FlareThing(id: id).json) == FlareThing(id: id))
        #expect(FlareDevice(json: FlareDevice(id: id).json) == FlareDevice(id: id))
    }
}
