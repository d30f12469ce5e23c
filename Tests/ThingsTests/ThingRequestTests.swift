import Flare
import JSON
import Testing
import Things

struct ThingRequestTests {
    private func settled(
        _ attributes: JSONObject,
        on thing: FlareThing = Lamps.full,
        isPartial: Bool = false,
        transition: Double? = nil
    ) -> Result<ThingSetting, Refusal> {
        ThingRequest(attributes: attributes, transition: transition, isPartial: isPartial).settled(on: thing)
    }

    private func refusal(_ result: Result<ThingSetting, Refusal>) -> Refusal? {
        if case .failure(let refusal) = result { refusal } else { nil }
    }

    private static let various = Lamps.thing([
        "on": false, "brightness": 0.5, "color": "red", "price": 9, "label": "x", "locked": false,
        "sizes": [1],
        "stock": ["red": 1], "minor": 4, "options": ["red", "Ocean"],
    ])

    @Test(
        arguments: [
            // state
            ("state", "ON", "on", true), ("state", "OFF", "on", false), ("state", "off", "on", false),
            ("state", true, "on", true), ("state", false, "on", false), ("state", "true", "on", true),
            ("on", true, "on", true), ("on", false, "on", false),
            // brightness
            ("brightness", 255, "brightness", 1),
            ("brightness", 1, "brightness", 0.0039),
            ("brightness", 51, "brightness", 0.2), ("brightness", "40%", "brightness", 0.4),
            ("brightness", "100 %", "brightness", 1),
            ("brightness", 0.25, "brightness", 0.25), ("brightness", 0.000_001, "brightness", 0.0001),
            // level
            ("level", 1, "brightness", 1), ("level", 0.75, "brightness", 0.75),
            // color
            ("color", "ocean", "color", "Ocean"), ("color", "teal", "color", "teal"),
            ("color", "#f80", "color", "#ff8800"),
            ("color", "#ff8800", "color", "#ff8800"), ("color", "255,136,0", "color", "#ff8800"),
            ("color", ["r": 255, "g": 0, "b": 0], "color", "red"),
            ("color", ["h": 240, "s": 100], "color", "blue"),
            ("color", ["x": 0.1355, "y": 0.0399], "color", "blue"),
            // any other key, by its type
            ("price", 12.5, "price", 12.5), ("label", "y", "label", "y"), ("label", 5, "label", "5"),
            ("locked", true, "locked", true), ("locked", "ON", "locked", true), ("sizes", [], "sizes", []),
            ("stock", ["blue": 2], "stock", ["blue": 2]),
        ] as [(String, JSONValue, String, JSONValue)]
    )
    func `every accepted value is written as Flare stores it`(
        name: String,
        value: JSONValue,
        key: String,
        stored: JSONValue
    ) throws {
        var thing = Self.various
        if key == "brightness" { thing.data["on"] = true }
        let setting = try settled([name: value], on: thing).get()
        #expect(setting.patch.fields == [key: stored])
        #expect(Array(setting.accepted.keys) == [name])
        #expect(setting.rejected.isEmpty)
    }

    @Test(arguments: ["state", "on"])
    func `a toggle is resolved when it is written`(name: String) throws {
        #expect(try settled([name: "TOGGLE"]).get().patch == ThingPatch(state: .toggle))
    }

    @Test(arguments: [("brightness", 0), ("brightness", "0%"), ("level", 0)] as [(String, JSONValue)])
    func `a brightness of 0 is off and keeps the brightness to restore`(name: String, value: JSONValue)
        throws
    {
        let setting = try settled([name: value]).get()
        #expect(setting.patch.fields == ["on": false])
        #expect(setting.accepted["state"] == "OFF")
    }

    @Test func `a brightness above 0 switches on`() throws {
        let setting = try settled(["brightness": 51], on: Self.various).get()
        #expect(setting.patch.fields == ["on": true, "brightness": 0.2])
        #expect(setting.accepted == ["brightness": 51, "state": "ON"])
    }

    @Test(
        arguments: [
            (["on": false, "brightness": 0.3], .on, nil, ["on": true]),
            (["on": false, "brightness": 0], .on, nil, ["on": true, "brightness": 1]),
            (["on": false, "brightness": 0], .on, 0.4, ["on": true, "brightness": 0.4]),
            (["on": true, "brightness": 0], .toggle, 0.4, ["on": true, "brightness": 0.4]),
            (["on": true, "brightness": 0, "readonly": ["brightness"]], .toggle, nil, ["on": false]),
            (["brightness": 0], .toggle, nil, ["on": true, "brightness": 1]),
            (["on": true, "brightness": 0.1], .toggle, 0.4, ["on": false, "brightness": 0.4]),
            (["on": true, "brightness": 0], .off, nil, ["on": false]),
            (["color": "red"], .toggle, nil, ["on": false]),
        ] as [(JSONObject, ThingPatch.State, Double?, JSONObject)]
    )
    func `on restores the last visible brightness or full brightness`(
        data: JSONObject,
        write: ThingPatch.State,
        resting: Double?,
        values: JSONObject
    ) {
        let resolved = ThingShape(Lamps.thing(data)).resolved(
            ThingPatch(state: write),
            on: data,
            resting: resting
        )
        #expect(resolved.fields == values)
    }

    @Test(arguments: 1...255)
    func `every step of brightness survives a round trip`(step: Int) throws {
        let setting = try settled(["brightness": JSONValue(step)]).get()
        let stored = try #require(setting.patch.fields["brightness"])
        #expect(Appearance(Lamps.thing(["brightness": stored])).brightness == step)
        #expect(setting.accepted == ["brightness": JSONValue(step)])
    }

    @Test(
        arguments: [
            ("state", 1, .wrongType), ("state", .null, .wrongType), ("state", "MAYBE", .invalidValue),
            ("brightness", "40", .invalidValue), ("brightness", "bright", .invalidValue),
            ("brightness", true, .wrongType),
            ("brightness", .null, .wrongType), ("brightness", [1], .wrongType),
            ("brightness", 256, .outOfRange),
            ("brightness", -1, .outOfRange), ("brightness", -0.5, .outOfRange),
            ("brightness", 1.5, .invalidValue),
            ("brightness", "101%", .outOfRange), ("brightness", "nan%", .invalidValue),
            ("brightness", .numeral("99999999999999999999"), .outOfRange),
            ("level", 1.01, .outOfRange), ("level", -0.1, .outOfRange), ("level", "0.5", .wrongType),
            ("color", "ultraviolet", .unknownColour), ("color", 5, .wrongType),
            ("color", "1,2", .invalidValue),
            ("price", "dear", .wrongType), ("price", .null, .wrongType), ("label", [], .wrongType),
            ("label", .null, .wrongType),
            ("locked", 1, .wrongType), ("locked", "perhaps", .wrongType), ("sizes", 1, .wrongType),
            ("stock", [], .wrongType), ("minor", 5, .notSettable), ("options", ["red"], .notSettable),
            ("warmth", 5, .unknownAttribute), ("", 5, .unknownAttribute), ("uuid", "x", .unknownAttribute),
            ("price", .number(.infinity), .wrongType), ("brightness", .number(.nan), .outOfRange),
        ] as [(String, JSONValue, RefusalCode)]
    )
    func `anything else is refused, naming the field`(name: String, value: JSONValue, code: RefusalCode) {
        let refusal = refusal(settled([name: value], on: Self.various))
        #expect(refusal?.code == code)
        #expect(refusal?.field == name)
    }

    @Test(
        arguments: [(51, "maroon", "#330000"), (255, "maroon", "red"), (51, "no colour", "#333333")]
            as [(JSONValue, JSONValue, String)]
    )
    func `a light with colour alone is darkened by its colour`(
        brightness: JSONValue,
        colour: JSONValue,
        stored: String
    ) throws {
        let lamp = Lamps.thing(["on": true, "color": colour])
        let setting = try settled(["brightness": brightness, "state": "ON"], on: lamp).get()
        #expect(setting.patch.fields == ["color": .string(stored)])
        let off = try settled(["brightness": 0], on: lamp).get()
        #expect(off.patch.fields == ["on": false])
        // A colour that comes with it is the one that is darkened.
        let blue = try settled(["brightness": 51, "color": "blue"], on: lamp).get()
        #expect(blue.patch.fields == ["color": "#000033"])
    }

    @Test func `a missing attribute is refused with the existing ones`() {
        let refusal = refusal(settled(["brightness": 200], on: Lamps.thing(["on": true])))
        #expect(refusal?.code == .unknownAttribute)
        #expect(refusal?.message == "\"Lamp\" has no attribute \"brightness\"; it has state")
    }

    @Test func `a misspelt attribute is refused with the nearest`() {
        #expect(
            refusal(settled(["colour": "red"]))?.message
                == "\"Lamp\" has no attribute \"colour\"; did you mean \"color\"? it has state, brightness, level, color"
        )
    }

    @Test func `a state that is the name of an attribute asks for its value`() {
        #expect(refusal(settled(["state": "color"]))?.message == "color needs a value: color=red")
    }

    @Test func `a light without on gets it by setting its state`() throws {
        let thing = Lamps.thing(["brightness": 0.5])
        #expect(try settled(["state": "OFF"], on: thing).get().patch.fields == ["on": false])
    }

    @Test func `a redundant ON with a colour or brightness is no second write`() throws {
        let on = try settled(["state": "ON", "color": "green"]).get()
        #expect(on.patch.fields == ["color": "green"])
        #expect(on.accepted == ["state": "ON", "color": "green"])
        let off = try settled(["state": "ON", "brightness": 51], on: Self.various).get()
        #expect(off.patch.fields == ["on": true, "brightness": 0.2])
        let bare = try settled(["state": "ON", "brightness": 51], on: Lamps.thing(["brightness": 0])).get()
        #expect(bare.patch.fields == ["brightness": 0.2])
        #expect(try settled(["state": "ON"]).get().patch.fields == ["on": true])
    }

    @Test(
        arguments: [
            ["brightness": 10, "level": 0.5], ["state": "ON", "brightness": 0],
            ["state": "OFF", "brightness": 10],
            ["state": "OFF", "level": 1], ["state": "OFF", "on": true], ["on": true, "level": 0],
            ["state": "TOGGLE", "brightness": 0],
        ] as [JSONObject]
    )
    func `contradicting values are refused naming both`(attributes: JSONObject) {
        let refusal = refusal(settled(attributes))
        #expect(refusal?.code == .invalidValue)
        for name in attributes.keys { #expect(refusal?.message.contains(name) == true) }
        #expect(self.refusal(settled(attributes, isPartial: true))?.code == .invalidValue)
    }

    @Test func `either all fields are set or none`() {
        let refusal = refusal(settled(["color": "green", "brightness": 999, "warmth": 3]))
        #expect(refusal?.code == .outOfRange)
        #expect(refusal?.field == "brightness")
        #expect(refusal?.message.contains("warmth") == true)
    }

    @Test func `a partial request sets the valid fields and lists the others`() throws {
        let setting = try settled(["color": "green", "brightness": 999, "warmth": 3], isPartial: true).get()
        #expect(setting.patch.fields == ["color": "green"])
        #expect(setting.accepted == ["color": "green"])
        #expect(
            setting.rejected.mapValues(\.code) == ["brightness": .outOfRange, "warmth": .unknownAttribute]
        )
    }

    @Test func `a partial request without any valid field is refused`() {
        #expect(refusal(settled(["brightness": 999], isPartial: true))?.code == .outOfRange)
    }

    @Test func `a request for nothing is refused with what can be set`() {
        let refusal = refusal(settled([:]))
        #expect(refusal?.code == .invalidValue)
        #expect(refusal?.message.contains("state, brightness, level, color") == true)
    }

    @Test func `of many names that cannot be set, the first three are told what can be set`() throws {
        let setting = try settled(
            ["color": "green", "hue1": 1, "hue2": 1, "hue3": 1, "hue4": 1, "lightlevel": 1],
            isPartial: true
        ).get()
        #expect(setting.rejected["hue3"]?.message.contains("; it has ") == true)
        #expect(setting.rejected["hue4"]?.message == "\"Lamp\" has no attribute \"hue4\"")
        #expect(setting.rejected.count == 5)
    }

    @Test func `a request with hundreds of attributes is refused as a whole`() {
        let many = JSONObject((0..<500).map { ("key\($0)", JSONValue($0)) })
        #expect(refusal(settled(many))?.code == .tooLarge)
    }

    @Test(arguments: [-0.1, 3600.5, .infinity, .nan])
    func `a transition over an hour is refused also in a partial request`(seconds: Double) {
        let refusal = refusal(settled(["state": "ON"], isPartial: true, transition: seconds))
        #expect(refusal?.code == .outOfRange)
        #expect(refusal?.field == "transition")
    }

    @Test(arguments: [0.0, 2, 3600])
    func `a transition within an hour is accepted`(seconds: Double) throws {
        #expect(try settled(["state": "ON"], transition: seconds).get().transition == seconds)
    }

    @Test func `a long value is shortened in the message`() {
        let refusal = refusal(settled(["state": .string(String(repeating: "x", count: 50_000))]))
        #expect((refusal?.message.utf8.count ?? .max) < 200)
    }
}
