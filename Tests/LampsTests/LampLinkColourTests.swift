import Flare
import JSON
import Lamps
import Testing
import Things

/// Colours and white light between a thing and its lamp.
struct LampLinkColourTests {
    @Test func `white light passes in both directions and a colour replaces it`() {
        var world = LinkWorld.inAgreement(
            thing: ["on": true, "color": "red", "colorTemperature": 4000],
            lamp: ["state": "ON", "color": ["r": 255, "g": 0, "b": 0]]
        )
        world.setThing(["colorTemperature": 2700, "color": "#ffa657"])
        world.settle()
        #expect(world.lamp["color_temp"] == 370 && world.requests.isEmpty)
        world.pressLamp(["color_temp": 250, "color_mode": "color_temp"])
        world.settle()
        #expect(world.thing.data["colorTemperature"] == 4000)
        #expect(world.light.shownTemperature != nil)
        world.pressLamp(["color": ["hue": 240, "saturation": 100], "color_mode": "hs"])
        world.settle()
        #expect(world.thing.data["color"] == "blue")
        #expect(world.light.shownTemperature == nil && world.light.rgb != nil)
        #expect(world.sets.count == 1)
    }

    @Test(arguments: [[:], ["brightness": 1]] as [JSONObject])
    func `a lamp that supports only colours receives white light as a colour`(
        alsoChanged: JSONObject
    ) {
        var world = LinkWorld.inAgreement(
            thing: ["on": true, "brightness": 0.5, "color": "red", "colorTemperature": 4000],
            lamp: ["state": "ON", "brightness": 127, "color": ["r": 255, "g": 0, "b": 0]]
        ) { $0.hasOnlyColours = true }
        world.setThing(
            alsoChanged.merging(["colorTemperature": 2700, "color": "#ffa657"]) { $1 }
        )
        world.settle()
        #expect(world.sets.count == 2 && world.requests.isEmpty)
        #expect(world.isEqual && world.lamp["color"]?["x"] != nil && world.lamp["color_temp"] == nil)
        #expect(world.light.shownTemperature?.kelvin == 2700)
    }

    @Test func `a colour survives the xy model in both directions`() {
        var world = LinkWorld.inAgreement(
            thing: ["on": true, "color": "red"],
            lamp: ["state": "ON", "color": ["x": 0.7006, "y": 0.2993], "color_mode": "xy"]
        )
        world.setThing(["color": "orange"])
        world.settle()
        #expect(world.ends.lamp.colour == RGBColour(hex: 0xFFA500))
        #expect(world.thing.data["color"] == "orange")
        world.pressLamp(["color": ["x": 0.3, "y": 0.4]])
        world.settle()
        #expect(world.ends.thing.colour == world.ends.lamp.colour)
    }

    @Test func `a lamp's colour gets a name only if it matches exactly`() {
        var world = LinkWorld.inAgreement(thing: [
            "on": true, "color": "red", "options": ["red", "green", "blue"],
        ])
        world.pressLamp(["color": ["hue": 239, "saturation": 99]])
        world.settle()
        #expect(world.thing.data["color"] == "#0307ff")
        world.pressLamp(["color": ["hue": 0, "saturation": 100]])
        world.settle()
        #expect(world.thing.data["color"] == "red")
        world.pressLamp(["color": ["hue": 60, "saturation": 100]])
        world.settle()
        #expect(world.thing.data["color"] == "yellow", "CSS has a name for it")
    }
}
