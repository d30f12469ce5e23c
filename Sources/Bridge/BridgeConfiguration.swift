package import HomeAssistant
package import Messages

/// The settings of the bridge.
package struct BridgeConfiguration: Sendable, Hashable {
    /// The first levels of every topic, without a slash at either end.
    package var base = "trilateral"
    /// Where answers are published when a command names a response topic, as filters.
    package var responseTopics = ["replies/#"]
    /// This device's level, `[a-z0-9-]`.
    package var node = "node"
    package var version = ""
    /// `embedded` or `remote`, and where the Flare server answers other clients.
    package var flareMode = "embedded"
    package var flareURL = ""
    /// The address of the page for people, if it is configured.
    package var publicURL = ""
    package var features: [String] = []
    /// Links that the health message has from the start, although their state is not known yet.
    package var links: [String] = []
    /// What the profile files say about the application.
    package var application: InfoMessage.Application?
    /// Whether the device's place on the earth is published.
    package var publishesLocation = false
    package var positionsPerSecond = 5.0
    package var anglesPerSecond = 10.0
    /// How often position and angle may change their copies in `state` and `device`.
    package var copiesPerSecond = 1.0
    package var healthInterval: Duration = .seconds(60)
    /// Interval at which position and angle are repeated while their sensor is alive.
    package var aliveInterval: Duration = .seconds(10)
    /// Whether the address of this station is announced to a resolver.
    package var hasStation = false
    /// Whether users send commands on topics of their own, for which the broker vouches.
    package var hasUserTopics = false
    /// Whether the map is published.
    package var hasMap = false
    /// Whether what has moved is published only when the broker's access list knows its place.
    package var waitsForAccessList = false
    /// The node that publishes environments, zones and things for this one; `nil` for the first node of a daemon, which
    /// does that itself.
    package var place: String?

    /// Home Assistant discovery.
    package var discovery = DiscoverySettings()

    package init() {}

    /// `<base>/<node>`: what every topic begins with.
    package var root: String { "\(base)/\(node)" }

    /// Whether environments, zones and things are published here.
    var publishesPlace: Bool { place == nil }

    var responses: ResponseTopics { ResponseTopics(responseTopics, reserved: [base, discovery.prefix]) }

    /// Position and angle are repeated when they are at least so old, milliseconds.
    var minimumRepeatAge: Int64 { Int64(aliveInterval / .milliseconds(1)) / 2 }

    /// The interval of the health messages, whole seconds.
    var healthSeconds: Int { max(1, Int(healthInterval.components.seconds)) }

    func discoveryConfiguration(installation: String, topics: Topics) -> DiscoveryConfiguration {
        // Each node of an installation has entities of its own; names of things have no hyphen in this place.
        let own = publishesPlace ? installation : "\(installation)-\(node)"
        var result = DiscoveryConfiguration(node: node, installation: own, topics: topics)
        result.publishesPlace = publishesPlace
        result.settings = discovery
        if !publishesPlace { (result.settings.things, result.settings.rules) = (.none, false) }
        result.hasMap = hasMap
        result.version = version
        result.hasLocation = publishesLocation
        result.hasStation = hasStation
        result.flareURL = flareURL
        result.publicURL = publicURL
        result.healthSeconds = healthSeconds
        return result
    }
}
