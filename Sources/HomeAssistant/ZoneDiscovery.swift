import Controller
import Flare
import JSON
import Messages
import Text

/// The announced properties of a zone, as a device of its own: entities have the area of their device.
///
/// Each zone has its own payload, so the number of zones is not limited, and adding or removing a zone
/// affects no other zone's entities.
struct ZoneDiscovery: Sendable, Hashable {
    let slug: String
    let name: String
    /// The slugs of the zone's lights, sorted; empty for a zone without lights, or whose things are not
    /// announced.
    let lights: [String]
    /// The combined capabilities of the lights.
    let kind: LightKind?
    /// Whether the zone itself says who is in it, as in a daemon with several devices.
    let saysWho: Bool

    /// The zones of the place, by slug.
    static func all(in state: ControllerState, _ configuration: DiscoveryConfiguration) -> [ZoneDiscovery] {
        var members: [FlareID: [(slug: String, kind: LightKind)]] = [:]
        for thing in state.things.values {
            guard let zone = thing.zone, isShown(zone, in: state, configuration),
                let kind = LightKind(state.shape(of: thing)),
                let slug = state.slugs[.thing, thing.id]
            else { continue }
            members[zone, default: []].append((slug, kind))
        }
        return state.zones.values.compactMap { zone in
            guard let slug = state.slugs[.zone, zone.id] else { return nil }
            let lights = members[zone.id] ?? []
            return ZoneDiscovery(
                slug: slug,
                name: zone.name.isEmpty ? slug : zone.name,
                lights: lights.map(\.slug).sorted(),
                kind: LightKind.together(lights.map(\.kind)),
                saysWho: state.saysWhoIsInZones
            )
        }.sorted { $0.slug < $1.slug }
    }

    private static func isShown(
        _ zone: FlareID,
        in state: ControllerState,
        _ configuration: DiscoveryConfiguration
    ) -> Bool {
        switch configuration.settings.things {
        case .all: true
        case .zone: state.zoneID == zone
        case .nearby, .none: false
        }
    }

    /// The names of its components.
    var components: [ComponentName] { (kind == nil ? [] : [lightName]) + [occupancyName] }

    private var lightName: ComponentName { ComponentName(.light, "\(slug)_lights") }
    private var occupancyName: ComponentName { ComponentName(.binarySensor, "\(slug)_occupancy") }

    /// - Parameter former: Components without a proposed entity id.
    func announcement(_ configuration: DiscoveryConfiguration, former: Set<ComponentName> = [])
        -> DeviceAnnouncement
    {
        let whole = announcement(configuration, former, isGroupNamed: true)
        // A light without its member list is better than none.
        return whole.leftOut.isEmpty ? whole : announcement(configuration, former, isGroupNamed: false)
    }

    private func announcement(
        _ configuration: DiscoveryConfiguration,
        _ former: Set<ComponentName>,
        isGroupNamed: Bool
    ) -> DeviceAnnouncement {
        DeviceAnnouncement(
            .zone(slug),
            device: device(configuration),
            availability: [configuration.topics.status],
            components: [occupancy(configuration)]
                + [light(configuration, isGroupNamed: isGroupNamed)].compactMap(\.self),
            former: former,
            configuration: configuration
        )
    }

    private func device(_ configuration: DiscoveryConfiguration) -> JSONObject {
        let label = JSONValue.string(QuotedValue.clipped(name, to: 120))
        var device: JSONObject = [
            "name": label, "model": "Zone", "via_device": .string(configuration.identifier(of: .own)),
        ]
        device.merge(DeviceAnnouncement.ours(configuration)) { $1 }
        if configuration.settings.suggestsAreas { device["suggested_area"] = label }
        return device
    }

    /// Whether this device is in the zone, or who of several is; Home Assistant has a name for it in each language.
    private func occupancy(_ configuration: DiscoveryConfiguration) -> Component {
        let name = ComponentName(occupancyName.platform, occupancyName.name)
        guard !saysWho else {
            let topic = JSONValue.string(configuration.topics.object(.zone, slug))
            return name.with([
                "device_class": "occupancy", "state_topic": topic,
                "value_template": ValueTemplate.flag("value_json.occupied"),
                "json_attributes_topic": topic,
                "json_attributes_template": ValueTemplate.names("devices"),
            ])
        }
        let topic = JSONValue.string(configuration.topics.zone)
        return name.with([
            "device_class": "occupancy", "state_topic": topic,
            "value_template": ValueTemplate.isSlug(slug, in: "value_json.slug"),
            // Without a topic Home Assistant keeps the names of devices that are not listed any more.
            "json_attributes_topic": topic, "json_attributes_template": "{{ '{}' }}",
        ])
    }

    /// The lights of the zone as one light.
    ///
    /// `group` names the members for Home Assistant's views; commands are handled by the daemon.
    /// - Source: Home Assistant 2026.11, MQTT, option `group`: unique ids of the members.
    private func light(_ configuration: DiscoveryConfiguration, isGroupNamed: Bool) -> Component? {
        guard let kind else { return nil }
        let topics = configuration.topics
        var light = kind.members(
            state: topics.lights(zone: slug),
            command: topics.command(.zoneSet, slug)
        )
        light["name"] = "Lights"
        light["icon"] = "mdi:lightbulb-group"
        if isGroupNamed {
            light["group"] = .array(
                lights.map { .string(configuration.uniqueID(of: ComponentName(.light), on: .thing($0))) }
            )
        }
        light.merge(
            DeviceAnnouncement.availability(
                [topics.status],
                // Omitted while all of them are reachable.
                [topics.lights(zone: slug): ValueTemplate.online(if: "value_json.available | default(1) > 0")]
            )
        ) { $1 }
        return lightName.with(light)
    }
}
