import Flare
import JSON
import Testing
import Things

struct LightValuesTests {
    @Test(
        arguments: [
            (["on": true], true), (["on": false], false), (["on": 1], true), (["on": 0], false),
            (["on": "true"], true),
            (["on": "false"], false), (["on": true, "brightness": 0], false),
            (["on": 1, "brightness": "0"], false),
            (["on": false, "brightness": 1], false),
            (["brightness": 0], false), (["brightness": 0.2], true), (["brightness": "0"], false),
            (["color": "red"], true),
            (["on": .null, "brightness": 0], false),
            (["on": true, "brightness": 0, "readonly": ["brightness"]], true),
            (["on": false, "color": "red", "readonly": ["on"]], true),
        ] as [(JSONObject, Bool)]
    )
    func `a light is on from on, and never with a brightness of 0`(data: JSONObject, isOn: Bool) {
        let appearance = Appearance(Lamps.thing(data))
        #expect(appearance.isLight)
        #expect(appearance.isOn == isOn)
    }

    @Test func `a thing without on, brightness and colour is no light`() {
        let appearance = Appearance(Lamps.thing(["price": 3, "minor": 1]))
        #expect(!appearance.isLight)
        #expect(!appearance.isOn)
        #expect(appearance.colourMode == nil)
        #expect(appearance.settable == ["price"])
    }

    @Test(
        arguments: [
            (0, 0), (0.001, 1), (1, 255), (0.5, 128), (0.2, 51), ("0.2", 51), (2, 255), (-1, 0),
            ("bright", nil),
            (true, nil),
            (1e300, 255),
        ] as [(JSONValue, Int?)]
    )
    func `brightness is shown from 0 to 255`(stored: JSONValue, shown: Int?) {
        #expect(Appearance(Lamps.thing(["brightness": stored])).brightness == shown)
    }

    @Test(
        arguments: [
            (["on": true], .onoff), (["brightness": 1, "on": true], .brightness),
            (["color": "red", "brightness": 1], .rgb),
        ] as [(JSONObject, ThingShape.ColourMode)]
    )
    func `the colour mode is the highest capability`(
        data: JSONObject,
        mode: ThingShape.ColourMode
    ) {
        #expect(Appearance(Lamps.thing(data)).colourMode == mode)
    }

    @Test(
        arguments: [
            ("teal", 0x008080), ("#ff8800", 0xFF8800), ("Oak", 0xDEB887), ("clear", 0xFFFFFF),
            (["r": 1, "g": 2, "b": 3], 0x010203),
        ] as [(JSONValue, UInt32)]
    )
    func `a colour is displayed as in the original Flare`(stored: JSONValue, hex: UInt32) {
        let appearance = Appearance(Lamps.thing(["color": stored]))
        #expect(appearance.rgb == RGBColour(hex: hex))
        #expect(appearance.colourName == stored.string)
    }

    @Test(arguments: ["blurple", "warm white", 7] as [JSONValue])
    func `an unknown colour has no RGB value and keeps its name`(stored: JSONValue) {
        let appearance = Appearance(Lamps.thing(["color": stored, "brightness": 1]))
        #expect(appearance.rgb == nil)
        #expect(
            appearance.colourMode == nil,
            "it is a light with a colour, so not said to have only brightness"
        )
        #expect(appearance.colourName == stored.string)
        #expect(appearance.brightness == 255 && appearance.isLight)
    }
}
