import Flare
import JSON
import Profiles
import Testing
import Things

struct KnownShapesTests {
    private let catalog = ThingCatalog.none
    private static let data: JSONObject = [
        "on": true, "brightness": 0.5, "color": "red", "options": ["red", "blue"], "colorTemperature": 3000,
    ]

    private func shape(_ data: JSONObject, actions: [String] = [], position: Point3D? = nil) -> ThingShape {
        catalog.shape(of: Lamps.thing(data, actions: actions, position: position))
    }

    @Test func `things with the same keys and types of values share one shape`() {
        var other = Self.data
        for (key, value) in ["on": false, "brightness": 1, "color": "teal"] as JSONObject {
            other[key] = value
        }
        #expect(shape(Self.data) === shape(other))
    }

    @Test(
        arguments: [
            ["on": 1], ["brightness": "0.5"], ["brightness": "half"], ["color": .null], ["options": ["red"]],
            ["colorTemperature": 0], ["readonly": ["on"]], ["kind": "switch"], ["note": "x"],
        ] as [JSONObject]
    )
    func `what a thing has or accepts decides its shape`(change: JSONObject) {
        #expect(shape(Self.data) !== shape(Self.data.merging(change) { $1 }))
    }

    @Test func `its own actions and a position decide it too`() {
        #expect(shape(Self.data) !== shape(Self.data, actions: ["party"]))
        #expect(shape(Self.data) !== shape(Self.data, position: .zero))
    }

    @Test func `a generic number of a profile is whole or not, and any other one is just a number`() {
        let profile = Kinds.profile("test", [Kinds.property("generic"), Kinds.property("slider", .slider)])
        let catalog = Kinds.catalog([profile])
        func shape(_ key: String, _ value: JSONValue) -> ThingShape {
            catalog.shape(of: Lamps.thing(["profile": "test", key: value]))
        }
        #expect(shape("generic", 1) !== shape("generic", 1.5))
        #expect(shape("slider", 1) === shape("slider", 1.5))
    }

    @Test func `a client that invents keys does not fill the memory`() {
        let first = shape(Self.data)
        for number in 0..<3000 {
            _ = shape(JSONObject((0..<10).map { ("key\(number)-\($0)", true) }))
        }
        #expect(shape(Self.data) !== first)
        let many = JSONObject((0..<600).map { ("key\($0)", true) })
        let large = shape(many)
        #expect(shape(many) === large, "it was the last one")
        _ = shape(Self.data)
        #expect(shape(many) !== large)
    }
}
