import Controller
import Flare
import HomeAssistant
import JSON
import Profiles
import SeededRandom
import Testing
import Things

/// What a thing with a profile is in Home Assistant.
struct ProfileEntityTests {
    private static let data = "trilateral/n1/things/it/data"

    private func components(
        _ profile: Profile,
        _ data: JSONObject = [:],
        strings: [(String, String, String)] = [],
        language: String = "en"
    ) -> JSONObject {
        var desk = Desk(House.configuration { $0.settings.language = language })
        desk.announce(SampleProfiles.house([profile], data, strings: strings))
        let payload = desk.device("it")
        #expect(payload.map { PayloadCheck($0).problems } == [])
        return payload?["components"]?.object ?? [:]
    }

    @Test func `a thermostat is a climate with its sensors, and a button for what Home Assistant has not`() {
        let all = components(
            SampleProfiles.thermostat,
            ["setpoint": 21, "temperature": 20.5, "mode": "heat", "activity": "idle"]
        )
        #expect(
            all.keys.sorted() == ["button_eco", "climate", "sensor_activity", "sensor_temperature"]
        )
        let climate = all["climate"]
        #expect(climate?["name"] == .null)
        #expect(climate?["icon"] == "mdi:thermostat")
        #expect(climate?["temperature_state_topic"] == .string(Self.data))
        #expect(climate?["temperature_command_topic"] == "trilateral/n1/things/it/set/setpoint")
        #expect(climate?["min_temp"] == 5 && climate?["max_temp"] == 35 && climate?["temp_step"] == 0.5)
        #expect(climate?["modes"] == ["off", "heat", "cool", "auto"])
        #expect(climate?["mode_command_topic"] == "trilateral/n1/things/it/set/mode")
        #expect(climate?["current_temperature_topic"] == .string(Self.data))
        #expect(climate?["action_topic"] == .string(Self.data))
        #expect(all["sensor_temperature"]?["device_class"] == "temperature")
    }

    @Test func `a thermostat without a mode always heats, and one with a switch is off or heats`() {
        #expect(components(SampleProfiles.thermostat, ["setpoint": 21])["climate"]?["modes"] == ["heat"])
        var profile = SampleProfiles.thermostat
        profile.properties[2] = SampleProfiles.property("on", .switch, roles: ["on_off"])
        let climate = components(profile, ["setpoint": 21])["climate"]
        #expect(climate?["modes"] == ["off", "heat"])
        #expect(climate?["mode_command_topic"] == "trilateral/n1/things/it/set/on")
    }

    @Test func `an air conditioner uses its power and its modes, and turning off never fails`() {
        var profile = SampleProfiles.thermostat
        profile.properties[2] = SampleProfiles.property(
            "mode",
            .select,
            roles: ["hvac_mode"],
            actions: [("heat", 1), ("cool", 2)]
        )
        profile.properties.append(SampleProfiles.property("on", .switch, roles: ["on_off"]))
        let climate = components(profile, ["setpoint": 21, "mode": 1, "on": true])["climate"]
        #expect(climate?["modes"] == ["off", "heat", "cool"])
        #expect(climate?["mode_command_topic"] == "trilateral/n1/things/it/set")
        #expect(climate?["power_command_topic"] == "trilateral/n1/things/it/set/on")
        let template = climate?["mode_command_template"]?.string ?? ""
        #expect(template.contains("{'on': 'OFF'} if value == 'off' else {'on': 'ON', 'mode': "))
        // What has nothing to turn off refuses it, instead of an error in Home Assistant.
        let plain = components(SampleProfiles.thermostat, ["setpoint": 21])["climate"]
        #expect(plain?["power_command_topic"] == "trilateral/n1/things/it/set/hvac_power")
        let full = components(SampleProfiles.thermostat, ["setpoint": 21, "mode": "heat"])["climate"]
        #expect(full?["payload_off"] == "\"off\"" && full?["payload_on"] == "\"heat\"")
    }

    @Test func `a fan at no speed is off, and is switched by its speed`() {
        let fan = components(SampleProfiles.fan, ["on": true, "speed": 33, "mode": 1])["fan"]
        #expect(fan?["percentage_command_topic"] == "trilateral/n1/things/it/set")
        #expect(
            fan?["percentage_command_template"]
                == "{{ ({'on': 'OFF'} if value <= 0 else {'on': 'ON', 'speed': value}) | to_json }}"
        )
        #expect(fan?["state_value_template"]?.string?.contains("value_json['speed'] == 0") == true)
    }

    @Test func `an option called none is put in brackets, and a bare C is a degree`() {
        let select = SampleProfiles.property(
            "effect",
            .select,
            actions: [("None", 0), ("(None)", 1), ("rain", 2)]
        )
        let warmth = SampleProfiles.property("warmth", .readonlyText, roles: ["temperature"]) {
            $0.unit = "C"
        }
        let all = components(SampleProfiles.profile("p", [select, warmth]), ["effect": 0, "warmth": 1])
        #expect(all["select_effect"]?["options"] == ["(None)", "(None) 2", "rain"])
        #expect(all["sensor_warmth"]?["unit_of_measurement"] == "°C")
    }

    @Test func `a blind is a cover, with its tilt and movement if it has them`() {
        let plain = components(SampleProfiles.blind, ["position": 40])
        #expect(plain.keys.sorted() == ["cover"])
        #expect(plain["cover"]?["device_class"] == "blind")
        #expect(plain["cover"]?["position_open"] == 100 && plain["cover"]?["position_closed"] == 0)
        #expect(plain["cover"]?["set_position_topic"] == "trilateral/n1/things/it/set/position")
        #expect(plain["cover"]?["payload_open"] == "100" && plain["cover"]?["payload_close"] == "0")
        #expect(plain["cover"]?["payload_stop"] == .null && plain["cover"]?["state_topic"] == nil)
        let full = components(SampleProfiles.blind, ["position": 40, "tilt": 1, "movement": "opening"])
        #expect(full.keys.sorted() == ["cover", "sensor_movement"])
        #expect(full["cover"]?["tilt_command_topic"] == "trilateral/n1/things/it/set/tilt")
        #expect(full["cover"]?["state_topic"] == .string(Self.data))
    }

    @Test(arguments: [[], [("up", -1), ("opening", 1), ("stopped", 0)]] as [[(String, JSONValue)]])
    func `a cover that does not move is open or closed by the position of the same message`(
        names: [(String, JSONValue)]
    ) {
        var profile = SampleProfiles.blind
        profile.properties[2].actions = names.map { ProfileAction(name: $0.0, value: $0.1) }
        let cover = components(profile, ["position": 40, "movement": "stopped"])["cover"]
        let template = cover?["value_template"]?.string ?? ""
        // Home Assistant's own word takes the position that it had before.
        #expect(!template.contains("stopped"))
        let percent = "((value_json['position'] - 0) * 100 / (100 - 0)) | round"
        #expect(template.contains("'closed' if \(percent) <= 0 else 'open'"))
    }

    @Test func `a cover that something can stop is driven by actions`() {
        var profile = SampleProfiles.blind
        profile.properties.append(
            SampleProfiles.property("motor", .button, actions: [("stop", 0), ("calibrate", 1)])
        )
        let all = components(profile, ["position": 40])
        #expect(all["cover"]?["command_topic"] == "trilateral/n1/things/it/action")
        #expect(all["cover"]?["payload_stop"] == "stop" && all["cover"]?["payload_open"] == "open")
        #expect(all.keys.sorted() == ["button_calibrate", "cover"], "what the cover offers is no button")
    }

    @Test func `what accepts whole numbers only is sent whole numbers only`() {
        let level = SampleProfiles.property("level", .slider, actions: [("low", 0), ("high", 5)]) {
            $0.maximum = 5
        }
        #expect(components(SampleProfiles.profile("lift", [level]))["number_level"]?["step"] == 1)
        var thermostat = SampleProfiles.thermostat
        thermostat.properties[0].control = .slider
        thermostat.properties[0].step = nil
        thermostat.properties[0].actions = [ProfileAction(name: "comfort", value: 21)]
        let climate = components(thermostat, ["setpoint": 21])["climate"]
        #expect(climate?["temp_step"] == 1)
        #expect(climate?["temperature_command_template"] == "{{ value | round | int }}")
        var blind = SampleProfiles.blind
        blind.properties[0].maximum = 1
        let cover = components(blind, ["position": 1])["cover"]
        #expect(cover?["set_position_template"]?.string?.hasSuffix(" | round | int }}") == true)
    }

    @Test func `two named values are modes where a role says so, and nothing is switch and mode in one`() {
        let mode = SampleProfiles.property("mode", roles: ["fan_mode"], actions: [("auto", 0), ("night", 1)])
        var fan = SampleProfiles.fan
        fan.properties[2] = mode
        let all = components(fan, ["on": true, "speed": 33, "mode": 1])
        #expect(all.keys.sorted() == ["fan"])
        #expect(all["fan"]?["preset_modes"] == ["auto", "night"])
        var thermostat = SampleProfiles.thermostat
        thermostat.properties[2] = SampleProfiles.property(
            "mode",
            roles: ["hvac_mode"],
            actions: [("off", 0), ("cool", 1)]
        )
        #expect(components(thermostat, ["setpoint": 21])["climate"]?["modes"] == ["off", "cool"])
        var both = mode
        both.roles = ["on_off", "fan_mode"]
        #expect(components(SampleProfiles.profile("relay", [both])).keys.sorted() == ["switch"])
    }

    @Test func `a share as a position is told in percent`() {
        var profile = SampleProfiles.blind
        profile.properties[0].maximum = 1
        profile.properties[0].actions = []
        let cover = components(profile, ["position": 0.4])["cover"]
        #expect(cover?["position_open"] == nil && cover?["set_position_template"] != nil)
        #expect(cover?["payload_open"] == "1")
    }

    @Test func `a socket is a switch with power and energy in their usual units`() {
        let all = components(SampleProfiles.socket, ["on": true, "power": 3.5, "energy": 1])
        #expect(all.keys.sorted() == ["sensor_energy", "sensor_power", "switch"])
        #expect(all["switch"]?["name"] == .null && all["switch"]?["device_class"] == "outlet")
        #expect(all["switch"]?["command_topic"] == "trilateral/n1/things/it/set/on")
        #expect(all["sensor_power"]?["unit_of_measurement"] == "W")
        #expect(all["sensor_power"]?["state_class"] == "measurement")
        #expect(all["sensor_energy"]?["state_class"] == "total_increasing")
    }

    @Test func `a fan has its speed in steps and its modes as presets`() {
        let all = components(
            SampleProfiles.fan,
            ["on": true, "speed": 33, "mode": 1],
            strings: [("de", "fan_auto", "Automatik"), ("de", "fan_low", "Automatik")],
            language: "de-AT"
        )
        #expect(all.keys.sorted() == ["fan"])
        #expect(all["fan"]?["speed_range_min"] == 1 && all["fan"]?["speed_range_max"] == 100)
        #expect(all["fan"]?["preset_modes"] == ["Automatik", "Automatik 2", "fan_high"])
    }

    @Test func `a coffee machine is a switch, a select, two buttons and a sensor`() {
        let all = components(
            SampleProfiles.coffee,
            ["on": true, "strength": 1, "water": 60],
            strings: [("de", "strong", "kräftig"), ("de", "strength", "Stärke")],
            language: "de"
        )
        #expect(
            all.keys.sorted() == [
                "button_espresso", "button_lungo", "select_strength", "sensor_water", "switch",
            ]
        )
        #expect(all["select_strength"]?["options"] == ["mild", "kräftig"])
        #expect(all["select_strength"]?["name"] == "Stärke")
        #expect(all["button_espresso"]?["payload_press"] == "espresso")
        #expect(all["sensor_water"]?["unit_of_measurement"] == "%")
    }

    @Test func `a device type of an AMAP file is a number, a sensor and a switch`() {
        let all = components(SampleProfiles.valve, ["target_temp": 21, "room_temp": 20.5, "heating": 0])
        #expect(all.keys.sorted() == ["number_target_temp", "sensor_room_temp", "switch_heating"])
        let catalog = SampleProfiles.catalog([SampleProfiles.valve])
        let kind = catalog.kinds.first { $0.name == "valve-1" }
        #expect(
            kind.map { ThingEntities.platforms(of: $0) }
                == ["target_temp": "number", "room_temp": "sensor", "heating": "switch"]
        )
    }

    @Test func `a role that its unit does not go with is no device class`() {
        var profile = SampleProfiles.socket
        profile.properties[1].unit = "hp"
        let sensor = components(profile, ["on": true, "power": 3.5])["sensor_power"]
        #expect(sensor?["device_class"] == nil && sensor?["unit_of_measurement"] == "hp")
        profile.properties[1].unit = " \u{B5}g/m³"
        profile.properties[1].roles = ["pm25"]
        let dust = components(profile, ["on": true, "power": 3.5])["sensor_power"]
        #expect(dust?["device_class"] == "pm25" && dust?["unit_of_measurement"] == "\u{3BC}g/m³")
    }

    @Test func `a text in place of a measured number leaves its sensor as it is`() {
        let number = components(SampleProfiles.socket, ["on": true, "power": 3.5])
        #expect(components(SampleProfiles.socket, ["on": true, "power": "n/a"]) == number)
        let warm: JSONObject = ["setpoint": 21, "temperature": 20.5]
        let broken: JSONObject = ["setpoint": 21, "temperature": "broken"]
        #expect(
            components(SampleProfiles.thermostat, warm) == components(SampleProfiles.thermostat, broken)
        )
    }

    @Test func `a reported boolean is a binary sensor, even before its first value if its role says so`() {
        let contact = SampleProfiles.profile(
            "contact",
            [
                SampleProfiles.property("open", .readonlyText, roles: ["door"]),
                SampleProfiles.property("battery", .readonlyText, roles: ["battery"]),
                SampleProfiles.property("locked", .readonlyText, roles: ["lock"]),
            ]
        )
        for data in [[:], ["open": true, "battery": 80, "locked": false]] as [JSONObject] {
            let all = components(contact, data)
            #expect(all.keys.sorted() == ["binary_sensor_locked", "binary_sensor_open", "sensor_battery"])
            #expect(all["binary_sensor_open"]?["device_class"] == "door")
            #expect(all["binary_sensor_locked"]?["payload_on"] == "OFF", "on is unlocked")
            #expect(all["sensor_battery"]?["entity_category"] == "diagnostic")
        }
    }

    @Test func `the device tells the type, its name in the language and the name by which things choose it`()
    {
        var desk = Desk(House.configuration { $0.settings.language = "de" })
        desk.announce(
            SampleProfiles.house(
                [SampleProfiles.thermostat],
                ["setpoint": 1],
                strings: [("de", "Thermostat", "Heizung {{ 1 }}")]
            )
        )
        #expect(desk.device("it")?["device"]?["model"] == "Heizung {{ 1 }}")
        #expect(desk.device("it")?["device"]?["model_id"] == "thermostat")
    }

    @Test func `a language renames and nothing more`() {
        let state = SampleProfiles.house(
            [SampleProfiles.coffee],
            ["on": true, "strength": 1],
            strings: [("de", "strong", "kräftig"), ("de", "water", "Wasser")]
        )
        func ids(_ language: String) -> Set<String> {
            var desk = Desk(House.configuration { $0.settings.language = language })
            desk.announce(state)
            let components = desk.device("it")?["components"]?.object ?? [:]
            return Set(
                components.map {
                    "\($0) \($1["unique_id"]?.text ?? "") \($1["default_entity_id"]?.text ?? "")"
                }
            )
        }
        #expect(ids("de") == ids("en") && ids("de").count == 5)
    }

    @Test(arguments: 0..<40)
    func `Home Assistant accepts the payloads of any profile and any data`(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        let profiles = (0..<12).map { RandomProfile.profile(&random, named: "p\($0)") }
        var state = House.state(SampleProfiles.catalog(profiles))
        for (index, profile) in profiles.enumerated() {
            var thing = FlareThing(id: FlareID(high: 9, low: UInt32(index)))
            thing.name = "Thing \(index)"
            thing.zone = House.hall
            thing.data = RandomProfile.data(&random, for: profile)
            thing.actions = Bool.random(using: &random) ? ["off", RandomProfile.text(&random), "stop"] : []
            state.things[thing.id] = thing
            _ = state.slugs.assign(to: ObjectReference(.thing, thing.id), name: thing.name)
        }
        var desk = Desk()
        desk.announce(state)
        for (topic, payload) in desk.held {
            #expect(PayloadCheck(payload).problems == [], "\(topic)")
        }
        // A platform is promised for each property before a thing has a value.
        for kind in state.catalog.kinds {
            for (_, platform) in ThingEntities.platforms(of: kind) {
                #expect(KnownKeys.platforms[platform] != nil)
            }
        }
    }
}
