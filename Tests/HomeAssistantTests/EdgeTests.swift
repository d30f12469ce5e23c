import Controller
import Flare
import HomeAssistant
import JSON
import Testing

/// What Home Assistant shows of the nearby light, of makers, and of what is there only at times.
struct EdgeTests {
    private func text(_ value: JSONValue?, _ keys: String...) -> [String?] {
        keys.map { value?[$0]?.string }
    }

    @Test func `the nearby light can do what any light can, whatever is near`() {
        var desk = Desk.ofHouse()
        let light = desk.component("light_nearby")
        #expect(
            light?["availability"] == [
                ["topic": "trilateral/n1/status"], ["topic": "trilateral/n1/nearby/availability"],
                [
                    "topic": "trilateral/n1/nearby/light",
                    "value_template":
                        "{{ 'online' if value_json is defined and value_json.state is not none else 'offline' }}",
                ],
            ]
        )
        #expect(light?["availability_mode"] == "all")
        #expect(light?["supported_color_modes"] == ["rgb"] && light?["brightness"] == true)
        var state = House.state
        for thing in [House.strip, House.lamp, House.plug, House.television, nil] {
            state.nearbyID = thing
            #expect(desk.change(state, [.nearby]).isEmpty)
        }
        state.things[House.plug]?.data["colorTemperature"] = 4000
        desk.change(state, [.object(ObjectReference(.thing, House.plug))])
        #expect(desk.component("light_nearby")?["supported_color_modes"] == ["color_temp", "rgb"])
    }

    @Test func `the nearby light has no colour mode that was not announced`() {
        let desk = Desk.ofHouse()
        var state = House.state
        func light(_ thing: FlareID?) -> JSONValue? {
            state.nearbyID = thing
            return desk.announcer.nearby(state)?.light
        }
        let white: JSONValue = ["r": 255, "g": 255, "b": 255]
        #expect(
            light(House.plug) == ["state": "OFF", "brightness": 255, "color_mode": "rgb", "color": white]
        )
        #expect(
            light(House.strip) == ["state": "ON", "brightness": 128, "color_mode": "rgb", "color": white]
        )
        #expect(light(House.lamp)?["color"] == ["r": 255, "g": 0, "b": 0])
        #expect(light(House.television) == ["state": .null] && light(nil) == ["state": .null])
    }

    @Test func `a thing tells its own maker instead of ours`() {
        var state = House.state
        state.things[House.lamp]?.data["manufacturer"] = "Signify"
        state.things[House.lamp]?.data["serial"] = "0017"
        state.things[House.lamp]?.data["version"] = "1.9"
        var desk = Desk()
        desk.announce(state)
        #expect(
            text(desk.device("lamp")?["device"], "manufacturer", "serial_number", "sw_version")
                == ["Signify", "0017", "1.9"]
        )
        #expect(desk.component("text_serial", of: "lamp") == nil)
        #expect(
            text(desk.device("plug")?["device"], "manufacturer", "sw_version") == ["Trilateral", "1.2.3"]
        )
        #expect(desk.device("lamp").map { PayloadCheck($0).problems } == [])
    }

    @Test func `what a light steps through is off at first, and a single environment is not chosen`() {
        var state = House.state
        state.environments[House.hut] = nil
        var desk = Desk()
        desk.announce(state)
        #expect(desk.component("button_nextcolor", of: "lamp")?["enabled_by_default"] == false)
        #expect(desk.component("button_nextchannel", of: "tv-set")?["enabled_by_default"] == nil)
        var other = state
        other.things[House.television]?.actions = ["lighter", "darker", "nextColor", "previousColor", "wave"]
        desk.change(other, [.object(ObjectReference(.thing, House.television))])
        for key in ["lighter", "darker", "nextcolor", "previouscolor"] {
            #expect(desk.component("button_\(key)", of: "tv-set")?["enabled_by_default"] == false)
        }
        #expect(desk.component("button_wave", of: "tv-set")?["enabled_by_default"] == nil)
        for key in ["select_environment", "button_next", "button_previous"] {
            #expect(desk.component(key) == nil, "\(key)")
        }
        #expect(text(desk.component("button_restart"), "device_class", "name") == ["restart", nil])
    }

    @Test func `a colour called none is not Home Assistant's word for unknown`() {
        var state = House.state
        state.things[House.lamp]?.data["options"] = ["red", "None"]
        var desk = Desk()
        desk.announce(state)
        let palette = desk.component("select_palette", of: "lamp")
        #expect(palette?["options"] == ["red", "(None)"])
        #expect(
            palette?["value_template"]?.string?.contains("{'None': '\\U00000028None\\U00000029'}.get(")
                == true
        )
        #expect(
            palette?["command_template"]
                == "{{ {'\\U00000028None\\U00000029': 'None'}.get(value, value) | string | to_json }}"
        )
    }

    @Test func `a sensor that was switched off keeps its switch, and one that is not there has none`() {
        var desk = Desk()
        desk.announcer.setLinks(["gps"])
        desk.announce(House.state)
        var remembered = desk.announcer.drainAnnounced()
        #expect(desk.component("switch_gps") != nil && desk.component("switch_compass") == nil)
        var state = House.state
        for isOn in [false, true] {
            state.sensors[.gps] = isOn
            var later = Desk(House.configuration(), remembered: remembered)
            later.announce(state)
            later.tell(at: 9000)
            #expect((later.component("switch_gps")?["command_topic"] != nil) == !isOn)
            remembered.merge(later.announcer.drainAnnounced()) { $1 }
        }
    }

    @Test func `the switch of a sensor without a link is there from the start, under its usual id`() {
        var state = House.state
        let now = Instant(wallMilliseconds: 0, steadyMilliseconds: 0)
        state.fix = PositionFix(accuracyMetres: 1, quality: .good, source: "cmx", at: now)
        var desk = Desk()
        desk.announce(state)
        #expect(desk.component("switch_cmx") != nil)
        var later = Desk(House.configuration(), remembered: desk.announcer.drainAnnounced())
        // After a restart nobody has told a position yet.
        state.fix = nil
        later.announce(state)
        later.tell(at: 9000)
        #expect(later.component("switch_cmx")?["command_topic"] != nil)
        #expect(later.component("switch_cmx")?["default_entity_id"] == "switch.trilateral_n1_cmx")
        #expect(later.component("switch_beacons") == nil, "It was never there.")
    }
}
