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
            var members: JSONObject = ["value_template": .string(ValueTemplate.flag(value))]
            members["device_class"] = Self.conditions[word].map { .string($0) }
            if Self.conditions[word] == "battery" { members["entity_category"] = "diagnostic" }
            self.members = members
        case .number:
            platform = .sensor
            var members: JSONObject = [
                "value_template": .string(ValueTemplate.number(value)), "state_class": "measurement",
            ]
            if let quantity = Self.quantities[word] {
                members["device_class"] = .string(quantity.deviceClass)
                members["unit_of_measurement"] = .string(quantity.unit)
                if quantity.isTotal { members["state_class"] = "total_increasing" }
                if ["battery", "signal_strength"].contains(quantity.deviceClass) {
                    members["entity_category"] = "diagnostic"
                }
            }
            self.members = members
        case .text:
            platform = .sensor
            members = ["value_template": .string(ValueTemplate.text(value))]
        case .state, .brightness, .level, .colour, .temperature, .list, .object: return nil
        }
    }

    private struct Quantity {
        let deviceClass: String
        let unit: String
        var isTotal = false
    }

    /// The quantities of numbers by key.
    /// - Source: Home Assistant 2026.11, device classes of the sensor and the units that each allows.
    private static let quantities: [String: Quantity] = [
        "temperature": Quantity(deviceClass: "temperature", unit: "°C"),
        "humidity": Quantity(deviceClass: "humidity", unit: "%"),
        "moisture": Quantity(deviceClass: "moisture", unit: "%"),
        "pressure": Quantity(deviceClass: "atmospheric_pressure", unit: "hPa"),
        "illuminance": Quantity(deviceClass: "illuminance", unit: "lx"),
        "co2": Quantity(deviceClass: "carbon_dioxide", unit: "ppm"),
        "power": Quantity(deviceClass: "power", unit: "W"),
        "energy": Quantity(deviceClass: "energy", unit: "kWh", isTotal: true),
        "water": Quantity(deviceClass: "water", unit: "m³", isTotal: true),
        "gas": Quantity(deviceClass: "gas", unit: "m³", isTotal: true),
        "voltage": Quantity(deviceClass: "voltage", unit: "V"),
        "current": Quantity(deviceClass: "current", unit: "A"),
        "frequency": Quantity(deviceClass: "frequency", unit: "Hz"),
        "battery": Quantity(deviceClass: "battery", unit: "%"),
        "rssi": Quantity(deviceClass: "signal_strength", unit: "dBm"),
        "distance": Quantity(deviceClass: "distance", unit: "m"),
        "speed": Quantity(deviceClass: "speed", unit: "m/s"),
        "weight": Quantity(deviceClass: "weight", unit: "kg"),
    ]

    /// The device classes of booleans by key.
    /// - Source: Home Assistant 2026.11, device classes of the binary sensor.
    private static let conditions: [String: String] = [
        "motion": "motion", "occupancy": "occupancy", "presence": "presence", "door": "door",
        "window": "window", "open": "opening", "smoke": "smoke", "gas": "gas", "leak": "moisture",
        "vibration": "vibration", "sound": "sound", "tamper": "tamper", "battery low": "battery",
        "charging": "battery_charging", "plugged": "plug", "running": "running", "problem": "problem",
    ]
}
