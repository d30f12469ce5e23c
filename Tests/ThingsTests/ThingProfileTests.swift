import Flare
import Testing
import Things

struct ThingProfileTests {
    @Test func `a lamp with every attribute has every capability`() {
        let profile = ThingProfile(thing: Lamps.full)
        #expect(profile.isLight)
        #expect(profile.palette == ["red", "green", "blue"])
        #expect(profile.actions == ["on", "off", "nextColor", "previousColor", "lighter", "darker"])
        #expect(profile.settable == ["state", "brightness", "level", "color"])
    }

    @Test func `a thing with only a colour has the default palette and a state`() {
        let profile = ThingProfile(thing: Lamps.thing(["color": "red"]))
        #expect(profile.palette == ["red", "orange", "yellow", "green", "blue", "purple"])
        #expect(profile.settable == ["state", "color"])
    }

    @Test func `other data has its value's type and identity keys are omitted`() {
        let profile = ThingProfile(
            thing: Lamps.thing([
                "price": 9, "label": "x", "locked": false, "sizes": [1], "stock": [:], "empty": .null,
                "minor": 1,
                "major": 2, "uuid": "u", "mac": "m", "options": ["red"], "level": 3, "state": "open",
            ])
        )
        #expect(!profile.isLight)
        #expect(profile.palette.isEmpty)
        #expect(profile.settable == ["label", "level", "locked", "price", "sizes", "state", "stock"])
        #expect(profile.attributes["level"] == .number)
        #expect(profile.attributes["state"] == .text)
        #expect(profile.attributes["locked"] == .bool)
        #expect(profile.attributes["sizes"] == .list)
        #expect(profile.attributes["stock"] == .object)
    }

    @Test func `a thing of kind switch has a state and is no light`() {
        let thing = Lamps.thing(["on": true, "volume": 3, "kind": "switch"])
        let profile = ThingProfile(thing: thing)
        #expect(profile.hasState && !profile.isLight && !ThingProfile.isLight(thing.data))
        #expect(profile.settable == ["state", "volume"])
        #expect(profile.actions == ["on", "off"])
        let appearance = ThingAppearance(thing: thing)
        #expect(appearance.isOn && !appearance.isLight && appearance.colourMode == nil)
        // Any other value under that key changes nothing.
        #expect(ThingProfile(thing: Lamps.thing(["on": true, "kind": "desk lamp"])).isLight)
    }

    @Test func `a thing's own list of actions is offered`() {
        let profile = ThingProfile(thing: Lamps.thing(["on": true], actions: ["party"]))
        #expect(profile.actions == ["party"])
        #expect((try? profile.checked(action: "party").get()) == "party")
        #expect((try? profile.checked(action: "off").get()) == "off")
    }

    @Test func `a thing without attributes and actions cannot be driven`() {
        #expect(!ThingProfile(thing: Lamps.thing(["minor": 3])).isDrivable)
    }

    @Test(
        arguments: [
            ("lighter", ["color": "red"]), ("nextColor", ["brightness": 1]), ("clockwise", ["on": true]),
            ("north", ["on": true]), ("on", ["price": 1]), ("hasOwnProperty", ["on": true]),
            ("", ["on": true]),
        ] as [(String, [String: JSONValue])]
    )
    func `an action for an attribute that the thing lacks is refused`(
        action: String,
        data: [String: JSONValue]
    ) {
        guard case .failure(let refusal) = ThingProfile(thing: Lamps.thing(data)).checked(action: action)
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
        #expect((try? ThingProfile(thing: thing).checked(action: action).get()) == action)
    }

    @Test
    func `an unknown action is refused with the offered actions only`() {
        func message(_ thing: FlareThing, _ action: String) -> String {
            guard case .failure(let refusal) = ThingProfile(thing: thing).checked(action: action) else {
                return ""
            }
            return refusal.message
        }
        let lamp = Lamps.thing(["on": true], position: Point3D(x: 1, y: 1))
        #expect(message(lamp, "dance") == #""dance" is not an action of this thing; it has on, off"#)
        #expect(message(lamp, "norht").contains(#"did you mean "north"?"#))
        let stone = Lamps.thing(["price": 1], position: Point3D(x: 1, y: 1))
        #expect(message(stone, "dance").hasSuffix("it has down, east, north, south, up, west"))
    }

    @Test func `a misspelt action is refused with the nearest and all legal ones`() {
        let result = ThingProfile(thing: Lamps.full).checked(action: "nextcolour")
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
        let profile = ThingProfile(thing: thing)
        #expect(profile.reported == ["on": .bool, "temperature": .number])
        #expect(profile.settable == ["state", "brightness", "level"] && !profile.hasOn)
        #expect(!profile.attributes.keys.contains("readonly"))
        for key in ["temperature", "on"] {
            let request = ThingRequest(attributes: [key: 1])
            guard case .failure(let refusal) = request.settled(on: thing) else {
                Issue.record("\(key) was taken")
                continue
            }
            #expect(refusal.code == .notSettable && refusal.field == key)
            #expect(refusal.message.contains("only reported"))
        }
        #expect(ThingProfile(thing: Lamps.thing(["on": true, "readonly": ["on"]])).isDrivable == false)
        #expect(!ThingProfile.isLight(["on": true, "readonly": ["on"]]))
    }

    @Test(arguments: ["temperature", 5, .null, ["temperature": true], [1, [], .null]] as [JSONValue])
    func `a malformed readonly is ignored`(readonly: JSONValue) {
        let profile = ThingProfile(thing: Lamps.thing(["temperature": 21, "readonly": readonly]))
        #expect(profile.reported.isEmpty && profile.settable == ["temperature"])
    }
}
