import JSON

/// Leaves out names that only repeat a device class: Home Assistant then says the class in its user's language.
///
/// - Source: Home Assistant 2026.11.0, `mqtt/entity.py`, `_set_entity_name`.
struct ClassNames {
    private var named: Set<String> = []

    /// The members without a name that says no more than the device class; each class once in a device.
    ///
    /// - Parameter label: The name, before it was translated.
    mutating func reduced(_ members: JSONObject, platform: ComponentName.Platform, label: String)
        -> JSONObject
    {
        switch platform {
        case .sensor, .binarySensor, .number: break
        default: return members
        }
        guard let deviceClass = members["device_class"]?.string, deviceClass != "enum",
            Self.says(label, deviceClass), named.insert("\(platform.rawValue) \(deviceClass)").inserted
        else { return members }
        var members = members
        members["name"] = nil
        return members
    }

    private static func says(_ label: String, _ deviceClass: String) -> Bool {
        let word = label.lowercased()
        return word == PlainName.of(deviceClass).lowercased() || aliases[word] == deviceClass
    }

    private static let aliases = ["co2": "carbon_dioxide", "rssi": "signal_strength"]
}
