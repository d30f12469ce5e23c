import Controller
import Flare
import JSON
import Messages
import Text
import Things

/// The daemon's own device with its entities.
struct OwnDevice {
    let state: ControllerState
    let configuration: DiscoveryConfiguration
    /// The capabilities of the nearby light: those of all lights of the place.
    let nearbyKind: LightKind
    /// The sensors of the node.
    let sensorKinds: Set<SensorKind>
    /// The links that health reports, apart from the broker.
    let links: Set<String>

    private var topics: Topics { configuration.topics }

    /// A payload that does not depend on the zones.
    ///
    /// - Parameter former: Components without a proposed entity id.
    func announcement(of name: DeviceName, former: Set<ComponentName> = []) -> DeviceAnnouncement {
        DeviceAnnouncement(
            name,
            device: Self.block(named: state.device?.name, configuration),
            availability: [topics.status],
            components: name == .own ? everyday : diagnosis,
            former: former,
            configuration: configuration
        )
    }

    /// Those of a node that is the place alone are about the place and the daemon.
    private var everyday: [Component] {
        guard state.hasDevice else {
            return [environment].compactMap(\.self) + condition + buttons + map
        }
        return place + lifecycle + condition + buttons + sensors + map
    }

    /// The device block in every payload.
    static func block(named name: String?, _ configuration: DiscoveryConfiguration) -> JSONObject {
        var block: JSONObject = [
            "name": .string(QuotedValue.clipped(label(named: name, configuration), to: 120)),
            "model": "Trilateral",
        ]
        block.merge(DeviceAnnouncement.ours(configuration)) { $1 }
        block["configuration_url"] = configuration.pageURL.map { .string($0) }
        return block
    }

    /// Its name, else the node's.
    static func label(named name: String?, _ configuration: DiscoveryConfiguration) -> String {
        guard let name, !name.isEmpty else { return configuration.node }
        return name
    }

    // MARK: Location

    private var place: [Component] {
        var components: [Component] = []
        // With a single one, or none, there is nothing to choose from.
        if configuration.publishesPlace, let environment { components.append(environment) }
        var light = nearbyKind.members(state: topics.nearbyLight, command: topics.command(.nearbySet))
        light["name"] = "Nearby"
        light["icon"] = "mdi:lightbulb-on-outline"
        light.merge(
            DeviceAnnouncement.availability(
                [topics.status, topics.nearbyAvailability],
                [topics.nearbyLight: ValueTemplate.online(if: "value_json.state is not none")]
            )
        ) { $1 }
        components += [
            ComponentName(.light, "nearby").with(light),
            named("nearby", "Nearby thing", "mdi:map-marker-radius", topics.nearby, ["id", "slug"]),
            ComponentName(.sensor, "distance").with([
                "name": "Nearby distance", "icon": "mdi:map-marker-distance",
                "state_topic": .string(topics.nearbyDistance),
                "value_template": ValueTemplate.number("value_json.distance_m"),
                "device_class": "distance", "unit_of_measurement": "m", "state_class": "measurement",
                "suggested_display_precision": 1,
            ]),
            named("zone", "Zone", "mdi:floor-plan", topics.zone, ["id", "slug", "since"]),
            event("zone", "Zone event", .zone, ["enter", "exit"]),
            event("nearby", "Nearby event", .nearby, ["near", "far"]),
        ]
        if configuration.hasStation {
            components.append(
                ComponentName(.sensor, "station_address").with([
                    "name": "Station address", "icon": "mdi:ip-network-outline",
                    "state_topic": .string(topics.station),
                    "value_template": ValueTemplate.reading("value_json.address"),
                    "entity_category": "diagnostic", "enabled_by_default": false,
                ])
            )
        }
        if configuration.hasLocation {
            components.append(
                ComponentName(.deviceTracker, "location").with([
                    "name": "Location", "source_type": "gps",
                    "json_attributes_topic": .string(topics.deviceLocation),
                    "json_attributes_template": "{{ value if value_json is defined else '{}' }}",
                ])
            )
        }
        return components
    }

    /// The selection of the environment by name, or by slug when names are too long, too many or ambiguous.
    private var environment: Component? {
        var names: [(slug: String, name: String)] = []
        for environment in state.environments.values {
            guard let slug = state.slugs[.environment, environment.id] else { continue }
            names.append((slug, environment.name))
        }
        guard names.count > 1 else { return nil }
        names.sort { $0.slug < $1.slug }
        let counts = Dictionary(names.flatMap { [($0.name, 1), ($0.slug, 1)] }, uniquingKeysWith: +)
        let isRoomy = names.reduce(0) { $0 + $1.name.utf8.count } < 1000
        names = names.map { slug, name in
            let isPlain =
                (1...60).contains(name.unicodeScalars.count) && name == name.trimmingSpace
                && !name.contains(where: \.isNewline)
            let isUnique = counts[name] == (name == slug ? 2 : 1)
            return (slug, isRoomy && isPlain && isUnique ? name : slug)
        }
        let others = names.filter { $0.slug != $0.name }
        return ComponentName(.select, "environment").with([
            "name": "Environment", "icon": "mdi:home-map-marker",
            "state_topic": .string(topics.environment),
            "value_template": ValueTemplate.renaming(
                "value_json.slug",
                others.map { ($0.slug, $0.name) }
            ),
            "command_topic": .string(topics.command(.environmentSet)),
            "command_template": ValueTemplate.command(others.map { ($0.name, $0.slug) }),
            "options": .array(names.map { .string($0.name) }),
        ])
    }

    /// A sensor that shows the name of a topic's object.
    private func named(
        _ name: String,
        _ label: String,
        _ icon: String,
        _ topic: String,
        _ attributes: [String]
    ) -> Component {
        ComponentName(.sensor, name).with([
            "name": .string(label), "icon": .string(icon), "state_topic": .string(topic),
            "value_template": ValueTemplate.text("value_json.name"),
            "json_attributes_topic": .string(topic),
            "json_attributes_template": ValueTemplate.members(attributes),
        ])
    }

    func event(
        _ name: String,
        _ label: String,
        _ topic: ChangeEvent.Topic,
        _ types: [String],
        _ more: JSONObject = [:]
    ) -> Component {
        let members: JSONObject = [
            "name": .string(label), "icon": "mdi:map-marker-path",
            "state_topic": .string(topics.event(topic)),
            "event_types": .array(types.map { .string($0) }),
            "value_template": ValueTemplate.events(types),
        ]
        return ComponentName(.event, name).with(members, more)
    }

    // MARK: Controls

    private var buttons: [Component] {
        // They concern the whole daemon.
        guard configuration.publishesPlace else { return [] }
        func button(_ name: String, _ label: String, _ icon: String, _ topic: String, _ payload: String)
            -> Component
        {
            var members: JSONObject = [
                "name": .string(label), "icon": .string(icon), "command_topic": .string(topic),
                "payload_press": .string(payload),
            ]
            if payload == "{}" { members["entity_category"] = "config" }
            return ComponentName(.button, name).with(members)
        }
        let topic = topics.command(.environmentSet)
        let steps =
            environment == nil
            ? []
            : [
                button("next", "Next environment", "mdi:skip-next", topic, "next"),
                button("previous", "Previous environment", "mdi:skip-previous", topic, "previous"),
            ]
        return steps + [
            button("refresh", "Refresh", "mdi:refresh", topics.command(.refresh), "{}"),
            button("reload", "Reload configuration", "mdi:cog-refresh", topics.command(.reload), "{}"),
            // Home Assistant has a name for it in each language.
            ComponentName(.button, "restart").with([
                "device_class": "restart", "entity_category": "config",
                "command_topic": .string(topics.command(.restart)), "payload_press": "{}",
            ]),
        ]
    }

    private var sensors: [Component] {
        SensorKind.allCases.filter(sensorKinds.contains).map { kind in
            let (label, icon) =
                switch kind {
                case .gps: ("GPS", "mdi:crosshairs-gps")
                case .beacons: ("Beacons", "mdi:bluetooth")
                case .cmx: ("CMX", "mdi:wifi-marker")
                case .compass: ("Compass", "mdi:compass")
                }
            return ComponentName(.switch, kind.rawValue).with([
                "name": .string(label), "icon": .string(icon), "entity_category": "config",
                "state_topic": .string(topics.sensor(kind)),
                "command_topic": .string(topics.command(.sensorSet, kind.rawValue)),
            ])
        }
    }

    private var map: [Component] {
        guard configuration.hasMap else { return [] }
        return [
            ComponentName(.image, "map").with([
                "name": "Map", "icon": "mdi:map", "image_topic": .string(topics.map),
                "content_type": "image/svg+xml",
            ])
        ]
    }
}
