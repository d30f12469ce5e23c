import Flare
import JSON
import Testing
import Things

struct ThingCapabilitiesTests {
    @Test func `a lamp with every attribute has every capability`() {
        let capabilities = ThingCapabilities(thing: Lamps.full)
        #expect(capabilities.isLight)
        #expect(capabilities.palette == ["red", "green", "blue"])
        #expect(capabilities.actions == ["on", "off", "nextColor", "previousColor", "lighter", "darker"])
        #expect(capabilities.settable == ["state", "brightness", "level", "color"])
    }

    @Test func `a thing with only a colour has the default palette and a state`() {
        let capabilities = ThingCapabilities(thing: Lamps.thing(["color": "red"]))
        #expect(capabilities.palette == ["red", "orange", "yellow", "green", "blue", "purple"])
        #expect(capabilities.settable == ["state", "color"])
    }

    @Test func `other data has its value's type and identity keys are omitted`() {
        let capabilities = ThingCapabilities(
            thing: Lamps.thing([
                "price": 9, "label": "x", "locked": false, "sizes": [1], "stock": [:], "empty": .null,
                "minor": 1,
                "major": 2, "uuid": "u", "mac": "m", "options": ["red"], "level": 3, "state": "open",
            ])
        )
        #expect(!capabilities.isLight)
        #expect(capabilities.palette.isEmpty)
        #expect(capabilities.settable == ["label", "level", "locked", "price", "sizes", "state", "stock"])
        #expect(capabilities.attributes["level"] == .number)
        #expect(capabilities.attributes["state"] == .text)
        #expect(capabilities.attributes["locked"] == .bool)
        #expect(capabilities.attributes["sizes"] == .list)
        #expect(capabilities.attributes["stock"] == .object)
    }

    @Test func `a thing of kind switch has a state and is no light`() {
        let thing = Lamps.thing(["on": true, "volume": 3, "kind": "switch"])
        let capabilities = ThingCapabilities(thing: thing)
        #expect(capabilities.hasState && !capabilities.isLight && !ThingCapabilities.isLight(thing.data))
        #expect(capabilities.settable == ["state", "volume"])
        #expect(capabilities.actions == ["on", "off"])
        let appearance = ThingAppearance(thing: thing)
        #expect(appearance.isOn && !appearance.isLight && appearance.colourMode == nil)
        // Any other value under that key changes nothing.
        #expect(ThingCapabilities(thing: Lamps.thing(["on": true, "kind": "desk lamp"])).isLight)
    }

    @Test func `a thing's own list of actions is offered`() {
        let capabilities = ThingCapabilities(thing: Lamps.thing(["on": true], actions: ["party"]))
        #expect(capabilities.actions == ["party"])
        #expect((try? capabilities.checked(action: "party").get()) == "party")
        #expect((try? capabilities.checked(action: "off").get()) == "off")
    }

    @Test func `a thing without attributes and actions cannot be driven`() {
        #expect(!ThingCapabilities(thing: Lamps.thing(["minor": 3])).isDrivable)
    }

    @Test(
        arguments: [
            ("lighter", ["color": "red"]), ("nextColor", ["brightness": 1]), ("clockwise", ["on": true]),
            ("north", ["on": true]), ("on", ["price": 1]), ("hasOwnProperty", ["on": true]),
            ("", ["on": true]),
        ] as [(String, JSONObject)]
    )
    func `an action for an attribute that the thing lacks is refused`(
        action: String,
        data: JSONObject
    ) {
        guard case .failure(let refusal) = ThingCapabilities(thing: Lamps.thing(data)).checked(action: action)
        else {
            Issue.record("\(action) is accepted")
            return
        }
        #expect(refusal.code == .unknownAction)
        #expect(refusal.field == "action")
    }

    @Test(arguments: ["clockwise", "north", "up"])
    func `a thing with an angle and a position can turn and move`(action: String) {
        let thing = Lamps.thing(["angle": 90], position: Point3D(x: 1, y: 1))
        #expect((try? ThingCapabilities(thing: thing).checked(action: action).get()) == action)
    }

    @Test
    func `an unknown action is refused with the offered actions only`() {
        func message(_ thing: FlareThing, _ action: String) -> String {
            guard case .failure(let refusal) = ThingCapabilities(thing: thing).checked(action: action) else {
                return ""
            }
            return refusal.message
        }
        let lamp = Lamps.thing(["on": true], position: Point3D(x: 1, y: 1))
        #expect(message(lamp, "dance") == #""dance" is not an action of this thing; it has on, off"#)
        #expect(message(lamp, "norht").contains(#"did you mean "north"?"#))
        let stone = Lamps.thing(["price": 1], position: Point3D(x: 1, y: 1))
        #expect(
            message(stone, "dance").hasSuffix(
                "; it has no actions of its own; north, south, east, west, up, down move its place by 1 m"
            )
        )
    }

    @Test func `a misspelt action is refused with the nearest and all legal ones`() {
        let result = ThingCapabilities(thing: Lamps.full).checked(action: "nextcolour")
        guard case .failure(let refusal) = result else {
            Issue.record("nextcolour is accepted")
            return
        }
        #expect(
            refusal.message
                == "\"nextcolour\" is not an action of this thing; did you mean \"nextColor\"? it has on, off, nextColor, "
                + "previousColor, lighter, darker"
        )
    }

    @Test func `a read-only value is no attribute and is refused by name`() {
        let thing = Lamps.thing([
            "on": true, "temperature": 21, "brightness": 0.5, "readonly": ["on", "temperature", "gone"],
        ])
        let capabilities = ThingCapabilities(thing: thing)
        #expect(capabilities.reported == ["on": .bool, "temperature": .number])
        #expect(capabilities.settable == ["state", "brightness", "level"] && !capabilities.hasOn)
        #expect(!capabilities.attributes.keys.contains("readonly"))
        for key in ["temperature", "on"] {
            let request = ThingRequest(attributes: [key: 1])
            guard case .failure(let refusal) = request.settled(on: thing) else {
                Issue.record("\(key) was taken")
                continue
            }
            #expect(refusal.code == .notSettable && refusal.field == key)
            #expect(refusal.message.contains("only reported"))
        }
        #expect(ThingCapabilities(thing: Lamps.thing(["on": true, "readonly": ["on"]])).isDrivable == false)
        #expect(!ThingCapabilities.isLight(["on": true, "readonly": ["on"]]))
    }

    @Test(arguments: ["temperature", 5, .null, ["temperature": true], [1, [], .null]] as [JSONValue])
    func `a malformed readonly is ignored`(readonly: JSONValue) {
        let capabilities = ThingCapabilities(thing: Lamps.thing(["temperature": 21, "readonly": readonly]))
        #expect(capabilities.reported.isEmpty && capabilities.settable == ["temperature"])
    }
}
