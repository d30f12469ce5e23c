import Flare
import Testing
import Things

/// Which stored values drive a thing, and which change what it is.
struct DrivingTests {
    private static func thing(
        _ data: [String: JSONValue],
        actions: [String] = [],
        isPlaced: Bool = true
    ) throws -> FlareThing {
        var json: [String: JSONValue] = [
            "_id": "00000000000000000000000a", "name": "Lamp", "data": .object(data),
            "actions": .array(actions.map { .string($0) }),
        ]
        if isPlaced { json["position"] = ["x": 1, "y": 1, "z": 0] }
        return try #require(FlareThing(json: .object(json)))
    }

    private static let lamp: [String: JSONValue] = [
        "on": true, "brightness": 0.5, "color": "red", "options": ["red", "blue"], "note": "x", "minor": 5,
        "power": -59, "speed": .null, "door": true, "readonly": ["door"], "scene": ["a": 1], "list": [1, 2],
    ]

    @Test(
        arguments: [
            ("on", false), ("brightness", 0.1), ("brightness", 1), ("color", "blue"), ("note", "y"),
            ("scene", ["b": 2]), ("scene.a", 2), ("scene.b.c", "new"), ("list.0", "y"), ("list", []),
        ] as [(String, JSONValue)]
    )
    func `a value of an attribute in its type drives`(key: String, value: JSONValue) throws {
        #expect(try ThingCapabilities.firstNotDriving([key: value], Self.thing(Self.lamp), kind: nil) == nil)
    }

    @Test(
        arguments: [
            ("profile", "lock"), ("oemModel", "x"), ("model", "x"), ("kind", "switch"), ("readonly", []),
            ("options", ["red"]), ("options.0", "green"), ("actions", ["on"]), ("minor", 6),
            ("receiver", "r"),
            ("power", -70), ("mac", "00:00:00:00:00:00"), ("profile.x", 1), ("door", false), ("new", 1),
            ("speed", 1), ("on", "yes"), ("on", .null), ("brightness", "0.5"), ("color", ["r": 1]),
            ("note", 5),
            ("note.x", 1), ("fresh.x", 1), ("", 1), (".", 1), ("scene", "text"),
        ] as [(String, JSONValue)]
    )
    func `what says what a thing is, what is reported, and what it does not have do not drive`(
        key: String,
        value: JSONValue
    ) throws {
        // Another key that drives changes nothing.
        var values: [String: JSONValue] = ["scene.a": 3]
        values[key] = value
        let found = try ThingCapabilities.firstNotDriving(values, Self.thing(Self.lamp), kind: nil)
        #expect(found == key)
    }

    @Test func `the power of a socket drives, and a light without on is switched`() throws {
        let socket = try Self.thing(["power": 60])
        #expect(ThingCapabilities.firstNotDriving(["power": 70], socket, kind: nil) == nil)
        let bulb = try Self.thing(["brightness": 0.5])
        #expect(ThingCapabilities.firstNotDriving(["on": true], bulb, kind: nil) == nil)
        #expect(ThingCapabilities.firstNotDriving(["color": "red"], bulb, kind: nil) == "color")
        #expect(ThingCapabilities.firstNotDriving(["on": true], try Self.thing([:]), kind: nil) == "on")
    }

    @Test func `the power of a beacon is no attribute`() throws {
        #expect(try !ThingCapabilities(thing: Self.thing(Self.lamp)).settable.contains("power"))
        #expect(try ThingCapabilities(thing: Self.thing(["power": 60])).settable == ["power"])
    }

    @Test(arguments: [
        ("on", true), ("lighter", true), ("nextColor", true), ("boil", true), ("north", false), ("up", false),
        ("clockwise", false),
    ])
    func `an action drives unless it moves the thing or gives it something new`(action: String, drives: Bool)
        throws
    {
        #expect(try ThingCapabilities.isDriving(action: action, Self.thing(Self.lamp), kind: nil) == drives)
        let offering = try Self.thing(Self.lamp, actions: [action])
        #expect(ThingCapabilities.isDriving(action: action, offering, kind: nil))
        #expect(!ThingCapabilities.moves(offering, action: action))
    }
}
