import Controller
import Flare
import Messages
import Things

/// The lights of a zone as one light.
extension OwnDevice {
    /// One for each zone with lights, as far as its things are announced.
    ///
    /// `group` names the members, for Home Assistant's own views; what is done with the light is our matter.
    /// - Source: Home Assistant 2026.11, MQTT, option `group`: unique ids of the members.
    var zones: [Component] {
        var members: [FlareID: [(slug: String, kind: LightKind)]] = [:]
        for thing in state.things.values {
            guard let zone = thing.zone, isShown(zone), let kind = LightKind(data: thing.data),
                let slug = state.slugs[.thing, thing.id]
            else { continue }
            members[zone, default: []].append((slug, kind))
        }
        return members.keys.compactMap { id in state.slugs[.zone, id].map { (id, $0) } }
            .sorted { $0.1 < $1.1 }
            .compactMap { id, slug in
                guard let zone = state.zones[id], let lights = members[id],
                    let kind = LightKind.together(lights.map(\.kind))
                else { return nil }
                let topic = configuration.topics.lights(zone: slug)
                var light = kind.members(
                    state: topic,
                    command: "\(configuration.topics.object(.zone, slug))/set"
                )
                let name = zone.name.isEmpty ? slug : zone.name
                light["name"] = .string("\(Quotation.clipped(name, to: 100)) lights")
                light["icon"] = "mdi:lightbulb-group"
                let slugs = lights.map(\.slug).sorted()
                light["group"] = .array(
                    slugs.map {
                        .string(configuration.uniqueID(of: ComponentName(.light), on: .thing($0)))
                    }
                )
                light.merge(
                    DeviceAnnouncement.availability(
                        [configuration.topics.status],
                        // Left out while all of them can be reached.
                        [topic: ValueTemplate.online(if: "value_json.available | default(1) > 0")]
                    )
                ) { $1 }
                return Component(.light, "\(slug)_lights", light)
            }
    }

    private func isShown(_ zone: FlareID) -> Bool {
        switch configuration.things {
        case .all: true
        case .zone: state.zoneID == zone
        case .nearby, .none: false
        }
    }
}
