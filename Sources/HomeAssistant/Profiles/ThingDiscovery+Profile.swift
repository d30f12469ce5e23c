import Controller
import Flare
import JSON
import Messages
import Text
import Things

/// The entities of a thing with a profile.
extension ThingDiscovery {
    /// The components, the most important first.
    func components(of kind: ThingKind, _ configuration: DiscoveryConfiguration) -> [Component] {
        let topics = configuration.topics
        let entities = ProfileEntities(kind.steadyProperties(of: thing), light: kind.lightParts)
        let context = EntityContext(
            slug: slug,
            topics: topics,
            actions: kind.actions(of: thing).map { ($0.name, $0.title, $0.property) },
            text: { [catalog] in catalog.text($0, in: configuration.settings.language) }
        )
        let icon = kind.icon.flatMap { Self.isIcon($0) ? $0 : nil }
        var names = UniqueNames()
        let beacon = beacon(topics, &names)
        var components: [Component] = []
        if let light = LightKind(shape) {
            var members = light.members(
                state: topics.object(.thing, slug),
                command: topics.command(.thingSet, slug)
            )
            members["name"] = .null
            members["icon"] = icon.map { .string($0) }
            components.append(ComponentName(.light).with(members))
            if let palette = palette(topics) { components.append(palette) }
        }
        let isSwitched = entities.hasLight || entities.mainSwitch != nil
        components += entities.components(
            context,
            icon: icon,
            hidden: isSwitched ? ["on", "off"] : [],
            &names
        )
        return components + beacon
    }

    /// The members of the device that tell its type.
    func model(of kind: ThingKind, _ configuration: DiscoveryConfiguration) -> JSONObject {
        let title = catalog.title(kind.title, in: configuration.settings.language)
        return [
            "model": .string(QuotedValue.clipped(title, to: 120)),
            "model_id": .string(QuotedValue.clipped(kind.name, to: 120)),
        ]
    }

    /// Hash of how the values of its properties are read; the same in every run.
    ///
    /// The language is a part of it: a value that was an option of a select is none in another language.
    func meaning(of kind: ThingKind, in language: String) -> UInt64 {
        var hash = StableHash()
        hash.combine(kind.name.utf8)
        hash.combine((kind.model ?? "").utf8)
        for property in kind.steadyProperties(of: thing) {
            hash.combine(property.name.utf8)
            hash.combine(property.control.rawValue.utf8)
            hash.combine(property.type.rawValue.utf8)
            hash.combine("\(property.minimum ?? 0) \(property.maximum ?? 0) \(property.unit ?? "")".utf8)
            for role in property.roles { hash.combine(role.utf8) }
            for action in property.actions {
                hash.combine(action.name.utf8)
                hash.combine((catalog.text(action.name, in: language) ?? "").utf8)
                hash.combine(action.value.bytes)
            }
        }
        return hash.value
    }

    /// Whether Home Assistant has icons of this form.
    private static func isIcon(_ text: String) -> Bool {
        let name = text.dropFirst(4)
        return text.hasPrefix("mdi:") && (1...80).contains(name.utf8.count)
            && name.utf8.allSatisfy { byte in
                (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
                    || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || byte == UInt8(ascii: "-")
            }
    }
}
