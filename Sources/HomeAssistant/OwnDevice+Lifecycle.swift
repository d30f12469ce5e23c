import Controller
import Flare
import Messages

/// The lifecycle of the application: a sensor with its state, and its calls as events.
extension OwnDevice {
    var lifecycle: [Component] {
        let topic = configuration.topics.lifecycle
        return [
            Component(
                .sensor,
                "lifecycle",
                [
                    "name": "Lifecycle", "icon": "mdi:state-machine", "device_class": "enum",
                    "options": .array(LifecycleLevel.allCases.map { .string($0.rawValue) }),
                    "state_topic": .string(topic),
                    "value_template": .string(ValueTemplate.reading("value_json.state")),
                    "json_attributes_topic": .string(topic),
                    "json_attributes_template": .string(
                        ValueTemplate.members(["level", "audio", "context", "displays", "visible", "since"])
                    ),
                ]
            ),
            event(
                "lifecycle",
                "Lifecycle event",
                .lifecycle,
                LifecycleCall.allCases.map(\.rawValue),
                ["icon": "mdi:state-machine"]
            ),
        ]
    }
}
