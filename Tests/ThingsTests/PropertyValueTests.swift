import Flare
import JSON
import Profiles
import Testing
import Things

/// What each control accepts.
struct PropertyValueTests {
    private static let sample = Kinds.kind([
        Kinds.property("locked", .switch),
        Kinds.property("relay", actions: [("turn_off", 0), ("turn_on", 1)]),
        Kinds.property("pump", .switch, actions: [("run", "RUN"), ("off", "STOP"), ("rinse", "RINSE")]),
        Kinds.property("position", .slider, actions: [("open", 100), ("close", 0)]),
        Kinds.property("setpoint", .decimalInput, range: 5...35),
        Kinds.property("count", .integerInput, range: 1...99), Kinds.property("free", .decimalInput),
        Kinds.property("mode", actions: [("off", "off"), ("heat", "heat"), ("auto", "auto")]),
        Kinds.property("strength", actions: [("mild", 1), ("strong", 3), ("1", 7)]),
        Kinds.property("brew", .button, actions: [("espresso", 1), ("lungo", 2)]),
        Kinds.property("caption", .textInput), Kinds.property("watts", .readonlyText),
        Kinds.property("brightness", .slider), Kinds.property("anything"), Kinds.property("tx", .textInput),
        Kinds.property("choice", .select), Kinds.property("minor", .integerInput),
    ])

    private static let thing = Lamps.thing([
        "locked": false, "relay": 0, "mode": "off", "watts": 3, "loose": 4, "minor": 7, "profile": "test",
    ])

    private func settled(_ name: String, _ value: JSONValue, plainText: String? = nil) -> Result<
        ThingSetting, Refusal
    > {
        ThingRequest(attributes: [name: value], plainText: plainText)
            .settled(on: Self.thing, kind: Self.sample)
    }

    @Test(
        arguments: [
            ("locked", "ON", true), ("locked", "off", false), ("locked", true, true),
            ("locked", "true", true), ("relay", "ON", 1), ("relay", false, 0), ("relay", "turn_on", 1),
            ("relay", 0, 0), ("relay", "1", 1), ("pump", "ON", "RUN"), ("pump", "OFF", "STOP"),
            ("pump", "rinse", "RINSE"), ("pump", "RINSE", "RINSE"), ("pump", "run", "RUN"),
            ("position", 40, 40), ("position", 0, 0), ("position", 100, 100), ("setpoint", 21.5, 21.5),
            ("count", 99, 99), ("free", -1e9, -1e9), ("mode", "heat", "heat"), ("mode", "off", "off"),
            ("strength", "strong", 3), ("strength", 3, 3), ("strength", "3", 3), ("strength", "1", 7),
            ("strength", 1, 1), ("brew", "lungo", 2), ("brew", 1, 1), ("caption", "x", "x"),
            ("caption", 5, "5"), ("caption", "007", "007"), ("caption", "", ""), ("brightness", 0.4, 0.4),
            ("brightness", 1, 1), ("brightness", "40%", 0.4), ("brightness", 51, 0.2), ("tx", "5", "5"),
        ] as [(String, JSONValue, JSONValue)]
    )
    func `a legal value is stored and shown as the property has it`(
        name: String,
        value: JSONValue,
        stored: JSONValue
    ) throws {
        let setting = try settled(name, value).get()
        #expect(setting.accepted == [name: stored])
        #expect(Self.sample.stored(setting.patch, in: Self.thing.data) == [name: stored])
    }

    @Test(
        arguments: [
            ("locked", 1, .wrongType), ("locked", "perhaps", .invalidValue), ("locked", ["a": 1], .wrongType),
            ("relay", 2, .invalidValue), ("relay", [], .wrongType), ("position", 101, .outOfRange),
            ("position", -0.5, .outOfRange), ("position", "40", .wrongType), ("position", true, .wrongType),
            ("position", 40.5, .invalidValue), ("setpoint", 4.9, .outOfRange), ("count", 1.5, .invalidValue),
            ("count", 0, .outOfRange), ("free", "x", .wrongType), ("mode", "cool", .invalidValue),
            ("mode", [], .wrongType), ("strength", 2, .invalidValue), ("brew", "latte", .invalidValue),
            ("caption", ["a": 1], .wrongType), ("watts", 4, .notSettable), ("loose", 5, .notSettable),
            ("profile", "blind", .notSettable), ("oemModel", "x", .notSettable),
            ("model", "x", .notSettable), ("minor", 8, .notSettable), ("anything", 1, .notSettable),
            ("choice", "x", .notSettable), ("positon", 4, .unknownAttribute),
            ("state", "ON", .unknownAttribute),
            ("brightness", "140%", .outOfRange), ("brightness", 256, .outOfRange),
        ] as [(String, JSONValue, RefusalCode)]
    )
    func `an illegal value is refused with its code and names the field`(
        name: String,
        value: JSONValue,
        code: RefusalCode
    ) throws {
        guard case .failure(let refusal) = settled(name, value) else {
            Issue.record("\(name) = \(value) was accepted")
            return
        }
        #expect(refusal.code == code, "\(refusal)")
        #expect(refusal.field == name)
    }

    @Test(arguments: [
        ("position", 140 as JSONValue, "position must be a whole number of 0 to 100 (is 140)"),
        ("setpoint", 99, "setpoint must be a number of 5 to 35 (is 99)"),
        (
            "mode", "haet",
            "mode must be one of off, heat, auto or one of their values (is \"haet\"); did you mean \"heat\"?"
        ),
        ("locked", "maybe", "locked must be ON, OFF, TOGGLE, true or false (is \"maybe\")"),
        (
            "relay", "maybe",
            "relay must be ON, OFF, TOGGLE, true, false, turn_off, turn_on or one of their values (is \"maybe\")"
        ),
    ])
    func `a refusal says what is legal`(name: String, value: JSONValue, message: String) {
        guard case .failure(let refusal) = settled(name, value) else {
            Issue.record("accepted")
            return
        }
        #expect(refusal.message == message)
    }

    @Test func `a plain text of digits stays a text where a text is wanted`() throws {
        #expect(try settled("caption", 1.5, plainText: "1.50").get().accepted == ["caption": "1.50"])
        #expect(try settled("caption", .null, plainText: "null").get().accepted == ["caption": "null"])
        #expect(try settled("setpoint", 21.5, plainText: "21.50").get().accepted == ["setpoint": 21.5])
    }

    @Test(arguments: [
        ("locked", true as JSONValue), ("relay", 1), ("pump", "RUN"),
    ])
    func `TOGGLE is the opposite of the value at the time of writing`(name: String, opposite: JSONValue)
        throws
    {
        let setting = try settled(name, "TOGGLE").get()
        #expect(setting.accepted == [name: "TOGGLE"])
        #expect(Self.sample.stored(setting.patch, in: Self.thing.data) == [name: opposite])
    }

    /// Whatever is asked, what is stored is a value that would be accepted as it is.
    @Test func `what is stored is always a legal value`() throws {
        let values: [JSONValue] = [
            .null, true, false, 0, 1, 2, 3, 7, 40, 40.5, 99, 100, 255, 1e9, -1,
            .numeral("99999999999999999999"),
            "ON", "OFF", "TOGGLE", "off", "heat", "rinse", "40%", "0%", "1", "", "x", [], [:], ["r": 1],
        ]
        for kind in [Self.sample, Kinds.foreignLight, Kinds.plainLight, Kinds.dimmerOnly, Kinds.valve] {
            for (name, data) in [("brightness", [:]), ("other", Self.thing.data)]
                as [(String, JSONObject)]
            {
                let thing = Lamps.thing(data)
                let names = kind.allProperties.map(\.name) + ["state", "level", "brightness", "color", name]
                for name in Set(names) {
                    for value in values {
                        guard
                            case .success(let setting) = ThingRequest(attributes: [name: value])
                                .settled(on: thing, kind: kind)
                        else { continue }
                        let properties = ThingShape(thing, kind: kind).properties
                        for (key, stored) in kind.stored(setting.patch, in: thing.data) {
                            guard let property = properties.first(where: { $0.name == key }) else {
                                Issue.record("\(name) = \(value) writes \(key)")
                                continue
                            }
                            // A brightness has the forms of the contract under its name.
                            if property.name == "brightness", kind.isLight {
                                #expect((0...1).contains(stored.number ?? -1))
                                continue
                            }
                            let again = ThingRequest(attributes: [key: stored]).settled(on: thing, kind: kind)
                            #expect(throws: Never.self, "\(name) = \(value) stores \(key) = \(stored)") {
                                try again.get()
                            }
                        }
                    }
                }
            }
        }
    }

    @Test func `a tilt accepts STOP, and a dimmer with whole limits and step is whole`() throws {
        var dimmer = Kinds.property("dim", .dimmer, range: 0...100)
        dimmer.step = 1
        let tilt = Kinds.property("tilt", .slider, roles: ["cover_tilt"])
        let kind = Kinds.kind(deviceControl: "light", [tilt, dimmer])
        let thing = Lamps.thing(["tilt": 40, "dim": 10])
        func patch(_ name: String, _ value: JSONValue) throws -> ThingPatch {
            try ThingRequest(attributes: [name: value]).settled(on: thing, kind: kind).get().patch
        }
        #expect(try patch("tilt", "STOP").isEmpty)
        #expect(throws: Refusal.self) { try patch("dim", 33.5) }
        #expect(kind.stored(ThingPatch(level: 0.333), in: thing.data) == ["dim": 33])
    }
}
