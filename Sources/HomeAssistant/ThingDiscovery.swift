import Controller
import Flare
import JSON
import Messages
import Text
import Things

/// The announced properties of a thing: everything but its values.
struct ThingDiscovery: Sendable {
    let slug: String
    let thing: FlareThing
    /// The name of its zone.
    let area: String?
    let shape: ThingShape
    let catalog: ThingCatalog
    /// The slugs of zones whose entities could have the id of one of the thing's.
    let zones: Set<String>

    /// `nil` for a thing without a slug.
    init?(_ thing: FlareThing, in state: ControllerState) {
        guard let slug = state.slugs[.thing, thing.id] else { return nil }
        self.slug = slug
        self.thing = thing
        shape = state.shape(of: thing)
        catalog = state.catalog
        area = thing.zone.flatMap { state.zones[$0]?.name }
        let stems =
            [slug] + ["-lights", "-occupancy"].filter(slug.hasSuffix).map { String(slug.dropLast($0.count)) }
        zones = Set(
            stems.filter { state.slugs.id(of: $0, kind: .zone).map { state.zones[$0] != nil } ?? false }
        )
    }

    /// Whether a thing would be announced in the same way; its values may differ.
    ///
    /// Called at every change of a thing.
    func fits(_ other: FlareThing, in state: ControllerState) -> Bool {
        thing.name == other.name && thing.description == other.description && thing.created == other.created
            && shape.isLike(state.shape(of: other))
            && thing.zone == other.zone && area == other.zone.flatMap { state.zones[$0]?.name }
            && ThingIdentity.keys.allSatisfy { thing.data[$0] == other.data[$0] }
    }

    /// Whether another announcement of the same thing is about the same light in the same zone, or about no light as well.
    func hasLight(of other: ThingDiscovery) -> Bool {
        thing.zone == other.thing.zone && LightKind(shape) == LightKind(other.shape)
    }

    /// Hash of how the thing's values are read; the same in every run.
    func meaning(_ configuration: DiscoveryConfiguration) -> UInt64 {
        if let kind = shape.kind { return meaning(of: kind, in: configuration.settings.language) }
        var hash = StableHash()
        let kind = LightKind(shape)
        let modes = kind?.modes.map(\.rawValue).joined(separator: "+") ?? ""
        hash.combine("\(modes) \(kind?.hasBrightness ?? false)".utf8)
        for key in ["options", "readonly"] {
            for text in thing.data[key]?.array ?? [] { hash.combine(text.string?.utf8 ?? "".utf8) }
        }
        // Independent of the order.
        var keys: UInt64 = 0
        for (key, value) in thing.data {
            var hash = StableHash()
            hash.combine(key.utf8)
            hash.combine((value.isNull ? "null" : ThingShape.Kind(of: value).rawValue).utf8)
            keys ^= hash.value
        }
        hash.combine(String(keys).utf8)
        return hash.value
    }

    /// `nil` when the thing has no entities.
    ///
    /// - Parameter former: Components without a proposed entity id.
    func announcement(_ configuration: DiscoveryConfiguration, former: Set<ComponentName> = [])
        -> DeviceAnnouncement?
    {
        var components =
            shape.kind.map { self.components(of: $0, configuration) } ?? self.components(configuration.topics)
        guard !components.isEmpty else { return nil }
        components[0].members[OtherThings.key] = .string(OtherThings.identity(of: thing))
        var device: JSONObject = [
            "name": .string(QuotedValue.clipped(thing.name.isEmpty ? slug : thing.name, to: 120)),
            "via_device": .string(configuration.identifier(of: .own)),
        ]
        if let kind = shape.kind {
            device.merge(model(of: kind, configuration)) { $1 }
        } else if !thing.description.isEmpty {
            device["model"] = .string(QuotedValue.clipped(thing.description, to: 120))
        }
        let identity = ThingIdentity(thing.data, hasProfile: shape.kind != nil)
        device.merge(identity.members) { $1 }
        if identity.members.isEmpty { device.merge(DeviceAnnouncement.ours(configuration)) { $1 } }
        if configuration.settings.suggestsAreas, let area, !area.isEmpty {
            device["suggested_area"] = .string(QuotedValue.clipped(area, to: 120))
        }
        return DeviceAnnouncement(
            .thing(slug),
            device: device,
            availability: [configuration.topics.status, configuration.topics.availability(thing: slug)],
            components: components,
            former: former,
            beside: zones,
            configuration: configuration
        )
    }

    /// The components, the most important first.
    private func components(_ topics: Topics) -> [Component] {
        let state = topics.object(.thing, slug)
        var components: [Component] = []
        if let kind = LightKind(shape) {
            var members = kind.members(state: state, command: topics.command(.thingSet, slug))
            // The light is the main entity and has the device's name.
            members["name"] = .null
            components.append(ComponentName(.light).with(members))
        } else if shape.hasState {
            components.append(
                ComponentName(.switch).with([
                    "name": .null, "state_topic": .string(state),
                    "value_template": ValueTemplate.reading("value_json.state"),
                    "command_topic": .string(
                        topics.command(.thingSetAttribute, slug, "state")
                    ),
                ])
            )
        }
        if let palette = palette(topics) { components.append(palette) }
        var names = UniqueNames()
        var classes = ClassNames()
        let beacon = beacon(topics, &names)
        for action in shape.actions where (1...200).contains(action.unicodeScalars.count) {
            // Home Assistant offers on and off of lights and switches itself.
            if shape.hasState, action == "on" || action == "off" { continue }
            var members: JSONObject = [
                "name": .string(PlainName.of(action)),
                "command_topic": .string(topics.command(.thingAction, slug)),
                "payload_press": EntityContext.payload(action),
            ]
            if Self.steps.contains(action) { members["enabled_by_default"] = false }
            components.append(names.name(.button, for: action).with(members))
        }
        for key in shape.settable where !ThingIdentity.keys.contains(key) {
            guard let kind = shape.attributes[key] else { continue }
            if let component = setting(key, kind, state, topics, &names) {
                components.append(component)
            }
        }
        for key in shape.reported.keys.sorted() where !ThingIdentity.keys.contains(key) {
            guard let kind = shape.reported[key], let reading = ReportedValue(key, kind) else {
                continue
            }
            var members = reading.members
            members["name"] = .string(PlainName.of(key))
            members["state_topic"] = .string(topics.data(thing: slug))
            members = classes.reduced(members, platform: reading.platform, label: PlainName.of(key))
            components.append(names.name(reading.platform, for: key).with(members))
        }
        return components + beacon
    }

    /// Diagnostic entities of the thing's beacon.
    func beacon(_ topics: Topics, _ names: inout UniqueNames) -> [Component] {
        guard ["minor", "mac"].contains(where: { thing.data[$0].map { !$0.isNull } ?? false }) else {
            return []
        }
        let figures: [(String, String, String, JSONObject)] = [
            (
                "beacon_battery", "Beacon battery", "battery_v",
                [
                    "device_class": "voltage", "unit_of_measurement": "V", "state_class": "measurement",
                    "suggested_display_precision": 2,
                ]
            ),
            (
                "beacon_signal", "Beacon signal", "rssi",
                [
                    "device_class": "signal_strength", "unit_of_measurement": "dBm",
                    "state_class": "measurement",
                ]
            ),
            ("beacon_seen", "Beacon last seen", "last_seen", ["device_class": "timestamp"]),
        ]
        return figures.map { name, label, key, more in
            let members: JSONObject = [
                "name": .string(label), "state_topic": .string(topics.beacon(thing: slug)),
                "value_template": ValueTemplate.reading("value_json.\(key)"),
                "entity_category": "diagnostic", "enabled_by_default": false,
            ]
            return names.name(.sensor, for: name).with(members, more)
        }
    }

    /// Actions that lights, numbers and selects of Home Assistant have in another form; their buttons are off at first.
    static let steps: Set<String> = ["lighter", "darker", "nextColor", "previousColor"]

    func palette(_ topics: Topics) -> Component? {
        var seen: Set<String> = []
        // A state has at most 255 characters.
        let options = shape.palette.filter {
            !$0.isEmpty && $0.unicodeScalars.count <= 255 && seen.insert($0).inserted
        }
        guard !options.isEmpty else { return nil }
        // Home Assistant's word for unknown is put in brackets.
        let renamed = options.filter { $0.lowercased() == "none" }.map { ($0, "(\($0))") }
        let names = Dictionary(renamed) { first, _ in first }
        let name = ValueTemplate.renamed("value_json.color_name", renamed)
        let known = "\(name) if value_json.color_name in (value_json.palette | default([])) else 'None'"
        let chosen = ValueTemplate.renamed("value", renamed.map { ($1, $0) })
        return ComponentName(.select, "palette").with([
            "name": "Palette", "icon": "mdi:palette", "state_topic": .string(topics.object(.thing, slug)),
            "value_template": .string("{{ (\(known)) if value_json is defined else 'None' }}"),
            "command_topic": .string(topics.command(.thingSetAttribute, slug, "color")),
            "command_template": .string("{{ \(chosen) | string | to_json }}"),
            "options": .array(options.map { .string(names[$0] ?? $0) }),
        ])
    }

    /// A value in the thing's data, read from the raw data and set by its key.
    private func setting(
        _ key: String,
        _ kind: ThingShape.Kind,
        _ state: String,
        _ topics: Topics,
        _ names: inout UniqueNames
    ) -> Component? {
        guard PlainName.isTopicLevel(key) else { return nil }
        let value = ValueTemplate.member(key)
        var members: JSONObject = [
            "name": .string(PlainName.of(key)), "state_topic": .string(topics.data(thing: slug)),
            "command_topic": .string(topics.command(.thingSetAttribute, slug, key)),
        ]
        let platform: ComponentName.Platform
        switch kind {
        case .bool:
            platform = .switch
            members["value_template"] = ValueTemplate.flag(value)
        case .number:
            platform = .number
            // The range is unknown: wide enough for any plausible number.
            let (low, high) = (-1e15, 1e15)
            members["value_template"] = ValueTemplate.number(value, from: low, to: high)
            members.merge(["min": .number(low), "max": .number(high), "step": 0.001, "mode": "box"]) { $1 }
        case .text:
            platform = .text
            members["value_template"] = ValueTemplate.text(value)
            members["command_template"] = ValueTemplate.quoted
        case .brightness where !shape.isLight:
            platform = .number
            members["state_topic"] = .string(state)
            members["value_template"] = ValueTemplate.reading("value_json.brightness")
            members.merge(["min": 0, "max": 255, "mode": "slider"]) { $1 }
        case .state, .brightness, .level, .colour, .temperature, .list, .object: return nil
        }
        return names.name(platform, for: key).with(members)
    }
}
