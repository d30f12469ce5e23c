import Flare
import JSON
import Profiles
import Testing
import Things

struct ThingKindTests {
    private static let foreign: JSONObject = [
        "relay": 1, "dim": 40, "tint": "teal", "brightness": 7,
    ]

    private func set(
        _ attributes: JSONObject,
        on data: JSONObject,
        _ kind: ThingKind
    ) throws -> (stored: JSONObject, accepted: JSONObject) {
        let thing = Lamps.thing(data)
        let setting = try ThingRequest(attributes: attributes).settled(on: thing, kind: kind).get()
        return (kind.stored(setting.patch, in: data), setting.accepted)
    }

    // MARK: Lights

    @Test func `a light is seen in the terms of the contract whatever its properties are called`() {
        let appearance = Appearance(Lamps.thing(Self.foreign), kind: Kinds.foreignLight)
        #expect(appearance.isLight && appearance.isOn)
        #expect(appearance.brightness == 102)
        #expect(appearance.colourMode == .rgb)
        #expect(appearance.colourName == "teal")
        #expect(
            appearance.settable
                == ["state", "brightness", "level", "color", "relay", "dim", "tint", "speed"]
        )
    }

    @Test(
        arguments: [
            (["state": "OFF"], ["relay": 0], ["state": "OFF"]),
            (["state": "TOGGLE"], ["relay": 0], ["state": "TOGGLE"]),
            (["relay": "turn_off"], ["relay": 0], ["relay": 0]),
            (["level": 0.25], ["dim": 25], ["level": 0.25]),
            (["dim": 29], ["dim": 29], ["dim": 29]),
            (["dim": "40%"], ["dim": 40], ["dim": 40]),
            (["dim": 0], ["dim": 0], ["dim": 0]),
            (["color": "#f00"], ["tint": "red"], ["color": "red"]),
            (["tint": "0,0,255"], ["tint": "blue"], ["tint": "blue"]),
            (["speed": 3, "state": "OFF"], ["speed": 3, "relay": 0], ["speed": 3, "state": "OFF"]),
        ] as [(JSONObject, JSONObject, JSONObject)]
    )
    func `a light is set by the names of the contract and by its own`(
        asked: JSONObject,
        stored: JSONObject,
        accepted: JSONObject
    ) throws {
        let result = try set(asked, on: Self.foreign, Kinds.foreignLight)
        #expect(result.stored == stored)
        #expect(result.accepted == accepted)
    }

    @Test func `two names for one value are refused together`() {
        for pair in [["dim", "level"], ["tint", "color"]] {
            let values: JSONObject = [
                pair[0]: pair[0] == "dim" ? 4 : "red", pair[1]: pair[1] == "level" ? 1 : "red",
            ]
            let result = ThingRequest(attributes: values).settled(
                on: Lamps.thing(Self.foreign),
                kind: Kinds.foreignLight
            )
            #expect(throws: Refusal.self) { try result.get() }
        }
    }

    @Test func `a light that only has a dimmer is off at its least brightness`() throws {
        let kind = Kinds.dimmerOnly
        #expect(try set(["state": "OFF"], on: ["dim": 40], kind).stored == ["dim": 0])
        #expect(try set(["state": "ON"], on: ["dim": 40], kind).stored == [:])
        #expect(try set(["state": "ON"], on: ["dim": 0], kind).stored == ["dim": 100])
        #expect(try set(["state": "TOGGLE"], on: ["dim": 0], kind).stored == ["dim": 100])
        #expect(!Appearance(Lamps.thing(["dim": 0]), kind: kind).isOn)
        #expect(kind.stored(ThingPatch(state: .on), in: ["dim": 0], resting: 0.3) == ["dim": 30])
    }

    @Test func `a light without values yet is off and can be set`() throws {
        let thing = Lamps.thing([:])
        let appearance = Appearance(thing, kind: Kinds.foreignLight)
        #expect(appearance.hasState && !appearance.isOn)
        #expect(appearance.brightness == nil)
        #expect(try set(["level": 1], on: [:], Kinds.foreignLight).stored == ["relay": 1, "dim": 100])
    }

    @Test(arguments: [
        Lamps.full.data, ["on": false, "brightness": 0, "color": "#102030"],
        ["on": true, "brightness": 1, "color": "ocean", "options": ["ocean"]],
    ])
    func `a profile with the names of a plain light changes nothing about one`(data: JSONObject)
        throws
    {
        let thing = Lamps.thing(data)
        let (plain, managed) = (
            Appearance(thing), Appearance(thing, kind: Kinds.plainLight)
        )
        #expect(managed.isOn == plain.isOn && managed.brightness == plain.brightness)
        #expect(managed.rgb == plain.rgb && managed.colourMode == plain.colourMode)
        for (name, value) in [
            ("state", "TOGGLE"), ("brightness", 128), ("level", 0), ("color", "teal"), ("on", true),
            ("brightness", "40%"), ("brightness", 0),
        ] as [(String, JSONValue)] {
            let request = ThingRequest(attributes: [name: value])
            #expect(
                try request.settled(on: thing, kind: Kinds.plainLight).get()
                    == request.settled(on: thing).get()
            )
        }
    }

    @Test func `the values of a light are stored as they were`() {
        for kind in [Kinds.foreignLight, Kinds.plainLight, Kinds.dimmerOnly, Kinds.valve] {
            for step in 0...100 {
                let data: JSONObject = [
                    "relay": 1, "dim": JSONValue(step), "tint": "red", "on": true,
                    "brightness": .number(Double(step) / 100),
                    "color": "red", "target_temp": 21, "heating": 0,
                ]
                let stored = kind.stored(ThingPatch(kind.light(of: data)), in: data)
                #expect(stored.isEmpty == !kind.isLight)
                for (key, value) in stored { #expect(data[key] == value) }
            }
        }
    }

    @Test func `what is no light has its on and off as state only by role`() {
        let socket = Kinds.kind([Kinds.property("relay", .switch, roles: ["on_off"])])
        let lock = Kinds.kind([Kinds.property("on", .switch), Kinds.property("brightness", .slider)])
        let shown = Appearance(Lamps.thing(["relay": true]), kind: socket)
        #expect(!shown.isLight && shown.hasState && shown.isOn)
        #expect(shown.settable == ["state", "relay"])
        let dark = Appearance(Lamps.thing(["on": true, "brightness": 0]), kind: lock)
        #expect(!dark.hasState && dark.brightness == nil)
        #expect(dark.settable == ["on", "brightness"])
    }

    @Test func `a switch without actions has false and true, and a number without a control stays one`()
        throws
    {
        let lock = Kinds.kind([Kinds.property("locked", .switch, roles: ["on_off"])])
        #expect(try set(["state": "ON"], on: ["locked": 0], lock).stored == ["locked": true])
        let relay = Kinds.kind([Kinds.property("relay", roles: ["on_off"])])
        #expect(try set(["state": "ON"], on: ["relay": 0], relay).stored == ["relay": 1])
        #expect(try set(["state": "TOGGLE"], on: ["relay": true], relay).stored == ["relay": false])
    }

    @Test func `a thing that is controlled as a light and has no part of one is none`() {
        let kind = Kinds.kind(deviceControl: "light", [Kinds.property("caption", .textInput)])
        #expect(!kind.isLight)
        #expect(Kinds.kind(deviceControl: "light", [Kinds.property("on", .switch)]).isLight)
    }

    // MARK: Properties

    @Test(
        arguments: [
            (true, .switch, .boolean), (3, .integerInput, .integer), (3.5, .decimalInput, .decimal),
            ("x", .textInput, .text), (.null, .readonlyText, .unknown), ([], .readonlyText, .unknown),
        ] as [(JSONValue, ThingProperty.Control, ThingProperty.ValueType)]
    )
    func `the generic control follows the value`(
        value: JSONValue,
        control: ThingProperty.Control,
        type: ThingProperty.ValueType
    ) throws {
        let kind = Kinds.kind([Kinds.property("p")])
        let property = try #require(ThingShape(Lamps.thing(["p": value]), kind: kind).properties.first)
        #expect(property.control == control && property.type == type)
    }

    @Test func `two actions with 0 and 1 or false and true make a switch and others a select`() {
        let kind = Kinds.kind([
            Kinds.property("a", actions: [("x", 1), ("y", 0)]),
            Kinds.property("b", actions: [("x", false), ("y", true)]),
            Kinds.property("c", actions: [("x", 1), ("y", 2)]),
            Kinds.property("d", actions: [("x", "0"), ("y", "1")]),
        ])
        #expect(kind.allProperties.map(\.control) == [.switch, .switch, .select, .select])
        #expect(kind.allProperties.map(\.type) == [.integer, .boolean, .integer, .text])
    }

    @Test func `an optional property is left out while the thing has no such value`() {
        let kind = Kinds.kind([
            Kinds.property("tilt", .slider, actions: [("flat", 0)], isOptional: true),
            Kinds.property("position", .slider),
        ])
        #expect(ThingShape(Lamps.thing([:]), kind: kind).properties.map(\.name) == ["position"])
        #expect(kind.actions(of: Lamps.thing([:])).isEmpty)
        #expect(
            ThingShape(Lamps.thing(["tilt": 4]), kind: kind).properties.map(\.name) == ["tilt", "position"]
        )
        #expect(ThingShape(Lamps.thing(["tilt": .null]), kind: kind).settable == ["position"])
        let refused = ThingRequest(attributes: ["tilt": 3]).settled(on: Lamps.thing([:]), kind: kind)
        guard case .failure(let refusal) = refused else {
            Issue.record("tilt was accepted")
            return
        }
        #expect(refusal.code == .unknownAttribute && refusal.message.contains("give its data \"tilt\""))
    }

    @Test func `a value that the thing only reports cannot be set`() {
        let data: JSONObject = ["target_temp": 21, "readonly": ["target_temp"]]
        let capabilities = ThingShape(Lamps.thing(data), kind: Kinds.valve)
        #expect(capabilities.settable == ["heating"])
        #expect(capabilities.reported == ["target_temp": .number])
    }

    // MARK: Actions

    private static let ambiguous = Kinds.kind([
        Kinds.property("left", .button, actions: [("go", 1), ("stop", 0)]),
        Kinds.property("right", .button, actions: [("go", 1)]),
        Kinds.property("seen", .readonlyText, actions: [("hidden", 1)]),
    ])

    @Test func `actions stand in the order of the properties and then those of the thing`() {
        let thing = Lamps.thing([:], actions: ["boil", "stop"])
        #expect(
            Self.ambiguous.actions(of: thing).map(\.name) == ["left.go", "stop", "right.go", "boil"]
        )
    }

    @Test func `a name that several properties have is refused and its forms are named`() throws {
        let thing = Lamps.thing([:])
        #expect(try Self.ambiguous.action(named: "right.go", of: thing).get()?.property == "right")
        #expect(try Self.ambiguous.action(named: "left.stop", of: thing).get()?.name == "stop")
        #expect(try Self.ambiguous.action(named: "hidden", of: thing).get() == nil)
        guard case .failure(let refusal) = Self.ambiguous.action(named: "go", of: thing) else {
            Issue.record("accepted")
            return
        }
        #expect(refusal.code == .unknownAction)
        #expect(refusal.message == "several properties have the action \"go\"; it has left.go, right.go")
    }

    @Test func `an action that nobody has is unknown and the others are named`() {
        let capabilities = ThingShape(Lamps.thing(["heating": 0]), kind: Kinds.valve)
        guard case .failure(let refusal) = capabilities.checked(action: "fan_high") else {
            Issue.record("accepted")
            return
        }
        #expect(refusal.code == .unknownAction)
        #expect(refusal.message == "\"fan_high\" is not an action of this thing; it has heat_off, heat_on")
    }

    @Test(arguments: BuiltInAction.moves)
    func `a thing with a profile is not moved by a word that its profile does not have`(
        action: BuiltInAction
    ) {
        let valve = Lamps.thing(["heating": 0], position: Point3D(x: 1, y: 1))
        let capabilities = ThingShape(valve, kind: Kinds.valve)
        guard case .failure(let refusal) = capabilities.checked(action: action.rawValue) else {
            Issue.record("accepted")
            return
        }
        #expect(refusal.code == .unknownAction)
        #expect(refusal.message.hasSuffix("it has heat_off, heat_on"))
        // What it lists itself is meant.
        var listed = valve
        listed.actions = [action.rawValue]
        let own = ThingShape(listed, kind: Kinds.valve)
        #expect((try? own.checked(action: action.rawValue).get()) == action.rawValue)
    }

    @Test func `an action sets the value of its property`() throws {
        let thing = Lamps.thing(["relay": 0, "dim": 40])
        let kind = Kinds.foreignLight
        let action = try #require(try kind.action(named: "turn_on", of: thing).get())
        let setting = try #require(ThingShape(thing, kind: kind).setting(of: action, on: thing))
        #expect(setting.accepted == ["action": "turn_on", "relay": 1])
        #expect(kind.stored(setting.patch, in: thing.data) == ["relay": 1])
    }
}
