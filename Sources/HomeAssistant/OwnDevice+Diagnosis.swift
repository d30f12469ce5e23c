import Controller
import JSON
import Messages

/// The diagnostic entities: links, health, and the numbers of the position.
extension OwnDevice {
    /// The entities that show problems at a glance.
    var condition: [Component] { [problem] + connectivity }

    var diagnosis: [Component] { bridge + (state.hasDevice ? figures : []) + health + displays }

    /// Whether an alert is open; its attributes describe the gravest.
    private var problem: Component {
        ComponentName(.binarySensor, "problem").with([
            // Home Assistant has a name for it in each language.
            "device_class": "problem", "entity_category": "diagnostic",
            "state_topic": .string(configuration.topics.alerts),
            "value_template": ValueTemplate.flag("value_json.count"),
            "json_attributes_topic": .string(configuration.topics.alerts),
            "json_attributes_template": ValueTemplate.members(["count", "severity", "message", "ids"]),
        ])
    }

    private var connectivity: [Component] {
        // It shows that the daemon is offline, so it must not become unavailable itself.
        let broker = ComponentName(.binarySensor, "broker").with([
            "name": "Broker link", "device_class": "connectivity", "entity_category": "diagnostic",
            "state_topic": .string(configuration.topics.status), "payload_on": "online",
            "payload_off": "offline", "availability": [],
        ])
        return [broker]
            + links.sorted().filter { PlainName.isWord($0) && !$0.isEmpty }.map { link in
                let label = ["flare": "Flare", "bluetooth": "Bluetooth", "compass": "Compass", "gps": "GPS"]
                var members: JSONObject = [
                    "name": .string("\(label[link] ?? PlainName.of(link)) link"),
                    "device_class": "connectivity", "entity_category": "diagnostic",
                    "state_topic": .string(configuration.topics.health),
                    "value_template": ValueTemplate.flag("value_json.links.\(link)"),
                ]
                if ["station", "resolver"].contains(link) { members["enabled_by_default"] = false }
                return ComponentName(.binarySensor, link).with(members)
            }
    }

    private var bridge: [Component] {
        [
            ComponentName(.event, "refused").with([
                "name": "Refused", "icon": "mdi:cancel", "entity_category": "diagnostic",
                "state_topic": .string(configuration.topics.responses), "event_types": ["refused"],
                "value_template": ValueTemplate.refusal,
            ]),
            event(
                "bridge",
                "Bridge event",
                .bridge,
                ["started", "stopping", "reloaded", "link"],
                ["entity_category": "diagnostic", "icon": "mdi:bridge"]
            ),
        ]
    }

    /// Repeated every 10 s while their sensor works; otherwise unknown.
    private var figures: [Component] {
        let metres: JSONObject = [
            "state_topic": .string(configuration.topics.devicePosition), "unit_of_measurement": "m",
            "device_class": "distance", "state_class": "measurement", "suggested_display_precision": 2,
        ]
        let degrees: JSONObject = [
            "state_topic": .string(configuration.topics.deviceAngle), "unit_of_measurement": "°",
            "state_class": "measurement_angle", "icon": "mdi:compass-outline",
        ]
        return [
            figure("x", "X", "x", expiresAfter: 60, metres), figure("y", "Y", "y", expiresAfter: 60, metres),
            figure("accuracy", "Accuracy", "accuracy_m", expiresAfter: 60, metres),
            figure("angle", "Angle", nil, expiresAfter: 60, degrees),
        ]
    }

    private var health: [Component] {
        let topic = JSONValue.string(configuration.topics.health)
        let time: JSONObject = [
            "device_class": "duration", "unit_of_measurement": "s", "state_class": "measurement",
            "state_topic": topic,
        ]
        let count: JSONObject = [
            "state_class": "total_increasing", "icon": "mdi:counter", "state_topic": topic,
        ]
        let seconds = 3 * configuration.healthSeconds
        return [figure("uptime", "Uptime", "uptime_s", expiresAfter: seconds, time)]
            + ["sent", "received", "dropped"].map {
                figure($0, "Messages \($0)", "counters.mqtt_\($0)", expiresAfter: seconds, count)
            }
    }

    /// - Parameter member: Of the message; `nil` for all of it.
    private func figure(
        _ name: String,
        _ label: String,
        _ member: String?,
        expiresAfter seconds: Int,
        _ more: JSONObject
    ) -> Component {
        var members: JSONObject = [
            "name": .string(label), "expire_after": JSONValue(seconds), "entity_category": "diagnostic",
            "enabled_by_default": false,
        ]
        members["value_template"] = member.map { ValueTemplate.reading("value_json.\($0)") }
        return ComponentName(.sensor, name).with(members, more)
    }
}
