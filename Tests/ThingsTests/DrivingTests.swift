import Flare
import JSON
import Profiles
import Testing
import Things

/// Which stored values drive a thing, and which change what it is.
struct DrivingTests {
    private static func thing(
        _ data: JSONObject,
        actions: [String] = [],
        isPlaced: Bool = true
    ) throws -> FlareThing {
        var json: JSONObject = [
            "_id": "00000000000000000000000a", "name": "Lamp", "data": .object(data),
            "actions": .array(actions.map { .string($0) }),
        ]
        if isPlaced { json["position"] = ["x": 1, "y": 1, "z": 0] }
        return try #require(FlareThing(json: .object(json)))
    }

    private func firstNotDriving(_ values: JSONObject, _ thing: FlareThing, kind: ThingKind?) -> String? {
        ThingShape(thing, kind: kind).firstNotDriving(values, thing)
    }

    private func firstIllegal(_ values: JSONObject, _ thing: FlareThing, kind: ThingKind?) -> String? {
        ThingShape(thing, kind: kind).firstIllegal(values, thing)
    }

    private func isDriving(_ action: String, _ thing: FlareThing) -> Bool {
        ThingShape(thing).isDriving(action: action, thing)
    }

    private static let lamp: JSONObject = [
        "on": true, "brightness": 0.5, "color": "red", "options": ["red", "blue"], "note": "x", "minor": 5,
        "power": -59, "speed": .null, "door": true, "readonly": ["door"], "scene": ["a": 1], "list": [1, 2],
        "vendorThingID": "v-1", "thingID": "th.0",
    ]

    @Test(
        arguments: [
            ("on", false), ("brightness", 0.1), ("brightness", 1), ("color", "blue"), ("note", "y"),
            ("scene", ["b": 2]), ("scene.a", 2), ("scene.b.c", "new"), ("list.0", "y"), ("list", []),
        ] as [(String, JSONValue)]
    )
    func `a value of an attribute in its type drives`(key: String, value: JSONValue) throws {
        #expect(try firstNotDriving([key: value], Self.thing(Self.lamp), kind: nil) == nil)
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
            ("vendorThingID", "v-77"), ("vendorThingID", .null), ("thingID", "th.1"),
        ] as [(String, JSONValue)]
    )
    func `what says what a thing is, what is reported, and what it does not have do not drive`(
        key: String,
        value: JSONValue
    ) throws {
        // Another key that drives changes nothing.
        var values: JSONObject = ["scene.a": 3]
        values[key] = value
        let found = try firstNotDriving(values, Self.thing(Self.lamp), kind: nil)
        #expect(found == key)
    }

    @Test func `the power of a socket drives, and a light without on is switched`() throws {
        let socket = try Self.thing(["power": 60])
        #expect(firstNotDriving(["power": 70], socket, kind: nil) == nil)
        let bulb = try Self.thing(["brightness": 0.5])
        #expect(firstNotDriving(["on": true], bulb, kind: nil) == nil)
        #expect(firstNotDriving(["color": "red"], bulb, kind: nil) == "color")
        #expect(firstNotDriving(["on": true], try Self.thing([:]), kind: nil) == "on")
    }

    @Test func `the power of a beacon is no attribute`() throws {
        #expect(try !ThingShape(Self.thing(Self.lamp)).settable.contains("power"))
        #expect(try ThingShape(Self.thing(["power": 60])).settable == ["power"])
    }

    @Test func `what links a thing to its binding is no attribute, and reported by none`() throws {
        let marks: JSONObject = ["vendorThingID": "v-1", "thingID": "th.0", "temperature": 21]
        #expect(try ThingShape(Self.thing(marks)).settable == ["temperature"])
        var reporting = marks
        reporting["readonly"] = ["vendorThingID", "thingID", "temperature"]
        #expect(try Array(ThingShape(Self.thing(reporting)).reported.keys) == ["temperature"])
        let request = ThingRequest(attributes: ["vendorThingID": "v-77"])
        let thing = try Self.thing(marks)
        guard case .failure(let refusal) = request.settled(on: thing, ThingShape(thing)) else {
            Issue.record("it is set")
            return
        }
        #expect(refusal.code == .notSettable)
    }

    @Test(arguments: [
        ("on", true), ("lighter", true), ("nextColor", true), ("boil", false), ("north", false),
        ("up", false),
        ("clockwise", false),
    ])
    func `an action drives that the thing offers, or that changes what a command can set`(
        action: String,
        drives: Bool
    )
        throws
    {
        #expect(try isDriving(action, Self.thing(Self.lamp)) == drives)
        let offering = try Self.thing(Self.lamp, actions: [action])
        #expect(isDriving(action, offering))
        #expect(!ThingShape.moves(offering, action: action))
    }

    @Test(
        arguments: [
            ("on", false), ("brightness", 0), ("brightness", 0.425), ("brightness", 1), ("color", "blue"),
            ("color", "hotpink"), ("color", "#12abEF"), ("color", "warm candle"), ("note", "y\n"),
            ("colorTemperature", 2700), ("speed", -7.5), ("scene", ["b": 2]), ("scene.a", 2), ("list", []),
        ] as [(String, JSONValue)]
    )
    func `a plain thing accepts in Flare's form what commands store`(key: String, value: JSONValue) throws {
        #expect(try firstIllegal([key: value], Self.thing(Self.light), kind: nil) == nil)
    }

    @Test(
        arguments: [
            ("on", 1), ("on", "ON"), ("brightness", 50), ("brightness", 42.5), ("brightness", 1e300),
            ("brightness", -0.1), ("brightness", "50%"), ("brightness", .numeral("100000000000000000001")),
            ("brightness.x", 1), ("color", "<script>\n\u{1b}[31m"), ("color", "not-a-colour"), ("color", ""),
            ("color", "red\n"), ("color", "#12345"), ("color", "1,2,3"), ("color", ["r": 1, "g": 1, "b": 1]),
            ("colorTemperature", 20), ("colorTemperature", 2700.5),
        ] as [(String, JSONValue)]
    )
    func `a plain thing accepts no other value`(key: String, value: JSONValue) throws {
        let found = try firstIllegal(
            ["note": "x", key: value],
            Self.thing(Self.light),
            kind: nil
        )
        #expect(found == key)
    }

    @Test func `a switch that has numbers keeps them`() throws {
        let thing = try Self.thing(["on": 1])
        for value: JSONValue in [0, 1, true] {
            #expect(firstIllegal(["on": value], thing, kind: nil) == nil)
        }
        #expect(firstIllegal(["on": 2], thing, kind: nil) == "on")
    }

    @Test(
        arguments: [
            ("position", [0, 42.5, 100], [5000, -7, 1e300, "50%", "up", true]),
            ("mode", ["c", 2], ["cool", "heat", 3, true]), ("count", [1, 9], [0, 10, 2.5, "3"]),
            ("tint", ["red", "#00ff00", "dusk"], ["nowhere", "<b>", 5]), ("label", ["x", ""], [5, true]),
            ("power", [true, false, 0, 1], [2, "on"]), ("valve", [true, false], [1, "ON"]),
            ("position.x", [], [1]), ("room", [], [20]), ("other", [], [1]),
        ] as [(String, [JSONValue], [JSONValue])]
    )
    func `a thing of a kind accepts what its property stores`(
        key: String,
        legal: [JSONValue],
        illegal: [JSONValue]
    ) throws {
        let kind = Kinds.kind([
            Kinds.property("position", .slider, range: 0...100),
            Kinds.property("mode", .select, actions: [("cool", "c"), ("two", 2)]),
            Kinds.property("count", .integerInput, range: 1...9), Kinds.property("tint", .colourPicker),
            Kinds.property("label", .textInput),
            Kinds.property("power", actions: [("turn_off", 0), ("turn_on", 1)]),
            Kinds.property("valve", .switch), Kinds.property("room", .readonlyText),
        ])
        let thing = try Self.thing(["position": 5, "options": ["dusk"]])
        func accepts(_ value: JSONValue) -> Bool {
            firstIllegal([key: value], thing, kind: kind) == nil
        }
        #expect(legal.filter { !accepts($0) } == [])
        #expect(illegal.filter(accepts) == [])
    }

    private static let light: JSONObject = [
        "on": true, "brightness": 0.5, "color": "red", "options": ["red", "warm candle"], "note": "x",
        "colorTemperature": 3000, "speed": 1, "scene": ["a": 1], "list": [1, 2],
    ]
}
