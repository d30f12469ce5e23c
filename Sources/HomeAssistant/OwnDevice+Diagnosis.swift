import Controller
import JSON
import Messages

/// The diagnostic entities: links, health, and the numbers of the position.
extension OwnDevice {
    /// The entities that show problems at a glance.
    var condition: [Component] { [problem] + connectivity }

    var diagnosis: [Component] { bridge + figures + health + displays }

    /// Whether an alert is open; its attributes describe the gravest.
    private var problem: Component {
        Component(
            .binarySensor,
            "problem",
            [
                // Home Assistant has a name for it in each language.
                "device_class": "problem", "entity_category": "diagnostic",
                "state_topic": .string(configuration.topics.alerts),
                "value_template": .string(ValueTemplate.flag("value_json.count")),
                "json_attributes_topic": .string(configuration.topics.alerts),
                "json_attributes_template": .string(
                    ValueTemplate.members(["count", "severity", "message", "ids"])
                ),
            ]
        )
    }

    private var connectivity: [Component] {
        // It shows that the daemon is offline, so it must not become unavailable itself.
        let broker = Component(
            .binarySensor,
            "broker",
            [
                "name": "Broker link", "device_class": "connectivity", "entity_category": "diagnostic",
                "state_topic": .string(configuration.topics.status), "payload_on": "online",
                "payload_off": "offline", "availability": [],
            ]
        )
        return [broker]
            + links.sorted().filter { PlainName.isWord($0) && !$0.isEmpty }.map { link in
                let label = ["flare": "Flare", "bluetooth": "Bluetooth", "compass": "Compass", "gps": "GPS"]
                var members: JSONObject = [
                    "name": .string("\(label[link] ?? PlainName.of(link)) link"),
                    "device_class": "connectivity", "entity_category": "diagnostic",
                    "state_topic": .string(configuration.topics.health),
                    "value_template": .string(ValueTemplate.flag("value_json.links.\(link)")),
                ]
                if ["station", "resolver"].contains(link) { members["enabled_by_default"] = false }
                return Component(.binarySensor, link, members)
            }
    }

    private var bridge: [Component] {
        [
            Component(
                .event,
                "refused",
                [
                    "name": "Refused", "icon": "mdi:cancel", "entity_category": "diagnostic",
                    "state_topic": .string(configuration.topics.responses), "event_types": ["refused"],
                    "value_template": .string(ValueTemplate.refusal),
                ]
            ),
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
        func figure(_ name: String, _ label: String, _ topic: String, _ more: JSONObject)
            -> Component
        {
            let members: JSONObject = [
                "name": .string(label), "state_topic": .string(topic), "expire_after": 60,
                "entity_category": "diagnostic", "enabled_by_default": false,
            ]
            return Component(.sensor, name, members.merging(more) { $1 })
        }
        func metres(_ name: String, _ label: String, _ key: String) -> Component {
            figure(
                name,
                label,
                configuration.topics.devicePosition,
                [
                    "value_template": .string(ValueTemplate.reading("value_json.\(key)")),
                    "unit_of_measurement": "m", "device_class": "distance", "state_class": "measurement",
                    "suggested_display_precision": 2,
                ]
            )
        }
        return [
            metres("x", "X", "x"), metres("y", "Y", "y"), metres("accuracy", "Accuracy", "accuracy_m"),
            figure(
                "angle",
                "Angle",
                configuration.topics.deviceAngle,
                [
                    "unit_of_measurement": "°", "state_class": "measurement_angle",
                    "icon": "mdi:compass-outline",
                ]
            ),
        ]
    }

    private var health: [Component] {
        func figure(_ name: String, _ label: String, _ expression: String, _ more: JSONObject)
            -> Component
        {
            let members: JSONObject = [
                "name": .string(label), "state_topic": .string(configuration.topics.health),
                "value_template": .string(ValueTemplate.reading("value_json.\(expression)")),
                "expire_after": JSONValue(3 * configuration.healthSeconds),
                "entity_category": "diagnostic", "enabled_by_default": false,
            ]
            return Component(.sensor, name, members.merging(more) { $1 })
        }
        let count: JSONObject = ["state_class": "total_increasing", "icon": "mdi:counter"]
        return [
            figure(
                "uptime",
                "Uptime",
                "uptime_s",
                ["device_class": "duration", "unit_of_measurement": "s", "state_class": "measurement"]
            ),
            figure("sent", "Messages sent", "counters.mqtt_sent", count),
            figure("received", "Messages received", "counters.mqtt_received", count),
            figure("dropped", "Messages dropped", "counters.mqtt_dropped", count),
        ]
    }
}
