import Flare
import JSON
import Testing

struct FlareObjectsTests {
    private static let id: JSONValue = "0123456789abcdefabcdef42"
    private static let other: JSONValue = "0123456789abcdefabcdef43"

    private func flareID(_ value: JSONValue) throws -> FlareID {
        try #require(value.string.flatMap { FlareID($0) })
    }

    @Test func `an environment is read with all its parts`() throws {
        let environment = try #require(
            FlareEnvironment(json: [
                "_id": Self.id, "name": "Home", "description": "a flat", "data": ["distance": 2],
                "actions": ["a", "b"], "angle": 12.5,
                "perimeter": [
                    "origin": ["x": 1, "y": 2, "z": 3], "size": ["width": 4, "height": 5, "depth": 6],
                ],
                "geofence": ["latitude": 50, "longitude": 8, "radius": 300],
            ])
        )
        #expect(environment.id == (try flareID(Self.id)))
        #expect(environment.name == "Home")
        #expect(environment.description == "a flat")
        #expect(environment.data == ["distance": 2])
        #expect(environment.actions == ["a", "b"])
        #expect(environment.angle == 12.5)
        #expect(
            environment.perimeter == Box(origin: Point3D(x: 1, y: 2, z: 3), width: 4, height: 5, depth: 6)
        )
        #expect(
            environment.geofence
                == Geofence(centre: GeoPoint(latitude: 50, longitude: 8), radiusMetres: 300)
        )
    }

    @Test func `zone, thing and device reference their parents`() throws {
        let json: JSONValue = [
            "_id": Self.id, "environment": Self.other, "zone": Self.other, "nearest": Self.other,
            "position": ["x": 1, "y": 2],
            "perimeter": ["origin": ["x": 0, "y": 0], "size": ["width": 1, "height": 1]],
        ]
        let other = try flareID(Self.other)
        let zone = try #require(FlareZone(json: json))
        #expect(zone.environment == other)
        #expect(zone.perimeter == Box(origin: .zero, width: 1, height: 1, depth: 3))
        let thing = try #require(FlareThing(json: json))
        #expect([thing.environment, thing.zone] == [other, other])
        #expect(thing.position == Point3D(x: 1, y: 2, z: 0))
        let device = try #require(FlareDevice(json: json))
        #expect([device.environment, device.zone, device.nearest] == [other, other, other])
        #expect(device.position == Point3D(x: 1, y: 2, z: 0))
    }

    @Test func `missing members and other types are empty`() throws {
        let bare: JSONValue = ["_id": Self.id]
        let odd: JSONValue = [
            "_id": Self.id, "name": 5, "description": .null, "data": [1], "actions": "go", "angle": "north",
            "environment": 7, "zone": "short", "nearest": .null, "position": [1, 2], "perimeter": "large",
            "geofence": [:],
        ]
        let id = try flareID(Self.id)
        for json in [bare, odd] {
            #expect(FlareEnvironment(json: json) == FlareEnvironment(id: id))
            #expect(FlareZone(json: json) == FlareZone(id: id))
            #expect(FlareThing(json: json) == FlareThing(id: id))
            #expect(FlareDevice(json: json) == FlareDevice(id: id))
        }
        #expect(
            FlareThing(json: ["_id": Self.id, "actions": ["on", 1, .null, "off"]])?.actions == ["on", "off"]
        )
    }

    @Test(
        arguments: [
            [:], ["_id": "x"], ["_id": 5], ["_id": .null], ["id": "0123456789abcdefabcdef42"], [], .null,
            "text",
        ] as [JSONValue]
    )
    func `without a valid identifier there is no object`(json: JSONValue) {
        #expect(FlareEnvironment(json: json) == nil)
        #expect(FlareZone(json: json) == nil)
        #expect(FlareThing(json: json) == nil)
        #expect(FlareDevice(json: json) == nil)
    }

    @Test(
        arguments: [
            (1.5, 1.5), ("1.5", 1.5), ("-2e1", -20), (.numeral("9007199254740993"), 9_007_199_254_740_992),
            ("", nil), ("a", nil), ("nan", nil), ("inf", nil), ("1e999", nil), (true, nil), (.null, nil),
            ([1], nil), (nil, nil), (.number(.infinity), nil),
        ] as [(JSONValue?, Double?)]
    )
    func `numeric text counts as a number`(value: JSONValue?, number: Double?) {
        #expect(JSONValue.object(value.map { ["a": $0] } ?? [:]).flareNumber("a") == number)
    }

    @Test func `numeric text counts in positions, perimeters and geofences`() {
        #expect(Point3D(json: ["x": "1", "y": "2.5", "z": "-3"]) == Point3D(x: 1, y: 2.5, z: -3))
        #expect(
            Box(json: ["origin": ["x": "1", "y": "2"], "size": ["width": "3", "height": "4", "depth": "5"]])
                == Box(origin: Point3D(x: 1, y: 2), width: 3, height: 4, depth: 5)
        )
        #expect(
            Geofence(json: ["latitude": "50", "longitude": "8"])
                == Geofence(centre: GeoPoint(latitude: 50, longitude: 8), radiusMetres: 0)
        )
    }

    @Test(
        arguments: [
            nil, .null, [:], ["origin": ["x": 0, "y": 0]], ["size": ["width": 1, "height": 1]],
            ["origin": ["x": 0], "size": ["width": 1, "height": 1]],
            ["origin": ["x": 0, "y": 0], "size": ["width": 1]],
        ] as [JSONValue?]
    )
    func `an incomplete perimeter is ignored`(json: JSONValue?) {
        #expect(Box(json: json) == nil)
    }

    @Test(arguments: [nil, .null, ["x": 1], ["y": 1], ["x": "a", "y": 1], [1, 2]] as [JSONValue?])
    func `a position needs x and y`(json: JSONValue?) {
        #expect(Point3D(json: json) == nil)
    }

    @Test func `a position is written with all three numbers`() {
        #expect(Point3D(x: 1.5, y: -2).json.text == #"{"x":1.5,"y":-2,"z":0}"#)
    }
}
