import Flare
import Messages
import Things

/// A device with its components, as one message: Home Assistant's device-based discovery.
/// - Source: Home Assistant 2026.11, MQTT, device discovery payload.
struct DeviceAnnouncement: Sendable {
    /// Every message is shorter.
    static let sizeLimit = 16_384
    /// What the components may take, so that a few that go can be named beside them.
    private static let ordinarySize = 15_800

    let payload: JSONValue
    /// The components in the message, in their order.
    let components: [ComponentName]
    /// What would have made it too long.
    let leftOut: [ComponentName]

    /// - Parameters:
    ///   - device: Its block.
    ///   - availability: The topics that all have to say online.
    ///   - components: The most important first: those that do not fit are left out.
    init(
        _ name: DeviceName,
        device: [String: JSONValue],
        availability: [String],
        components: [Component],
        configuration: DiscoveryConfiguration
    ) {
        var device = device
        device["identifiers"] = [.string(configuration.identifier(of: name))]
        var origin: [String: JSONValue] = ["name": "Trilateral"]
        if !configuration.version.isEmpty {
            device["sw_version"] = .string(QuotedValue.clipped(configuration.version, to: 60))
            origin["sw_version"] = device["sw_version"]
        }
        var members: [String: JSONValue] = [
            "device": .object(device), "origin": .object(origin), "components": [:],
        ]
        members.merge(Self.availability(availability)) { $1 }
        var size = JSONValue.object(members).bytes.count
        var written: [String: JSONValue] = [:]
        var names: [ComponentName] = []
        var leftOut: [ComponentName] = []
        for component in components where written[component.name.key] == nil {
            var all = component.members
            all["platform"] = .string(component.name.platform.rawValue)
            all["unique_id"] = .string(configuration.uniqueID(of: component.name, on: name))
            all["default_entity_id"] = .string(configuration.entityID(of: component.name, on: name))
            let value = JSONValue.object(all)
            // Two quotes, a colon and a comma stand around it.
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

    /// `availability`, and its mode where there is more than one topic to mind.
    ///
    /// - Parameter templates: Those of more topics, which make their messages online or offline.
    static func availability(
        _ topics: [String],
        _ templates: KeyValuePairs<String, String> = [:]
    ) -> [String: JSONValue] {
        let all: [JSONValue] =
            topics.map { ["topic": .string($0)] }
            + templates.map { ["topic": .string($0), "value_template": .string($1)] }
        var members: [String: JSONValue] = ["availability": .array(all)]
        if all.count > 1 { members["availability_mode"] = "all" }
        return members
    }

    /// What the values of its components are understood by; the same in every run.
    var meaning: UInt64 {
        var hash = StableHash()
        hash.combine(payload["components"]?.bytes ?? [])
        return hash.value
    }

    /// The message with further components, as far as there is room.
    func adding(_ names: [ComponentName], _ component: (ComponentName) -> JSONValue) -> JSONValue {
        guard var members = payload.object, var written = members["components"]?.object else {
            return payload
        }
        var room = Self.sizeLimit - 1 - payload.bytes.count
        for name in names where written[name.key] == nil {
            let value = component(name)
            room -= name.key.utf8.count + value.bytes.count + 4
            guard room >= 0 else { break }
            written[name.key] = value
        }
        members["components"] = .object(written)
        return .object(members)
    }

    /// The message with components that are to go named by their platform only.
    func removing(_ gone: [ComponentName]) -> JSONValue {
        adding(gone) { ["platform": .string($0.platform.rawValue)] }
    }

    /// The message with components as they were, so that they can be taken away by one who did not see them go.
    func restoring(_ gone: [ComponentName], of device: DeviceName, _ configuration: DiscoveryConfiguration)
        -> JSONValue
    {
        adding(gone) { $0.ghost(of: device, configuration) }
    }

    /// A device that went unseen, with its components as they were.
    static func ghost(
        of name: DeviceName,
        device: [String: JSONValue],
        _ components: [ComponentName],
        _ configuration: DiscoveryConfiguration
    ) -> JSONValue {
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
    /// As little as Home Assistant needs to know it again.
    fileprivate func ghost(of device: DeviceName, _ configuration: DiscoveryConfiguration) -> JSONValue {
        var members: [String: JSONValue] = [
            "platform": .string(platform.rawValue), "name": "Gone",
            "unique_id": .string(configuration.uniqueID(of: self, on: device)),
            "default_entity_id": .string(configuration.entityID(of: self, on: device)),
        ]
        let topic = JSONValue.string("\(configuration.topics.root)/gone")
        switch platform {
        case .binarySensor, .sensor: members["state_topic"] = topic
        case .event: members.merge(["state_topic": topic, "event_types": ["gone"]]) { $1 }
        case .deviceTracker: members["json_attributes_topic"] = topic
        case .image: members["image_topic"] = topic
        case .select: members.merge(["command_topic": topic, "options": ["gone"]]) { $1 }
        case .light:
            members.merge(
                ["command_topic": topic, "schema": "json", "supported_color_modes": ["onoff"]]
            ) { $1 }
        case .button, .number, .switch, .text: members["command_topic"] = topic
        }
        return .object(members)
    }
}
