import JSON
import Messages
import Text

/// The announced properties of a rule, which is a part of the device of all rules.
///
/// Each has its own payload, so the number of rules is not limited.
/// - Source: Home Assistant 2026.11, MQTT: switch, event, button.
struct RuleDiscovery: Sendable, Hashable {
    let slug: String
    let title: String
    /// The name of the daemon's own device; it distinguishes its rules from those of another daemon.
    let owner: String

    /// The device block in the payload of every rule.
    ///
    /// - Parameter owner: The name of the daemon's own device.
    static func block(of owner: String, _ configuration: DiscoveryConfiguration) -> JSONObject {
        var block: JSONObject = [
            "name": .string("\(QuotedValue.clipped(owner, to: 114)) Rules"), "model": "Rules",
            "via_device": .string(configuration.identifier(of: .own)),
        ]
        block.merge(DeviceAnnouncement.ours(configuration)) { $1 }
        return block
    }

    /// - Parameter former: Components without a proposed entity id.
    func announcement(_ configuration: DiscoveryConfiguration, former: Set<ComponentName> = [])
        -> DeviceAnnouncement
    {
        DeviceAnnouncement(
            .rule(slug),
            device: Self.block(of: owner, configuration),
            availability: [configuration.topics.status],
            components: components(configuration.topics),
            former: former,
            configuration: configuration
        )
    }

    private func components(_ topics: Topics) -> [Component] {
        let name = QuotedValue.clipped(title.isEmpty ? slug : title, to: 120)
        let state = JSONValue.string(topics.rule(slug))
        return [
            ComponentName(.switch).with([
                "name": .string(name), "icon": "mdi:script-text-outline", "state_topic": state,
                "value_template": ValueTemplate.flag("value_json.enabled"),
                "command_topic": .string(topics.ruleSet(slug)), "json_attributes_topic": state,
                "json_attributes_template": ValueTemplate.members(["suspended", "next", "until", "last"]),
            ]),
            ComponentName(.event, "fired").with([
                "name": .string("\(name) fired"), "icon": "mdi:script-text-play-outline",
                "state_topic": .string(topics.firings(ofRule: slug)), "event_types": ["fired"],
                "value_template": ValueTemplate.firing,
            ]),
            ComponentName(.button, "run").with([
                "name": .string("Run \(name)"), "icon": "mdi:play-outline",
                "command_topic": .string(topics.ruleRun(slug)), "payload_press": "{}",
                "enabled_by_default": false,
            ]),
        ]
    }
}
