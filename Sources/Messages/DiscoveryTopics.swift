/// The topics of Home Assistant's MQTT discovery.
package struct DiscoveryTopics: Sendable, Hashable {
    /// The first levels, as set in Home Assistant.
    package let prefix: String

    package init(prefix: String) { self.prefix = prefix }

    /// Home Assistant's birth and will messages.
    package var status: String { "\(prefix)/status" }

    /// The announcement of a device; `+` for all devices.
    package func device(_ name: String) -> String { "\(start)\(name)\(Self.end)" }

    /// The name of the device that is announced on a topic; `nil` for another topic.
    package func device(of topic: String) -> String? {
        guard topic.hasPrefix(start), topic.hasSuffix(Self.end),
            topic.utf8.count > start.utf8.count + Self.end.utf8.count
        else { return nil }
        let name = topic.dropFirst(start.count).dropLast(Self.end.count)
        return name.contains("/") ? nil : String(name)
    }

    /// Everything that Home Assistant publishes and reads, as a filter.
    package var everything: String { "\(prefix)/#" }

    private var start: String { "\(prefix)/device/" }
    private static let end = "/config"
}
