import Controller
import Flare
import HomeAssistant
import JSON
import Testing

struct DeviceTests {
    private func text(_ value: JSONValue?, _ keys: String...) -> [String?] {
        keys.map { value?[$0]?.string }
    }

    @Test func `a thing is a device via the daemon's in the area of its zone`() {
        let desk = Desk.ofHouse()
        #expect(
            desk.held.keys.sorted() == [
                "homeassistant/device/trilateral_n1/config",
                "homeassistant/device/trilateral_n1__diagnostics/config",
                "homeassistant/device/trilateral_n1__zone_attic/config",
                "homeassistant/device/trilateral_n1__zone_hall/config",
                "homeassistant/device/trilateral_n1_lamp/config",
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

    @Test func `a light announces its colour temperature in kelvin`() {
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
    func `a light announces exactly the thing's capabilities`(
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

    @Test func `a thing of kind switch is a switch with its brightness as a number`() {
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

    @Test func `the palette is a select and each action a button`() {
        let desk = Desk.ofHouse()
        let palette = desk.component("select_palette", of: "lamp")
        #expect(palette?["options"] == ["red", "Ocean"])
        #expect(palette?["command_template"] == "{{ value | string | to_json }}")
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
    func `other values are numbers, texts or switches and lists and beacon numbers are not announced`() {
        let desk = Desk.ofHouse()
        let keys = desk.device("tv-set")?["components"]?.object?.keys.sorted()
        #expect(
            keys == [
                "button_nextchannel", "button_off", "number_volume", "sensor_beacon_battery",
                "sensor_beacon_seen", "sensor_beacon_signal", "switch_muted", "text_source",
            ]
        )
        let number = desk.component("number_volume", of: "tv-set")
        #expect(
            text(number, "state_topic", "command_topic", "default_entity_id", "name") == [
                "trilateral/n1/things/tv-set/data", "trilateral/n1/things/tv-set/set/volume",
                "number.trilateral_n1_tv_set_volume", "Volume",
            ]
        )
    }

    @Test func `keys that give the same entity id stay distinct`() {
        var state = House.state
        state.things[House.television]?.data = ["a b": 1, "a-b": 2, "a_b": 3, "温度": 4, "x/y": 5, "on#": 6]
        var desk = Desk()
        desk.announce(state)
        let numbers =
            desk.device("tv-set")?["components"]?.object?.filter { $0.key.hasPrefix("number_") } ?? [:]
        #expect(numbers.keys.sorted() == ["number_a_b", "number_a_b_2", "number_a_b_3", "number_value"])
        #expect(Set(numbers.values.compactMap { $0["command_topic"]?.string }).count == 4)
    }

    @Test func `the daemon's device has all its entities`() {
        var desk = Desk(
            House.configuration {
                $0.hasMap = true
                $0.hasLocation = true
            }
        )
        desk.announcer.setLinks(["flare", "bluetooth"])
        desk.announce(House.state)
        #expect(
            desk.ownComponents == [
                "sensor_distance", "binary_sensor_hall_occupancy", "binary_sensor_attic_occupancy",
                "select_environment", "sensor_zone", "event_zone", "device_tracker_location", "sensor_x",
                "sensor_y",
                "sensor_accuracy", "sensor_angle", "sensor_nearby", "light_nearby", "event_nearby",
                "event_bridge", "sensor_lifecycle", "event_lifecycle",
                "binary_sensor_problem", "binary_sensor_broker", "binary_sensor_flare",
                "binary_sensor_bluetooth", "switch_beacons", "event_refused", "sensor_displays_count",
                "sensor_visible_count", "button_next", "button_previous",
                "button_refresh",
                "button_reload", "button_restart", "image_map", "light_hall_lights", "light_attic_lights",
                "sensor_uptime",
                "sensor_sent", "sensor_received", "sensor_dropped",
            ]
        )
        #expect(desk.component("select_environment")?["options"] == ["Home", "Summer hut"])
        desk.announcer.setLinks(["flare", "station"])
        desk.announce(House.state)
        #expect(desk.component("binary_sensor_station")?["enabled_by_default"] == false)
        #expect(desk.component("binary_sensor_flare")?["enabled_by_default"] == nil)
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

    @Test func `a read-only value is a sensor with the unit of its key`() {
        var state = House.state
        state.things[House.television]?.data = [
            "temperature": 21.5, "energy": 3, "gain": 2, "motion": true, "title": "News", "inputs": ["a"],
            "volume": 5, "beacon signal": 4, "minor": 4,
            "readonly": [
                "temperature", "energy", "gain", "motion", "title", "inputs", "gone", "beacon signal",
            ],
        ]
        var desk = Desk()
        desk.announce(state)
        #expect(
            desk.device("tv-set")?["components"]?.object?.keys.sorted() == [
                "binary_sensor_motion", "button_nextchannel", "button_off", "number_volume",
                "sensor_beacon_battery", "sensor_beacon_seen", "sensor_beacon_signal",
                "sensor_beacon_signal_2", "sensor_energy", "sensor_gain", "sensor_temperature",
                "sensor_title",
            ]
        )
        func sensor(_ key: String) -> [String?] {
            text(
                desk.component(key, of: "tv-set"),
                "name",
                "device_class",
                "unit_of_measurement",
                "state_class",
                "state_topic",
                "command_topic"
            )
        }
        let data = "trilateral/n1/things/tv-set/data"
        #expect(
            sensor("sensor_temperature") == [nil, "temperature", "°C", "measurement", data, nil]
        )
        #expect(sensor("sensor_energy") == [nil, "energy", "kWh", "total_increasing", data, nil])
        #expect(sensor("sensor_gain") == ["Gain", nil, nil, "measurement", data, nil])
        #expect(sensor("sensor_title") == ["Title", nil, nil, nil, data, nil])
        #expect(sensor("binary_sensor_motion") == [nil, "motion", nil, nil, data, nil])
        #expect(desk.device("tv-set").map { PayloadCheck($0).problems } == [])
    }

    @Test func `a read-only on is no light`() {
        var state = House.state
        state.things[House.plug]?.data = ["on": true, "readonly": ["on"]]
        var desk = Desk()
        desk.announce(state)
        #expect(desk.component("light", of: "plug") == nil)
        #expect(desk.component("binary_sensor_on", of: "plug")?["name"] == "On")
        #expect(desk.component("light_attic_lights") == nil)
        // Without readonly it is one.
        state.things[House.plug]?.data["readonly"] = []
        desk.change(state, [.object(ObjectReference(.thing, House.plug))])
        #expect(desk.component("light", of: "plug")?["state_topic"] != nil)
        #expect(desk.component("binary_sensor_on", of: "plug") == ["platform": "binary_sensor"])
    }

    @Test(arguments: [["temperature": "x"], 5, "temperature", [1, .null, ["a"]]] as [JSONValue])
    func `a malformed readonly is ignored`(readonly: JSONValue) {
        var state = House.state
        state.things[House.television]?.data = ["temperature": 20, "readonly": readonly]
        var desk = Desk()
        desk.announce(state)
        #expect(desk.component("number_temperature", of: "tv-set")?["command_topic"] != nil)
    }

    @Test func `actions that a light or switch already has are no buttons`() {
        var state = House.state
        state.things[House.plug]?.actions = ["on", "off", "blink"]
        state.things[House.television]?.actions = ["on", "off"]
        var desk = Desk()
        desk.announce(state)
        func buttons(_ slug: String) -> [String]? {
            desk.device(slug)?["components"]?.object?.keys.filter { $0.hasPrefix("button_") }.sorted()
        }
        #expect(buttons("plug") == ["button_blink"])
        #expect(buttons("tv-set") == ["button_off", "button_on"])
    }

    @Test func `the beacon entities are diagnostic and disabled by default`() {
        let desk = Desk.ofHouse()
        for (key, kind) in [("battery", "voltage"), ("signal", "signal_strength"), ("seen", "timestamp")] {
            let sensor = desk.component("sensor_beacon_\(key)", of: "tv-set")
            #expect(sensor?["device_class"] == .string(kind))
            #expect(sensor?["enabled_by_default"] == false && sensor?["entity_category"] == "diagnostic")
            #expect(sensor?["state_topic"] == "trilateral/n1/things/tv-set/beacon")
        }
        #expect(desk.component("sensor_beacon_signal", of: "lamp") == nil)
    }

    @Test func `environments are selected by name or by slug when names are ambiguous or too long`() {
        let select = Desk.ofHouse().component("select_environment")
        #expect(
            text(select, "value_template", "command_template") == [
                "{{ {'home': 'Home', 'summer-hut': 'Summer hut'}.get((value_json.slug | default('None')), (value_json.slug | default('None'))) if value_json is defined else 'None' }}",
                "{{ {'Home': 'home', 'Summer hut': 'summer-hut'}.get(value, value) }}",
            ]
        )
        for (name, options) in [
            ("Home", ["home", "summer-hut"]), (String(repeating: "x", count: 300), ["Home", "summer-hut"]),
            ("", ["Home", "summer-hut"]), (" Hut", ["Home", "summer-hut"]), ("home", ["Home", "summer-hut"]),
            ("Hut }} '", ["Home", "Hut }} '"]), ("summer-hut", ["Home", "summer-hut"]),
        ] {
            var state = House.state
            state.environments[House.hut]?.name = name
            var desk = Desk()
            desk.announce(state)
            let told = desk.component("select_environment")?["options"]?.array?.compactMap(\.string)
            #expect(told == options, "\(name)")
            #expect(desk.device().map { PayloadCheck($0).problems } == [], "\(name)")
        }
    }

    @Test func `the distance of the nearby thing is a sensor`() {
        #expect(
            text(
                Desk.ofHouse().component("sensor_distance"),
                "device_class",
                "unit_of_measurement",
                "state_topic",
                "default_entity_id"
            ) == ["distance", "m", "trilateral/n1/nearby/distance", "sensor.trilateral_n1_distance"]
        )
    }

    @Test func `the lights of a zone are one light with a list of members`() {
        let light = Desk.ofHouse().component("light_hall_lights")
        #expect(light?["group"] == ["0badcafe_lamp_light", "0badcafe_strip_light"])
        #expect(light?["supported_color_modes"] == ["rgb"])
        #expect(
            text(light, "name", "state_topic", "command_topic", "default_entity_id") == [
                "Lights", "trilateral/n1/zones/hall/lights", "trilateral/n1/zones/hall/set",
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
