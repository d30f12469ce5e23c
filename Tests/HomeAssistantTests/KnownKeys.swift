import Flare

/// What Home Assistant 2026.11.0 accepts in a device's discovery payload, as its MQTT integration declares it.
///
/// Unknown keys reject a whole payload at its top level and in `device`, `origin` and `availability`; in a component
/// they are dropped silently.
enum KnownKeys {
    static let top: Set<String> = [
        "device", "origin", "components", "availability", "availability_mode", "availability_template",
        "availability_topic", "payload_available", "payload_not_available", "command_topic", "state_topic",
        "encoding", "qos",
    ]
    static let device: Set<String> = [
        "identifiers", "connections", "name", "manufacturer", "model", "model_id", "hw_version", "sw_version",
        "serial_number", "suggested_area", "via_device", "configuration_url",
    ]
    static let origin: Set<String> = ["name", "sw_version", "support_url"]
    static let availability: Set<String> = [
        "topic", "payload_available", "payload_not_available", "value_template",
    ]
    /// Those of every entity.
    ///
    /// `object_id` has no effect since 2026.4; `default_entity_id` replaces it.
    static let common: Set<String> = [
        "platform", "unique_id", "name", "default_entity_id", "enabled_by_default", "visible_by_default",
        "entity_category", "icon", "entity_picture", "json_attributes_topic", "json_attributes_template",
        "qos",
        "encoding", "group", "availability", "availability_mode", "availability_template",
        "availability_topic",
        "payload_available", "payload_not_available",
    ]

    struct Platform {
        var required: Set<String>
        var optional: Set<String>
    }

    private static let written: Set<String> = ["state_topic", "optimistic", "retain"]

    static let platforms: [String: Platform] = [
        "binary_sensor": Platform(
            required: ["state_topic"],
            optional: [
                "payload_on", "payload_off", "value_template", "device_class", "expire_after", "off_delay",
                "force_update",
            ]
        ),
        "button": Platform(
            required: ["command_topic"],
            optional: ["payload_press", "command_template", "retain", "device_class"]
        ),
        // Its state_topic, value_template and payloads of home are deprecated.
        "device_tracker": Platform(required: ["json_attributes_topic"], optional: ["source_type"]),
        "event": Platform(
            required: ["state_topic", "event_types"],
            optional: ["value_template", "device_class"]
        ),
        "image": Platform(
            required: ["image_topic"],
            optional: ["content_type", "image_encoding"]
        ),
        // The JSON schema without the removed `color_mode`, `rgb`, `hs` and `xy`.
        "light": Platform(
            required: ["command_topic", "schema"],
            optional: written.union([
                "brightness", "brightness_scale", "supported_color_modes", "color_temp_kelvin", "min_kelvin",
                "max_kelvin", "min_mireds", "max_mireds", "effect", "effect_list", "flash",
                "flash_time_short",
                "flash_time_long", "transition", "white_scale",
            ])
        ),
        "number": Platform(
            required: ["command_topic"],
            optional: written.union([
                "min", "max", "step", "mode", "unit_of_measurement", "device_class", "payload_reset",
                "value_template", "command_template",
            ])
        ),
        "select": Platform(
            required: ["command_topic", "options"],
            optional: written.union(["value_template", "command_template"])
        ),
        "sensor": Platform(
            required: ["state_topic"],
            optional: [
                "value_template", "device_class", "state_class", "unit_of_measurement", "options",
                "suggested_display_precision", "expire_after", "force_update", "last_reset_value_template",
            ]
        ),
        "switch": Platform(
            required: ["command_topic"],
            optional: written.union([
                "payload_on", "payload_off", "state_on", "state_off", "value_template", "command_template",
                "device_class",
            ])
        ),
        "text": Platform(
            required: ["command_topic"],
            optional: written.union(["min", "max", "mode", "pattern", "value_template", "command_template"])
        ),
    ]

    /// The legal values of a key, when they are limited.
    static let words: [String: Set<String>] = [
        "schema": ["json"], "entity_category": ["config", "diagnostic"],
        "availability_mode": ["all", "any", "latest"],
        "state_class": ["measurement", "measurement_angle", "total", "total_increasing"],
        "source_type": ["gps", "router", "bluetooth", "bluetooth_le"], "mode": ["auto", "box", "slider"],
        "content_type": ["image/svg+xml", "image/png", "image/jpeg"],
        "device_class": [
            "connectivity", "distance", "duration", "problem", "occupancy", "temperature", "humidity",
            "moisture", "atmospheric_pressure", "illuminance", "carbon_dioxide", "power", "energy", "voltage",
            "current", "frequency", "battery", "signal_strength", "speed", "weight", "timestamp", "motion",
            "presence", "door", "window", "opening", "smoke", "gas", "vibration", "sound", "tamper",
            "battery_charging", "plug", "running", "enum",
        ],
    ]
    static let colourModes: Set<String> = [
        "onoff", "brightness", "color_temp", "hs", "xy", "rgb", "rgbw", "rgbww", "white",
    ]
    /// The units that a device class or state class allows.
    static let units: [String: Set<String>] = [
        "distance": ["mm", "cm", "m", "km", "in", "ft", "yd", "mi", "nmi"],
        "duration": ["d", "h", "min", "s", "ms", "μs"], "measurement_angle": ["°"],
        "temperature": ["°C", "°F", "K"], "humidity": ["%"], "atmospheric_pressure": ["hPa", "mbar", "Pa"],
        "illuminance": ["lx"], "carbon_dioxide": ["ppm"], "power": ["W", "kW"], "energy": ["Wh", "kWh"],
        "voltage": ["V", "mV"], "current": ["A", "mA"], "frequency": ["Hz", "kHz"],
        "signal_strength": ["dB", "dBm"], "speed": ["m/s", "km/h"], "weight": ["kg", "g"],
    ]
}
