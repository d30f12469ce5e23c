import HomeAssistant
import Messages
import Settings

extension Capability {
    /// Home Assistant discovery.
    ///
    /// The bridge announces with these settings, between the node's states. It gets them when discovery is off, too, and
    /// then removes what earlier runs announced.
    static let discovery = Capability(
        name: "discovery",
        inputs: { [$0.discovery, $0.profiles.language] },
        access: { configuration in
            let topics = DiscoveryTopics(prefix: configuration.discovery.prefix)
            return [
                .init(access: .read, filter: topics.status),
                // Reading shows what earlier runs left behind, to this one and to `forget`.
                .init(access: .readwrite, filter: topics.device("+")),
            ]
        },
        build: { context in
            var parts = CapabilityParts()
            parts.discovery = context.configuration.discovery
            parts.discovery?.language = context.configuration.profiles.language
            return parts
        }
    )
}
