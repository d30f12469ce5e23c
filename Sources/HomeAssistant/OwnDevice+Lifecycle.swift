import Controller
import JSON
import Messages
import Text

/// The lifecycle of the application: a sensor with its state, and its calls as events.
extension OwnDevice {
    var lifecycle: [Component] {
        let topic = configuration.topics.lifecycle
        return [
            ComponentName(.sensor, "lifecycle").with([
                "name": "Lifecycle", "icon": "mdi:state-machine", "device_class": "enum",
                "options": .array(LifecycleLevel.allCases.map { .string($0.rawValue) }),
                "state_topic": .string(topic),
                "value_template": ValueTemplate.reading("value_json.state"),
                "json_attributes_topic": .string(topic),
                "json_attributes_template": ValueTemplate.members([
                    "level", "audio", "context", "displays", "visible", "since",
                ]),
            ]),
            event(
                "lifecycle",
                "Lifecycle event",
                .lifecycle,
                LifecycleCall.allCases.map(\.rawValue),
                ["icon": "mdi:state-machine"]
            ),
            count("displays", "Displays", "mdi:monitor-multiple"),
            count("visible", "Visible displays", "mdi:monitor-eye"),
        ] + screens
    }

    private func count(_ name: String, _ label: String, _ icon: String) -> Component {
        ComponentName(.sensor, "\(name)_count").with([
            "name": .string(label), "icon": .string(icon),
            "state_topic": .string(configuration.topics.lifecycle),
            "value_template": ValueTemplate.number("value_json.\(name)"),
            "state_class": "measurement", "entity_category": "diagnostic", "enabled_by_default": false,
        ])
    }

    /// Most displays with an entity.
    private static let mostScreens = 20

    /// Whether each display can be seen.
    var displays: [Component] {
        var names = UniqueNames()
        return state.lifecycle.attachedDisplays.sorted().prefix(Self.mostScreens).map { display in
            ComponentName(.binarySensor, "display_\(names.name(.binarySensor, for: display).name)").with([
                "name": .string("Display \(QuotedValue.clipped(display, to: 60))"),
                "icon": "mdi:monitor-eye",
                "state_topic": .string(configuration.topics.visible(display: display)),
                "entity_category": "diagnostic", "enabled_by_default": false,
            ])
        }
    }

    /// What each display shows.
    private var screens: [Component] {
        var names = UniqueNames()
        return state.screens.keys.sorted().prefix(Self.mostScreens).map { display in
            ComponentName(.sensor, "screen_\(names.name(.sensor, for: display).name)").with([
                "name": .string("Screen of \(QuotedValue.clipped(display, to: 60))"),
                "icon": "mdi:monitor-dashboard",
                "state_topic": .string(configuration.topics.screen(display: display)),
                "value_template": ValueTemplate.text("value_json.screen"),
                "entity_category": "diagnostic", "enabled_by_default": false,
            ])
        }
    }
}
