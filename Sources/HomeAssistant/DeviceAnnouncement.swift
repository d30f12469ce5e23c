import JSON
import Messages
import Text

/// A discovery payload for a device with its components (Home Assistant's device-based discovery).
/// - Source: Home Assistant 2026.11, MQTT, device discovery payload.
struct DeviceAnnouncement: Sendable {
    /// Limit of a payload, bytes.
    static let sizeLimit = 16_384
    /// Limit for the components, which leaves room to name some removed ones.
    private static let ordinarySize = 15_800

    let payload: JSONValue
    /// The components in the message, in order.
    let components: [ComponentName]
    /// The components that did not fit.
    let leftOut: [ComponentName]

    /// - Parameters:
    ///   - device: The device block.
    ///   - availability: The topics that must all be online.
    ///   - components: The most important first; those that do not fit are omitted.
    ///   - former: Components without a proposed entity id.
    ///   - zones: The slugs of zones whose entities could have the id of one of these.
    init(
        _ name: DeviceName,
        device: JSONObject,
        availability: [String],
        components: [Component],
        former: Set<ComponentName> = [],
        beside zones: Set<String> = [],
        configuration: DiscoveryConfiguration
    ) {
        var device = device
        device["identifiers"] = [.string(configuration.identifier(of: name))]
        var origin: JSONObject = ["name": "Trilateral"]
        origin["sw_version"] = Self.ours(configuration)["sw_version"]
        var members: JSONObject = [
            "device": .object(device), "origin": .object(origin), "components": [:],
        ]
        members.merge(Self.availability(availability)) { $1 }
        var size = JSONValue.object(members).bytes.count
        var written: JSONObject = [:]
        var names: [ComponentName] = []
        var leftOut: [ComponentName] = []
        for component in components where written[component.name.key] == nil {
            var all = component.members
            all["platform"] = .string(component.name.platform.rawValue)
            all["unique_id"] = .string(configuration.uniqueID(of: component.name, on: name))
            if !former.contains(component.name) {
                all["default_entity_id"] = .string(
                    configuration.entityID(of: component.name, on: name, beside: zones)
                )
            }
            let value = JSONValue.object(all)
            // Two quotes, a colon and a comma are added around it.
            let more = component.name.key.utf8.count + value.bytes.count + 4
            guard size + more <= Self.ordinarySize else {
                leftOut.append(component.name)
                continue
            }
            size += more
            written[component.name.key] = value
            names.append(component.name)
        }
        members["components"] = .object(written)
        payload = .object(members)
        self.components = names
        self.leftOut = leftOut
    }

    /// The members of a device that is ours, or whose maker is unknown.
    static func ours(_ configuration: DiscoveryConfiguration) -> JSONObject {
        var members: JSONObject = ["manufacturer": "Trilateral"]
        if !configuration.version.isEmpty {
            members["sw_version"] = .string(QuotedValue.clipped(configuration.version, to: 60))
        }
        return members
    }

    /// `availability`, and its mode when there are several topics.
    ///
    /// - Parameter templates: Templates of further topics, which convert their messages to online or offline.
    static func availability(
        _ topics: [String],
        _ templates: KeyValuePairs<String, JSONValue> = [:]
    ) -> JSONObject {
        let all: [JSONValue] =
            topics.map { ["topic": .string($0)] }
            + templates.map { ["topic": .string($0), "value_template": $1] }
        var members: JSONObject = ["availability": .array(all)]
        if all.count > 1 { members["availability_mode"] = "all" }
        return members
    }

    /// Hash of everything that defines how the components' values are read; the same in every run.
    var meaning: UInt64 {
        var hash = StableHash()
        hash.combine(payload["components"]?.bytes ?? [])
        return hash.value
    }

    /// The payload with further components, in as many payloads as these need; at least one.
    func adding(_ names: [ComponentName], _ component: (ComponentName) -> JSONValue) -> [JSONValue] {
        guard var members = payload.object, let own = members["components"]?.object else {
            return [payload]
        }
        let room = Self.sizeLimit - 1 - payload.bytes.count
        var payloads: [JSONValue] = []
        var (written, left) = (own, room)
        for name in names where own[name.key] == nil {
            let value = component(name)
            let size = name.key.utf8.count + value.bytes.count + 4
            guard size <= room else { continue }
            if size > left {
                members["components"] = .object(written)
                payloads.append(.object(members))
                (written, left) = (own, room)
            }
            left -= size
            written[name.key] = value
        }
        members["components"] = .object(written)
        return payloads + [.object(members)]
    }

    /// The payloads with removed components, named by their platform only.
    func removing(_ removed: [ComponentName]) -> [JSONValue] {
        adding(removed) { ["platform": .string($0.platform.rawValue)] }
    }

    /// The payloads with removed components restored, so that their removal can be announced again.
    func restoring(_ removed: [ComponentName], of device: DeviceName, _ configuration: DiscoveryConfiguration)
        -> [JSONValue]
    {
        adding(removed) { $0.minimal(of: device, configuration) }
    }

    /// A removed device with its components restored.
    static func restored(
        of name: DeviceName,
        device: JSONObject,
        _ components: [ComponentName],
        _ configuration: DiscoveryConfiguration
    ) -> [JSONValue] {
        DeviceAnnouncement(
            name,
            device: device,
            availability: [configuration.topics.status],
            components: [],
            configuration: configuration
        ).restoring(components, of: name, configuration)
    }
}

extension ComponentName {
    /// The least that Home Assistant accepts for a component; an entity that it still has keeps its id.
    fileprivate func minimal(of device: DeviceName, _ configuration: DiscoveryConfiguration) -> JSONValue {
        var members: JSONObject = [
            "platform": .string(platform.rawValue),
            "name": name.isEmpty ? .null : .string(PlainName.of(name)),
            "unique_id": .string(configuration.uniqueID(of: self, on: device)),
        ]
        let topic = JSONValue.string("\(configuration.topics.root)/gone")
        switch platform {
        case .binarySensor, .sensor: members["state_topic"] = topic
        case .event: members.merge(["state_topic": topic, "event_types": ["gone"]]) { $1 }
        case .deviceTracker: members["json_attributes_topic"] = topic
        case .image: members["image_topic"] = topic
        case .select: members.merge(["command_topic": topic, "options": ["gone"]]) { $1 }
        case .light:
            // Without a state topic it would restore the last state, whose colour mode it lacks.
            members.merge(
                [
                    "command_topic": topic, "state_topic": topic, "schema": "json",
                    "supported_color_modes": ["onoff"],
                ]
            ) { $1 }
        case .humidifier:
            members.merge(["command_topic": topic, "target_humidity_command_topic": topic]) { $1 }
        case .button, .climate, .cover, .fan, .lock, .number, .switch, .text, .valve:
            // A thermostat has no topic that it needs; it ignores one that it does not know.
            members["command_topic"] = topic
        }
        return .object(members)
    }
}
