import Controller
import Flare

/// The entities that discovery makes for the node "demo" with config/place.json.
enum Announced {
    private static let own: [String: [String]] = [
        "select": ["environment"],
        "sensor": ["zone", "nearby", "x", "y", "accuracy", "angle"],
        "event": ["zone", "nearby", "bridge"],
        "light": ["nearby"],
        "image": ["map"],
        "binary_sensor": ["broker", "flare", "bluetooth", "compass", "gps"],
        "switch": ["gps", "beacons", "cmx", "compass"],
        "button": ["next", "previous", "refresh", "reload"],
    ]

    static var entities: Set<String> {
        get throws {
            var entities = own.flatMap { platform, names in names.map { "\(platform).trilateral_demo_\($0)" }
            }
            let zones =
                try Contrib.json("config/place.json")["environments"]?.array?.first?["zones"]?.array ?? []
            entities += zones.compactMap(\.slug).map { "light.trilateral_demo_\($0)_lights" }
            let things = zones.flatMap { $0["things"]?.array ?? [] }.compactMap(\.slug)
            entities += things.map { "light.trilateral_demo_\($0)" }
            return Set(entities)
        }
    }
}

extension JSONValue {
    /// The short name of an object of the model, as an entity id has it.
    fileprivate var slug: String? {
        self["name"]?.string.flatMap { SlugBook.slug(from: $0) }.map {
            String($0.map { $0 == "-" ? "_" : $0 })
        }
    }
}
