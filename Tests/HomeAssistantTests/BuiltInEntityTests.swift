import HomeAssistant
import JSON
import Profiles
import Testing
import Things

/// The entities of the profiles that everybody has.
struct BuiltInEntityTests {
    private static let expected: [(profile: String, data: JSONObject, entities: String)] = [
        ("light", ["on": false], "light"),
        ("dimmer", ["on": true, "brightness": 0.4], "light"),
        ("color-light", ["on": true, "brightness": 0.4, "color": "red"], "light select_palette"),
        ("switch", ["on": false], "switch"),
        (
            "socket", ["on": true, "power": 3.5, "energy": 12, "voltage": 230, "current": 0.02],
            "sensor_current sensor_energy sensor_power sensor_voltage switch"
        ),
        ("cover", ["position": 40, "movement": "stopped"], "cover sensor_movement"),
        ("blind", ["position": 40, "tilt": 50], "cover"),
        ("curtain", ["position": 100], "cover"),
        (
            "thermostat",
            ["setpoint": 21, "temperature": 20.5, "humidity": 44, "mode": "heat", "activity": "idle"],
            "climate sensor_activity sensor_humidity sensor_temperature"
        ),
        ("fan", ["on": true, "speed": 33], "fan"),
        ("lock", ["locked": true], "lock"),
        ("valve", ["position": 0], "valve"),
        ("humidifier", ["on": true, "target": 50, "humidity": 41], "humidifier sensor_humidity"),
        (
            "sensor-station",
            [
                "temperature": 20.5, "humidity": 44, "co2": 612, "pressure": 1013, "illuminance": 230,
                "pm25": 4, "battery": 87,
            ],
            "sensor_battery sensor_co2 sensor_humidity sensor_illuminance sensor_pm25 sensor_pressure "
                + "sensor_temperature"
        ),
        ("contact", ["open": false, "battery": 90], "binary_sensor_open sensor_battery"),
        ("motion", ["occupied": true], "binary_sensor_occupied"),
        (
            "display", ["on": true, "brightness": 0.5, "source": "hdmi1", "volume": 20],
            "number_brightness number_volume switch text_source"
        ),
        (
            "exhibit", ["on": true, "scene": 3, "caption": "x", "volume": 10, "visitors": 12],
            "number_scene number_volume sensor_visitors switch text_caption"
        ),
        (
            "media-player",
            ["on": true, "playback": "play", "volume": 30, "muted": false, "source": "radio", "title": "a"],
            "number_volume select_playback sensor_title switch switch_muted text_source"
        ),
        (
            "meeting-room",
            [
                "status": "free", "title": "a", "until": "10:30", "occupied": true, "people": 4,
                "temperature": 22, "co2": 900,
            ],
            "binary_sensor_occupied select_status sensor_co2 sensor_people sensor_temperature text_title "
                + "text_until"
        ),
    ]

    @Test(arguments: expected)
    func `a thing with a built-in profile has the entities of its table`(
        profile: String,
        data: JSONObject,
        entities: String
    ) {
        var data = data
        data["profile"] = .string(profile)
        let state = SampleProfiles.house(ProfileLibrary.builtIn.profiles, data)
        var desk = Desk()
        desk.announce(state)
        let payload = desk.device("it")
        #expect(payload.map { PayloadCheck($0).problems } == [])
        #expect(payload?["components"]?.object?.keys.sorted().joined(separator: " ") == entities)
        #expect(payload?["device"]?["model_id"] == .string(profile))
    }

    @Test func `every built-in profile is in the table, and every property has a platform`() {
        let profiles = ProfileLibrary.builtIn.profiles
        #expect(Set(profiles.map(\.name)) == Set(Self.expected.map(\.profile)))
        for kind in ThingCatalog(.builtIn).kinds {
            let platforms = ThingEntities.platforms(of: kind)
            #expect(platforms.count == kind.allProperties.count, "\(kind.name)")
        }
    }

    @Test func `numbers, units and classes of a sensor station are those of Home Assistant`() {
        let state = SampleProfiles.house(
            ProfileLibrary.builtIn.profiles,
            ["profile": "sensor-station", "co2": 612, "pm25": 4, "battery": 87]
        )
        var desk = Desk()
        desk.announce(state)
        let found = ["co2", "pm25", "battery"].map { desk.component("sensor_\($0)", of: "it") }
        #expect(found.map { $0?["device_class"] } == ["carbon_dioxide", "pm25", "battery"])
        #expect(found.map { $0?["unit_of_measurement"] } == ["ppm", "μg/m³", "%"])
        #expect(found.map { $0?["entity_category"] } == [nil, nil, "diagnostic"])
    }
}
