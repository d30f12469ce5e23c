import Flare
import JSON
import Testing
import Things

struct ThingShapeTests {
    @Test func `a lamp with every attribute has every capability`() {
        let shape = ThingShape(Lamps.full)
        #expect(shape.isLight)
        #expect(shape.palette == ["red", "green", "blue"])
        #expect(shape.actions == ["on", "off", "nextColor", "previousColor", "lighter", "darker"])
        #expect(shape.settable == ["state", "brightness", "level", "color"])
    }

    @Test func `a thing with only a colour has the default palette and a state`() {
        let shape = ThingShape(Lamps.thing(["color": "red"]))
        #expect(shape.palette == ["red", "orange", "yellow", "green", "blue", "purple"])
        #expect(shape.settable == ["state", "color"])
    }

    @Test func `other data has its value's type and identity keys are omitted`() {
        let shape = ThingShape(
            Lamps.thing([
                "price": 9, "label": "x", "locked": false, "sizes": [1], "stock": [:], "empty": .null,
                "minor": 1,
                "major": 2, "uuid": "u", "mac": "m", "options": ["red"], "level": 3, "state": "open",
            ])
        )
        #expect(!shape.isLight)
        #expect(shape.palette.isEmpty)
        #expect(shape.settable == ["label", "level", "locked", "price", "sizes", "state", "stock"])
        #expect(shape.attributes["level"] == .number)
        #expect(shape.attributes["state"] == .text)
        #expect(shape.attributes["locked"] == .bool)
        #expect(shape.attributes["sizes"] == .list)
        #expect(shape.attributes["stock"] == .object)
    }

    @Test func `a thing of kind switch has a state and is no light`() {
        let thing = Lamps.thing(["on": true, "volume": 3, "kind": "switch"])
        let shape = ThingShape(thing)
        #expect(shape.hasState && !shape.isLight)
        #expect(shape.settable == ["state", "volume"])
        #expect(shape.actions == ["on", "off"])
        let appearance = Appearance(thing)
        #expect(appearance.isOn && !appearance.isLight && appearance.colourMode == nil)
        // Any other value under that key changes nothing.
        #expect(ThingShape(Lamps.thing(["on": true, "kind": "desk lamp"])).isLight)
    }

    @Test func `a thing's own list of actions is offered`() {
        let shape = ThingShape(Lamps.thing(["on": true], actions: ["party"]))
        #expect(shape.actions == ["party"])
        #expect((try? shape.checked(action: "party").get()) == "party")
        #expect((try? shape.checked(action: "off").get()) == "off")
    }

    @Test func `a thing without attributes and actions cannot be driven`() {
        #expect(!ThingShape(Lamps.thing(["minor": 3])).isDrivable)
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
        guard case .failure(let refusal) = ThingShape(Lamps.thing(data)).checked(action: action)
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
        #expect((try? ThingShape(thing).checked(action: action).get()) == action)
    }

    @Test
    func `an unknown action is refused with the offered actions only`() {
        func message(_ thing: FlareThing, _ action: String) -> String {
            guard case .failure(let refusal) = ThingShape(thing).checked(action: action) else {
                return ""
            }
            return refusal.message
        }
        let lamp = Lamps.thing(["on": true], position: Point3D(x: 1, y: 1))
        #expect(message(lamp, "dance") == #""dance" is not an action of this thing; it has on, off"#)
        #expect(
            message(lamp, "norht").contains(#"did you mean "north", which moves its place by 1 m? it has"#)
        )
        let stone = Lamps.thing(["price": 1], position: Point3D(x: 1, y: 1))
        #expect(
            message(stone, "dance").hasSuffix(
                "; it has no actions of its own; north, south, east, west, up, down move its place by 1 m"
            )
        )
    }

    @Test func `a misspelt action is refused with the nearest and all legal ones`() {
        let result = ThingShape(Lamps.full).checked(action: "nextcolour")
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
        let shape = ThingShape(thing)
        #expect(shape.reported == ["on": .bool, "temperature": .number])
        #expect(shape.settable == ["state", "brightness", "level"] && !shape.hasOn)
        #expect(!shape.attributes.keys.contains("readonly"))
        for key in ["temperature", "on"] {
            let request = ThingRequest(attributes: [key: 1])
            guard case .failure(let refusal) = request.settled(on: thing) else {
                Issue.record("\(key) was taken")
                continue
            }
            #expect(refusal.code == .notSettable && refusal.field == key)
            #expect(refusal.message.contains("only reported"))
        }
        #expect(ThingShape(Lamps.thing(["on": true, "readonly": ["on"]])).isDrivable == false)
        #expect(!ThingShape(Lamps.thing(["on": true, "readonly": ["on"]])).isLight)
    }

    @Test(arguments: ["temperature", 5, .null, ["temperature": true], [1, [], .null]] as [JSONValue])
    func `a malformed readonly is ignored`(readonly: JSONValue) {
        let shape = ThingShape(Lamps.thing(["temperature": 21, "readonly": readonly]))
        #expect(shape.reported.isEmpty && shape.settable == ["temperature"])
    }
}
