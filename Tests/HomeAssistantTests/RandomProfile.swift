import JSON
import Profiles
import SeededRandom

/// Profiles of every kind, sensible or not, with data that may not go with them.
enum RandomProfile {
    static func profile(_ random: inout SplitMix64, named name: String) -> Profile {
        var profile = Profile(name: name, model: nil, origin: .builtIn)
        profile.title = text(&random)
        profile.icon =
            ["mdi:blinds", "mdi:", "mdi:{{ 1 }}", "../x.svg", nil].randomElement(using: &random) ?? nil
        profile.deviceControl = Int.random(in: 0..<8, using: &random) == 0 ? "light" : "generic"
        let count = Int.random(in: 0..<30, using: &random) == 0 ? 200 : Int.random(in: 0...9, using: &random)
        profile.properties = (0..<count).map { property(&random, number: $0) }
        return profile
    }

    private static func property(_ random: inout SplitMix64, number: Int) -> ProfileProperty {
        var property = ProfileProperty(
            name: names.randomElement(using: &random).map { "\($0)\(number)" } ?? "x"
        )
        property.control =
            Int.random(in: 0..<4, using: &random) == 0
            ? nil : PropertyControl.allCases.randomElement(using: &random)
        property.roles = (0..<Int.random(in: 0...3, using: &random))
            .compactMap { _ in roles.randomElement(using: &random) }
        property.unit = units.randomElement(using: &random) ?? nil
        property.isOptional = Bool.random(using: &random)
        let limits = [0, 0.5, 1, -7, 10, 40.25, 100, 255, 1e12]
        if Bool.random(using: &random), let low = limits.randomElement(using: &random),
            let high = limits.randomElement(using: &random), low < high
        {
            (property.minimum, property.maximum) = (low, high)
            property.step = [nil, 0.001, 0.5, 15].randomElement(using: &random) ?? nil
        } else if Bool.random(using: &random) {
            property.maximum = limits.randomElement(using: &random)
        }
        let isNumeric = Bool.random(using: &random)
        var taken: Set<String> = []
        for index in 0..<Int.random(in: 0...4, using: &random) {
            let word = words.randomElement(using: &random) ?? "off"
            let name = Bool.random(using: &random) ? word : "\(text(&random))\(index)"
            let value = isNumeric ? JSONValue(index) : .string(text(&random))
            if taken.insert(name).inserted {
                property.actions.append(ProfileAction(name: name, value: value))
            }
        }
        return property
    }

    static func data(_ random: inout SplitMix64, for profile: Profile) -> JSONObject {
        var data: JSONObject = ["profile": .string(profile.name)]
        for property in profile.properties where Int.random(in: 0..<4, using: &random) > 0 {
            data[property.name] = value(&random)
        }
        return data
    }

    static func value(_ random: inout SplitMix64) -> JSONValue {
        switch Int.random(in: 0...8, using: &random) {
        case 0: .bool(.random(using: &random))
        case 1: .number(.random(in: -2...2, using: &random))
        case 2: .number(Double(Int.random(in: -5...300, using: &random)))
        case 3: .numeral("99999999999999999999")
        case 4: .string(text(&random))
        case 5: .array([1])
        case 6: .object([:])
        case 7: .string(words.randomElement(using: &random) ?? "")
        default: .null
        }
    }

    static func text(_ random: inout SplitMix64) -> String {
        let parts = [
            "a", "ß", "日", "'", "\"", "\\", "{{ states }}", "{%", "}}", "\n", " ", "none", "None", "<b>",
            "\u{0}",
        ]
        if Int.random(in: 0..<40, using: &random) == 0 { return String(repeating: "long ", count: 100) }
        return (0..<Int.random(in: 1...4, using: &random))
            .map { _ in parts.randomElement(using: &random) ?? "" }.joined()
    }

    private static let names = ["on", "brightness", "color", "position", "mode", "T_", "a-b", "tx", "state"]
    private static let units: [String?] = [nil, nil, "%", "°C", "°F", "K", "W", "\u{B5}g/m³", " ", "{{ 1 }}"]
    private static let words = [
        "off", "heat", "cool", "auto", "open", "close", "stop", "fan_low", "opening", "idle",
    ]
    private static let roles = [
        "on_off", "brightness", "color", "temperature_setpoint", "temperature", "hvac_mode", "hvac_action",
        "fan_mode", "fan_speed", "cover_position", "cover_state", "cover_tilt", "humidity_setpoint",
        "humidity",
        "lock", "valve_position", "battery", "power", "energy", "door", "blind", "water", "outlet", "co2",
        "wind_direction", "monetary", "aqi", "timestamp", "volume",
    ]
}
