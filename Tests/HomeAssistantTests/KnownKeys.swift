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
        // Ours, for other daemons.
        "flare_id",
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
        "climate": Platform(
            required: [],
            optional: [
                "action_template", "action_topic", "current_humidity_template", "current_humidity_topic",
                "current_temperature_template", "current_temperature_topic", "fan_mode_command_template",
                "fan_mode_command_topic", "fan_mode_state_template", "fan_mode_state_topic", "fan_modes",
                "max_temp", "min_temp", "mode_command_template", "mode_command_topic", "mode_state_template",
                "mode_state_topic", "modes", "payload_off", "payload_on", "power_command_template",
                "power_command_topic", "precision",
                "preset_mode_command_template", "preset_mode_command_topic", "preset_mode_state_topic",
                "preset_mode_value_template", "preset_modes", "temp_step", "temperature_command_template",
                "temperature_command_topic", "temperature_state_template", "temperature_state_topic",
                "temperature_unit",
            ]
        ),
        "cover": Platform(
            required: [],
            optional: written.union([
                "command_topic", "device_class", "payload_close", "payload_open", "payload_stop",
                "payload_stop_tilt", "position_closed", "position_open", "position_template",
                "position_topic",
                "set_position_template", "set_position_topic", "state_closed", "state_closing", "state_open",
                "state_opening", "state_stopped", "tilt_closed_value", "tilt_command_template",
                "tilt_command_topic", "tilt_max", "tilt_min", "tilt_opened_value", "tilt_status_template",
                "tilt_status_topic", "value_template",
            ])
        ),
        // Its state_topic, value_template and payloads of home are deprecated.
        "device_tracker": Platform(required: ["json_attributes_topic"], optional: ["source_type"]),
        "event": Platform(
            required: ["state_topic", "event_types"],
            optional: ["value_template", "device_class"]
        ),
        "fan": Platform(
            required: ["command_topic"],
            optional: written.union([
                "command_template", "payload_off", "payload_on", "percentage_command_template",
                "percentage_command_topic", "percentage_state_topic", "percentage_value_template",
                "preset_mode_command_template", "preset_mode_command_topic", "preset_mode_state_topic",
                "preset_mode_value_template", "preset_modes", "speed_range_max", "speed_range_min",
                "state_value_template",
            ])
        ),
        "humidifier": Platform(
            required: ["command_topic", "target_humidity_command_topic"],
            optional: written.union([
                "current_humidity_template", "current_humidity_topic", "device_class", "max_humidity",
                "min_humidity", "payload_off", "payload_on", "state_value_template",
                "target_humidity_command_template", "target_humidity_state_template",
                "target_humidity_state_topic",
            ])
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
        "lock": Platform(
            required: ["command_topic"],
            optional: written.union([
                "code_format", "command_template", "payload_lock", "payload_open", "payload_reset",
                "payload_unlock", "state_jammed", "state_locked", "state_locking", "state_unlocked",
                "state_unlocking", "value_template",
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
        // A valve with a position has no other payloads.
        "valve": Platform(
            required: ["command_topic", "reports_position"],
            optional: written.union([
                "command_template", "device_class", "payload_stop", "position_closed", "position_open",
                "value_template",
            ])
        ),
    ]

    /// The legal values of a key, when they are limited.
    static let words: [String: Set<String>] = [
        "schema": ["json"], "entity_category": ["config", "diagnostic"],
        "availability_mode": ["all", "any", "latest"],
        "state_class": ["measurement", "measurement_angle", "total", "total_increasing"],
        "source_type": ["gps", "router", "bluetooth", "bluetooth_le"], "mode": ["auto", "box", "slider"],
        "content_type": ["image/svg+xml", "image/png", "image/jpeg"],
    ]
    /// The device classes of a platform.
    static let deviceClasses: [String: Set<String>] = [
        "binary_sensor": [
            "battery", "battery_charging", "carbon_monoxide", "cold", "connectivity", "door", "garage_door",
            "gas", "glass_break", "heat", "light", "lock", "moisture", "motion", "moving", "occupancy",
            "opening", "plug", "power", "presence", "problem", "running", "safety", "smoke", "sound",
            "tamper",
            "update", "vibration", "window",
        ],
        "button": ["identify", "restart", "update"],
        "cover": [
            "awning", "blind", "curtain", "damper", "door", "garage", "gate", "shade", "shutter", "window",
        ],
        "event": ["button", "doorbell", "motion"], "humidifier": ["dehumidifier", "humidifier"],
        "number": Set(units.keys).union(unitless).subtracting(["date", "enum", "timestamp", "uptime"]),
        "sensor": Set(units.keys).union(unitless), "switch": ["outlet", "switch"], "valve": ["gas", "water"],
    ]
    /// Device classes of sensors that have no unit, or any.
    static let unitless: Set<String> = ["aqi", "date", "enum", "monetary", "ph", "timestamp", "uptime"]
    static let colourModes: Set<String> = [
        "onoff", "brightness", "color_temp", "hs", "xy", "rgb", "rgbw", "rgbww", "white",
    ]
}
