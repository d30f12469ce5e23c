import JSON
import Things

/// A read-only value in a thing's data, as a sensor or binary sensor.
///
/// If the key is the plain name of a quantity, the sensor has its unit and device class; the value must be in
/// that unit.
struct ReportedValue: Sendable, Hashable {
    let platform: ComponentName.Platform
    /// Members other than name and topic.
    let members: JSONObject

    /// `nil` for a value that is not a scalar.
    init?(_ key: String, _ kind: ThingShape.Kind) {
        let value = ValueTemplate.member(key)
        let word = PlainName.of(key).lowercased()
        switch kind {
        case .bool:
            platform = .binarySensor
            var members: JSONObject = ["value_template": ValueTemplate.flag(value)]
            members["device_class"] = Self.conditions[word].map { .string($0) }
            if Self.conditions[word] == "battery" { members["entity_category"] = "diagnostic" }
            self.members = members
        case .number:
            platform = .sensor
            var members: JSONObject = [
                "value_template": ValueTemplate.number(value), "state_class": "measurement",
            ]
            if Self.quantities.contains(word),
                let quantity = Quantity.of([Self.quantityNames[word] ?? word]),
                let unit = quantity.units.first
            {
                members["device_class"] = .string(quantity.deviceClass)
                members["unit_of_measurement"] = .string(unit)
                members["state_class"] = .string(quantity.stateClass)
                if ["battery", "signal_strength"].contains(quantity.deviceClass) {
                    members["entity_category"] = "diagnostic"
                }
            }
            self.members = members
        case .text:
            platform = .sensor
            members = ["value_template": ValueTemplate.text(value)]
        case .state, .brightness, .level, .colour, .temperature, .list, .object: return nil
        }
    }

    /// The keys of numbers with a quantity, whose usual unit is theirs; some have another name than it.
    private static let quantities: Set<String> = [
        "temperature", "humidity", "moisture", "pressure", "illuminance", "co2", "power", "energy", "water",
        "gas", "voltage", "current", "frequency", "battery", "rssi", "distance", "speed", "weight",
    ]

    private static let quantityNames = ["pressure": "atmospheric_pressure", "rssi": "signal_strength"]

    /// The device classes of booleans by key.
    /// - Source: Home Assistant 2026.11, device classes of the binary sensor.
    private static let conditions: [String: String] = [
        "motion": "motion", "occupancy": "occupancy", "presence": "presence", "door": "door",
        "window": "window", "open": "opening", "smoke": "smoke", "gas": "gas", "leak": "moisture",
        "vibration": "vibration", "sound": "sound", "tamper": "tamper", "battery low": "battery",
        "charging": "battery_charging", "plugged": "plug", "running": "running", "problem": "problem",
    ]
}
