import Controller
import Flare
import HomeAssistant
import Testing

struct DeviceTests {
    private func text(_ value: JSONValue?, _ keys: String...) -> [String?] {
        keys.map { value?[$0]?.string }
    }

    @Test func `a thing is a device of its own, by way of the daemon's, in the area of its zone`() {
        let desk = Desk.ofHouse()
        #expect(
            desk.held.keys.sorted() == [
                "homeassistant/device/trilateral_n1/config", "homeassistant/device/trilateral_n1_lamp/config",
                "homeassistant/device/trilateral_n1_plug/config",
                "homeassistant/device/trilateral_n1_strip/config",
                "homeassistant/device/trilateral_n1_tv-set/config",
            ]
        )
        let device = desk.device("lamp")?["device"]
        #expect(device?["identifiers"] == ["trilateral_0badcafe_lamp"])
        #expect(
            text(device, "name", "via_device", "suggested_area") == ["Lamp", "trilateral_0badcafe", "Hall"]
        )
        #expect(desk.device()?["device"]?["identifiers"] == ["trilateral_0badcafe"])
        #expect(
            text(desk.device()?["device"], "name", "sw_version", "via_device") == ["Panel", "1.2.3", nil]
        )
        #expect(text(desk.device("lamp")?["origin"], "name", "sw_version") == ["Trilateral", "1.2.3"])
        #expect(
            desk.device("lamp")?["availability"] == [
                ["topic": "trilateral/n1/status"], ["topic": "trilateral/n1/things/lamp/availability"],
            ]
        )
        #expect(desk.device("lamp")?["availability_mode"] == "all")
        #expect(desk.device()?["availability"] == [["topic": "trilateral/n1/status"]])
    }

    @Test func `a light with a colour temperature has it in kelvin, beside its colours`() {
        var state = House.state
        state.things[House.lamp]?.data["colorTemperature"] = 4000
        var desk = Desk()
        desk.announce(state)
        let light = desk.component("light", of: "lamp")
        #expect(light?["supported_color_modes"] == ["color_temp", "rgb"])
        #expect(light?["color_temp_kelvin"] == true)
        #expect(light?["min_kelvin"] == 1000 && light?["max_kelvin"] == 12_000)
    }

    @Test(
        arguments: [
            ("lamp", "rgb", true, true), ("strip", "brightness", true, true), ("plug", "onoff", false, false),
        ]
    )
    func `a light can what the thing has, and no more`(
        slug: String,
        mode: String,
        brightness: Bool,
        transition: Bool
    ) {
        let light = Desk.ofHouse().component("light", of: slug)
        #expect(light?["supported_color_modes"] == [.string(mode)])
        #expect(light?["brightness"] == .bool(brightness))
        #expect(light?["transition"] == .bool(transition))
        #expect(light?["flash"] == false)
        #expect(light?["effect"] == nil && light?["effect_list"] == nil)
        #expect(light?["name"] == .some(.null))
        #expect(
            text(
                light,
                "platform",
                "schema",
                "state_topic",
                "command_topic",
                "unique_id",
                "default_entity_id"
            )
                == [
                    "light", "json", "trilateral/n1/things/\(slug)", "trilateral/n1/things/\(slug)/set",
                    "0badcafe_\(slug)_light", "light.trilateral_n1_\(slug)",
                ]
        )
    }

    @Test func `what says that it is a switch is one, and its brightness a number`() {
        var state = House.state
        state.things[House.plug]?.data["kind"] = "switch"
        state.things[House.strip]?.data["kind"] = "switch"
        var desk = Desk()
        desk.announce(state)
        let plug = desk.component("switch", of: "plug")
        #expect(
            text(plug, "state_topic", "command_topic", "unique_id", "default_entity_id") == [
                "trilateral/n1/things/plug", "trilateral/n1/things/plug/set/state",
                "0badcafe_plug_switch", "switch.trilateral_n1_plug",
            ]
        )
        #expect(plug?["name"] == .some(.null))
        #expect(desk.component("light", of: "plug") == nil)
        #expect(desk.component("light_attic_lights") == nil)
        let brightness = desk.component("number_brightness", of: "strip")
        #expect(brightness?["max"] == 255)
        #expect(
            text(brightness, "state_topic", "command_topic") == [
                "trilateral/n1/things/strip", "trilateral/n1/things/strip/set/brightness",
            ]
        )
    }

    @Test func `the palette is a select, each action a button`() {
        let desk = Desk.ofHouse()
        let palette = desk.component("select_palette", of: "lamp")
        #expect(palette?["options"] == ["red", "Ocean"])
        #expect(palette?["default_entity_id"] == "select.trilateral_n1_lamp_palette")
        #expect(palette?["command_topic"] == "trilateral/n1/things/lamp/set/color")
        let button = desk.component("button_nextcolor", of: "lamp")
        #expect(
            text(button, "name", "command_topic", "payload_press", "default_entity_id") == [
                "Next color", "trilateral/n1/things/lamp/action", "nextColor",
                "button.trilateral_n1_lamp_nextcolor",
            ]
        )
        #expect(desk.component("button_off", of: "tv-set") != nil)
        #expect(desk.component("button_nextchannel", of: "tv-set")?["name"] == "Next channel")
    }

    @Test
    func `other values are a number, a text or a switch by their type; lists and beacon numbers nothing`() {
        let desk = Desk.ofHouse()
        let keys = desk.device("tv-set")?["components"]?.object?.keys.sorted()
        #expect(keys == ["button_nextchannel", "button_off", "number_volume", "switch_muted", "text_source"])
        let number = desk.component("number_volume", of: "tv-set")
        #expect(
            text(number, "state_topic", "command_topic", "default_entity_id", "name") == [
                "trilateral/n1/things/tv-set/data", "trilateral/n1/things/tv-set/set/volume",
                "number.trilateral_n1_tv_set_volume", "Volume",
            ]
        )
    }

    @Test func `keys that differ only in what an entity id cannot show stay apart`() {
        var state = House.state
        state.things[House.television]?.data = ["a b": 1, "a-b": 2, "a_b": 3, "温度": 4, "x/y": 5, "on#": 6]
        var desk = Desk()
        desk.announce(state)
        let numbers =
            desk.device("tv-set")?["components"]?.object?.filter { $0.key.hasPrefix("number_") } ?? [:]
        #expect(numbers.keys.sorted() == ["number_a_b", "number_a_b_2", "number_a_b_3", "number_value"])
        #expect(Set(numbers.values.compactMap { $0["command_topic"]?.string }).count == 4)
    }

    @Test func `the daemon's device has what the contract promises`() {
        var desk = Desk(
            House.configuration {
                $0.hasMap = true
                $0.hasLocation = true
            }
        )
        desk.announcer.note(links: ["flare", "bluetooth"])
        desk.announce(House.state)
        let keys = Set(desk.device()?["components"]?.object?.keys.map { $0 } ?? [])
        #expect(
            keys == [
                "select_environment", "sensor_zone", "event_zone", "device_tracker_location", "sensor_x",
                "sensor_y",
                "sensor_accuracy", "sensor_angle", "sensor_nearby", "light_nearby", "event_nearby",
                "event_bridge",
                "binary_sensor_problem", "binary_sensor_broker", "binary_sensor_flare",
                "binary_sensor_bluetooth", "switch_gps",
                "switch_beacons", "switch_cmx", "switch_compass", "button_next", "button_previous",
                "button_refresh",
                "button_reload", "image_map", "light_hall_lights", "light_attic_lights", "sensor_uptime",
                "sensor_sent", "sensor_received", "sensor_dropped",
            ]
        )
        #expect(desk.component("select_environment")?["options"] == ["home", "summer-hut"])
        #expect(desk.component("event_zone")?["event_types"] == ["enter", "exit"])
        #expect(desk.component("event_nearby")?["event_types"] == ["near", "far"])
        #expect(desk.component("device_tracker_location")?["state_topic"] == nil)
        for key in ["x", "y", "accuracy", "angle"] {
            let sensor = desk.component("sensor_\(key)")
            #expect(sensor?["expire_after"] == 60 && sensor?["enabled_by_default"] == false)
            #expect(sensor?["entity_category"] == "diagnostic")
        }
        #expect(desk.component("sensor_uptime")?["expire_after"] == 180)
        #expect(desk.component("binary_sensor_broker")?["availability"] == [])
        #expect(desk.component("image_map")?["image_topic"] == "trilateral/n1/map")
        #expect(Desk.ofHouse().component("image_map") == nil)
        #expect(Desk.ofHouse().component("device_tracker_location") == nil)
    }

    @Test func `the nearby light minds the nearby thing's availability as well, and can what that can`() {
        var desk = Desk.ofHouse()
        let light = desk.component("light_nearby")
        #expect(
            light?["availability"] == [
                ["topic": "trilateral/n1/status"], ["topic": "trilateral/n1/nearby/availability"],
                [
                    "topic": "trilateral/n1/nearby",
                    "value_template":
                        "{{ 'online' if value_json is defined and (value_json.color_mode is defined or value_json.palette is defined) else 'offline' }}",
                ],
            ]
        )
        #expect(light?["availability_mode"] == "all")
        #expect(light?["supported_color_modes"] == ["rgb"])
        var state = House.state
        for (thing, mode) in [(House.strip, "brightness"), (House.lamp, "rgb"), (House.plug, "onoff")] {
            state.nearbyID = thing
            #expect(desk.change(state, [.nearby]) == ["homeassistant/device/trilateral_n1/config"])
            #expect(desk.component("light_nearby")?["supported_color_modes"] == [.string(mode)])
        }
        // What is no light, or nothing, leaves it as it was.
        for thing in [House.television, nil] {
            state.nearbyID = thing
            #expect(desk.change(state, [.nearby]).isEmpty)
        }
    }

    @Test func `the lights of a zone are one light that names its members`() {
        let light = Desk.ofHouse().component("light_hall_lights")
        #expect(light?["group"] == ["0badcafe_lamp_light", "0badcafe_strip_light"])
        #expect(light?["supported_color_modes"] == ["rgb"])
        #expect(
            text(light, "name", "state_topic", "command_topic", "default_entity_id") == [
                "Hall lights", "trilateral/n1/zones/hall/lights", "trilateral/n1/zones/hall/set",
                "light.trilateral_n1_hall_lights",
            ]
        )
        #expect(Desk.ofHouse().component("light_attic_lights")?["supported_color_modes"] == ["onoff"])
        #expect(
            light?["availability"] == [
                ["topic": "trilateral/n1/status"],
                [
                    "topic": "trilateral/n1/zones/hall/lights",
                    "value_template":
                        "{{ 'online' if value_json is defined and value_json.available | default(1) > 0 else 'offline' }}",
                ],
            ]
        )
    }
}
