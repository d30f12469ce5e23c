import HomeAssistant
import JSON
import Messages
import Profiles
import Testing
import Things

/// Lights whose profile has a colour temperature and effects.
struct LightRoleTests {
    private static let lamp = SampleProfiles.profile(
        "lamp",
        [
            SampleProfiles.property("on", .switch, roles: ["on_off"]),
            SampleProfiles.property("brightness", .dimmer) { $0.maximum = 1 },
            SampleProfiles.property("white", .slider, roles: ["color_temperature"], actions: [("warm", 2700)])
            {
                ($0.minimum, $0.maximum, $0.unit) = (2200, 6500, "K")
            },
            SampleProfiles.property(
                "program",
                roles: ["effect"],
                actions: [("rainbow", 1), ("fire", 2), ("none", 0)]
            ),
        ]
    )

    private static let data: JSONObject = [
        "on": true, "brightness": 0.5, "white": 3000, "program": 1,
    ]

    @Test func `it is one light with all of them, and a button for what the light has not`() {
        var desk = Desk()
        desk.announce(SampleProfiles.house([Self.lamp], Self.data))
        let components = desk.device("it")?["components"]?.object ?? [:]
        #expect(components.keys.sorted() == ["button_warm", "light"])
        let light = components["light"]
        #expect(light?["supported_color_modes"] == ["color_temp"] && light?["brightness"] == true)
        #expect(light?["color_temp_kelvin"] == true)
        #expect(light?["min_kelvin"] == 2200 && light?["max_kelvin"] == 6500)
        #expect(light?["effect"] == true && light?["effect_list"] == ["rainbow", "fire", "none"])
        #expect(desk.device("it").map { PayloadCheck($0).problems } == [])
    }

    @Test func `its values are those of the light's topic, which has its effect`() {
        let state = SampleProfiles.house([Self.lamp], Self.data)
        let shape = state.thingJSON(SampleProfiles.id)
        #expect(shape?["color_mode"] == "color_temp" && shape?["color_temp"] == 3000)
        #expect(shape?["brightness"] == 128 && shape?["effect"] == "rainbow")
        let other = SampleProfiles.house([Self.lamp], ["on": true])
        #expect(other.thingJSON(SampleProfiles.id)?["color_mode"] == nil)
        #expect(other.thingJSON(SampleProfiles.id)?["effect"] == .null)
    }

    @Test func `groups have the widest range of whites and no effects`() {
        var desk = Desk()
        desk.announce(SampleProfiles.house([Self.lamp], Self.data))
        let nearby = desk.component("light_nearby")
        #expect(nearby?["supported_color_modes"] == ["color_temp", "rgb"])
        #expect(nearby?["min_kelvin"] == 2200 && nearby?["effect_list"] == nil)
    }

    @Test func `an effect that is only reported is not offered`() {
        var desk = Desk()
        desk.announce(
            SampleProfiles.house([Self.lamp], Self.data.merging(["readonly": ["program"]]) { $1 })
        )
        #expect(desk.component("light", of: "it")?["effect_list"] == nil)
        #expect(desk.component("sensor_program", of: "it")?["options"] == ["rainbow", "fire", "(none)"])
    }
}
