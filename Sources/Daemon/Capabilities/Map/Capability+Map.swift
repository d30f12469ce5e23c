import Bridge
import Messages
import Settings

extension Capability {
    /// The map of the place.
    static let map = Capability(name: "map", settings: .map) { context in
        let map = context.configuration.map
        guard map.isEnabled else { return nil }
        var parts = CapabilityParts()
        parts.renderers = [
            MapRenderer(
                topic: context.topics.map,
                interval: .seconds(map.intervalSeconds),
                style: map.style
            )
        ]
        parts.topics = [context.topics.map]
        return parts
    }
}
