import Bridge
import HomeAssistant
import Messages
import PlaceMap
import Settings

extension Capability {
    /// The picture of the place.
    static let map = Capability(name: "map") { context in
        let map = context.configuration.map
        guard map.isEnabled else { return nil }
        var parts = CapabilityParts()
        parts.publisher = MapPublisher(
            topic: context.topics.map,
            interval: .seconds(map.intervalSeconds),
            style: map.style
        )
        return parts
    }

    /// What Home Assistant is told of.
    ///
    /// The bridge itself announces it, since it knows what is on the broker.
    static let discovery = Capability(
        name: "discovery",
        access: { configuration in
            let prefix = configuration.discovery.prefix
            return [
                .init(access: .read, filter: "\(prefix)/status"),
                .init(access: .write, filter: "\(prefix)/device/+/config"),
            ]
        },
        build: { _ in nil }
    )
}
