import JSON

/// Checks a payload against Home Assistant's schema; each problem is a sentence.
struct PayloadCheck {
    private(set) var problems: [String] = []

    init(_ payload: JSONValue) {
        if payload.bytes.count >= 16_384 { problems.append("it has \(payload.bytes.count) bytes") }
        guard let members = payload.object else {
            problems.append("it is no object")
            return
        }
        known(members, KnownKeys.top, required: ["device", "origin", "components"], "the payload")
        availability(members, "the payload")
        let device = members["device"]?.object ?? [:]
        known(device, KnownKeys.device, required: ["identifiers", "name"], "device")
        if device["identifiers"]?.array?.allSatisfy({ $0.string?.isEmpty == false }) != true {
            problems.append("device.identifiers is no list of texts")
        }
        known(members["origin"]?.object ?? [:], KnownKeys.origin, required: ["name"], "origin")
        var identifiers: Set<String> = []
        for (key, component) in members["components"]?.object ?? [:] {
            let component = component.object ?? [:]
            let platform = component["platform"]?.string ?? ""
            // A removed component has only its platform.
            if component.count == 1, KnownKeys.platforms[platform] != nil { continue }
            self.component(component, platform, key)
            if !identifiers.insert("\(platform) \(component["unique_id"]?.text ?? "")").inserted {
                problems.append("\(key): its unique_id is another's")
            }
        }
    }

    private mutating func known(
        _ members: JSONObject,
        _ legal: Set<String>,
        required: Set<String>,
        _ place: String
    ) {
        for key in members.keys where !legal.contains(key) { problems.append("\(place): unknown key \(key)") }
        for key in required where members[key] == nil { problems.append("\(place): \(key) is missing") }
    }

    private mutating func availability(_ members: JSONObject, _ place: String) {
        for entry in members["availability"]?.array ?? [] {
            known(entry.object ?? [:], KnownKeys.availability, required: ["topic"], "\(place).availability")
            topic(entry["topic"], "\(place).availability.topic")
        }
        if members["availability"] != nil, members["availability_topic"] != nil {
            problems.append("\(place): both forms of availability")
        }
    }

    private mutating func component(_ members: JSONObject, _ platform: String, _ key: String) {
        guard let legal = KnownKeys.platforms[platform] else {
            problems.append("\(key): unknown platform \(platform)")
            return
        }
        if !key.utf8.allSatisfy({ "abcdefghijklmnopqrstuvwxyz0123456789_".utf8.contains($0) }) {
            problems.append("\(key): not a plain key")
        }
        known(
            members,
            KnownKeys.common.union(legal.required).union(legal.optional),
            // A device class stands for a name.
            required: legal.required.union(
                members["device_class"] == nil ? ["unique_id", "name"] : ["unique_id"]
            ),
            key
        )
        availability(members, key)
        if let id = members["default_entity_id"] { entityID(id.string ?? "", platform, key) }
        for (name, value) in members {
            if name == "state_topic", platform == "event" { continue }
            if name.hasSuffix("_topic") { topic(value, "\(key).\(name)") }
            if let words = KnownKeys.words[name], !words.contains(value.string ?? "") {
                problems.append("\(key): \(name) cannot be \(value)")
            }
            if name.hasSuffix("_template") { template(value.string ?? "", "\(key).\(name)") }
        }
        if let icon = members["icon"]?.string, !icon.hasPrefix("mdi:") {
            problems.append("\(key): icon \(icon)")
        }
        if platform == "sensor" || platform == "binary_sensor", members["entity_category"] == "config" {
            problems.append("\(key): a sensor cannot be of the category config")
        }
        deviceClass(members, platform, key)
        switch platform {
        case "climate": climate(members, key)
        case "cover", "fan", "humidifier", "number", "valve": range(members, platform, key)
        default: break
        }
        if platform == "light" { light(members, key) }
        for name in ["options", "preset_modes", "fan_modes"]
        where members[name] != nil || platform == "select" && name == "options" {
            options(members[name], key)
        }
        if platform == "event", members["event_types"]?.array?.isEmpty != false {
            problems.append("\(key): no event types")
        }
    }

    private mutating func deviceClass(_ members: JSONObject, _ platform: String, _ key: String) {
        for name in ["device_class", "state_class"] where platform == "sensor" || platform == "number" {
            guard let units = members[name]?.string.flatMap({ KnownKeys.units[$0] }) else { continue }
            if !units.contains(members["unit_of_measurement"]?.string ?? "") {
                problems.append("\(key): its unit is not one of its \(name)")
            }
        }
        guard let deviceClass = members["device_class"]?.string else { return }
        if KnownKeys.deviceClasses[platform]?.contains(deviceClass) != true {
            problems.append("\(key): no device class \(deviceClass)")
        }
        if platform == "sensor", let state = members["state_class"]?.string,
            !(KnownKeys.stateClasses[deviceClass] ?? ["measurement"]).contains(state)
        {
            problems.append("\(key): a \(deviceClass) is no \(state)")
        }
        if members["options"] != nil, platform == "sensor",
            deviceClass != "enum" || members["state_class"] != nil
        {
            problems.append("\(key): options of a \(deviceClass)")
        }
    }

    private mutating func climate(_ members: JSONObject, _ key: String) {
        let modes = members["modes"]?.array?.compactMap(\.string) ?? []
        if modes.isEmpty || Set(modes).count != modes.count
            || !Set(modes).isSubset(of: ["off", "heat", "cool", "heat_cool", "auto", "dry", "fan_only"])
        {
            problems.append("\(key): modes \(modes)")
        }
        if let unit = members["temperature_unit"], unit != "C", unit != "F" {
            problems.append("\(key): temperature unit \(unit)")
        }
        if let low = members["min_temp"]?.number, let high = members["max_temp"]?.number, low >= high {
            problems.append("\(key): from \(low) to \(high)")
        }
    }

    /// What must be whole, and what must be less than something else.
    private mutating func range(_ members: JSONObject, _ platform: String, _ key: String) {
        let pairs = [
            ("position_closed", "position_open"), ("tilt_min", "tilt_max"),
            ("speed_range_min", "speed_range_max"),
            ("min_humidity", "max_humidity"), ("min", "max"),
        ]
        for (low, high) in pairs {
            guard let lowest = members[low]?.number, let highest = members[high]?.number else { continue }
            // The only one that may have a single value.
            if lowest > highest || lowest == highest && platform != "number" {
                problems.append("\(key): \(low) \(lowest), \(high) \(highest)")
            }
            if platform != "number", platform != "humidifier",
                members[low]?.integer == nil || members[high]?.integer == nil
            {
                problems.append("\(key): \(low) and \(high) must be whole")
            }
        }
        if let low = members["speed_range_min"]?.number, low < 1 {
            problems.append("\(key): speeds from \(low)")
        }
        if let high = members["max_humidity"]?.number, high > 100 {
            problems.append("\(key): humidity to \(high)")
        }
        if platform == "number", let step = members["step"]?.number, step < 0.001 {
            problems.append("\(key): step \(step)")
        }
        if platform == "cover" {
            for name in [
                "value_template", "position_template", "set_position_template", "tilt_status_template",
            ]
            where members[name] != nil {
                let topic = [
                    "value_template": "state_topic", "position_template": "position_topic",
                    "set_position_template": "set_position_topic",
                    "tilt_status_template": "tilt_status_topic",
                ][name]
                if members[topic ?? ""] == nil { problems.append("\(key): \(name) without its topic") }
            }
        }
    }

    private mutating func light(_ members: JSONObject, _ key: String) {
        let modes = members["supported_color_modes"]?.array?.compactMap(\.string) ?? []
        if modes.isEmpty || Set(modes).count != modes.count || !Set(modes).isSubset(of: KnownKeys.colourModes)
        {
            problems.append("\(key): colour modes \(modes)")
        }
        if modes.count > 1, modes.contains("onoff") || modes.contains("brightness") {
            problems.append("\(key): onoff and brightness stand alone")
        }
        if modes == ["brightness"], members["brightness"] != true { problems.append("\(key): no brightness") }
        if members["effect_list"] != nil, members["effect"] != true { problems.append("\(key): no effect") }
    }

    private mutating func options(_ options: JSONValue?, _ key: String) {
        let texts = options?.array?.compactMap(\.string) ?? []
        if texts.isEmpty || Set(texts).count != texts.count
            || texts.contains(where: { $0.unicodeScalars.count > 255 })
        {
            problems.append("\(key): options \(texts)")
        }
    }

    private mutating func entityID(_ id: String, _ platform: String, _ key: String) {
        let name = id.dropFirst(platform.count + 1)
        guard id.hasPrefix("\(platform)."), !name.isEmpty,
            name.utf8.allSatisfy({ "abcdefghijklmnopqrstuvwxyz0123456789_".utf8.contains($0) })
        else { return problems.append("\(key): default_entity_id \(id)") }
    }

    private mutating func topic(_ topic: JSONValue?, _ place: String) {
        guard let text = topic?.string, !text.isEmpty, !text.contains("+"), !text.contains("#"),
            !text.utf8.contains(0)
        else { return problems.append("\(place): \(topic ?? .null)") }
    }

    /// Balanced braces and quotes: no text of the place has escaped its quotes.
    private mutating func template(_ text: String, _ place: String) {
        let starts = text.components(of: "{{"), ends = text.components(of: "}}")
        if starts != ends || starts != 1 || text.filter({ $0 == "'" }).count % 2 != 0 || text.contains("{%") {
            problems.append("\(place): \(text)")
        }
    }
}

extension String {
    fileprivate func components(of part: String) -> Int {
        var count = 0
        var rest = self[...]
        while let range = rest.firstRange(of: part) {
            count += 1
            rest = rest[range.upperBound...]
        }
        return count
    }
}
