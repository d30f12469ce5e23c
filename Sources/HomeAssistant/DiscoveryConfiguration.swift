package import Messages

/// The properties of this installation that discovery needs.
package struct DiscoveryConfiguration: Sendable, Hashable {
    /// The user's settings.
    package var settings = DiscoverySettings()
    /// The node's topic level, `[a-z0-9-]`.
    package var node: String
    /// A permanent identifier of this installation, with which every `unique_id` begins.
    package var installation: String
    package var topics: Topics
    package var version = ""
    /// Whether the geographic location is published.
    package var hasLocation = false
    /// Whether the address of this station is announced to a resolver.
    package var hasStation = false
    /// Whether the map is published.
    package var hasMap = false
    /// Whether the zones are announced, and what is the whole daemon's: by its first node alone.
    package var publishesPlace = true
    /// The address of the page for people, if it is configured.
    package var publicURL = ""
    /// The Flare server's address, if known.
    package var flareURL = ""
    /// Interval of the health messages, seconds.
    package var healthSeconds = 60

    package init(node: String, installation: String, topics: Topics) {
        self.node = node
        self.installation = installation
        self.topics = topics
    }

    /// The address for a browser: the page, else the Flare server; `nil` when both are unknown, or reachable only from
    /// this machine, or contain a password.
    var pageURL: String? { Self.shown(publicURL) ?? Self.shown(flareURL) }

    private static func shown(_ url: String) -> String? {
        guard url.hasPrefix("http://") || url.hasPrefix("https://"), url.utf8.count <= 200,
            let start = url.firstRange(of: "://")?.upperBound
        else { return nil }
        let authority = url[start...].prefix { $0 != "/" && $0 != "?" && $0 != "#" }
        let host =
            authority.hasPrefix("[")
            ? authority.prefix { $0 != "]" }.dropFirst() : authority.prefix { $0 != ":" }
        let isLocal =
            host.isEmpty || host == "::1" || host.hasPrefix("127.") || host.lowercased() == "localhost"
        return isLocal || authority.contains("@") ? nil : url
    }

    /// The topic of Home Assistant's birth and will messages.
    package var birthTopic: String { discoveryTopics.status }

    /// The topics of all devices, as a filter.
    var deviceTopics: String { discoveryTopics.device("+") }

    private var discoveryTopics: DiscoveryTopics { DiscoveryTopics(prefix: settings.prefix) }

    /// The discovery topic of a device: a thing, or the daemon itself.
    ///
    /// Slugs contain no underscore, so the names of nodes, things and zones cannot collide.
    func topic(of device: DeviceName) -> String { discoveryTopics.device(name(of: device)) }

    /// The device of one of our topics; `nil` for a topic of another prefix or node.
    func device(ofTopic topic: String) -> DeviceName? {
        guard let device = Self.device(ofAny: topic), self.topic(of: device) == topic else { return nil }
        return device
    }

    /// The device of a topic of any prefix and node.
    static func device(ofAny topic: String) -> DeviceName? {
        let levels = topic.split(separator: "/", omittingEmptySubsequences: false)
        guard levels.count >= 2, levels[levels.count - 1] == "config" else { return nil }
        let parts = levels[levels.count - 2].split(
            separator: "_",
            maxSplits: 2,
            omittingEmptySubsequences: false
        )
        guard parts.count > 1, parts[0] == "trilateral" else { return nil }
        guard parts.count == 3 else { return .own }
        let rest = String(parts[2])
        if rest == Self.diagnosticsSuffix { return .diagnostics }
        if rest.hasPrefix(Self.ruleInfix) { return .rule(String(rest.dropFirst(Self.ruleInfix.count))) }
        return rest.hasPrefix(Self.zoneInfix)
            ? .zone(String(rest.dropFirst(Self.zoneInfix.count))) : .thing(rest)
    }

    /// Whether a topic announces something of a node, whatever the prefix.
    package static func isTopic(_ topic: String, of node: String) -> Bool {
        Self.node(ofAny: topic) == node
    }

    /// The node of a topic of any prefix.
    static func node(ofAny topic: String) -> String? {
        let levels = topic.split(separator: "/", omittingEmptySubsequences: false)
        guard levels.count >= 2 else { return nil }
        // Nodes contain no underscore.
        let parts = levels[levels.count - 2].split(
            separator: "_",
            maxSplits: 2,
            omittingEmptySubsequences: false
        )
        return parts.count > 1 && parts[0] == "trilateral" ? String(parts[1]) : nil
    }

    private static let diagnosticsSuffix = "_diagnostics"
    private static let zoneInfix = "_zone_"
    private static let ruleInfix = "_rule_"

    func name(of device: DeviceName) -> String {
        switch device {
        case .own: "trilateral_\(node)"
        case .diagnostics: "trilateral_\(node)_\(Self.diagnosticsSuffix)"
        case .zone(let slug): "trilateral_\(node)_\(Self.zoneInfix)\(slug)"
        case .rule(let slug): "trilateral_\(node)_\(Self.ruleInfix)\(slug)"
        case .thing(let slug): "trilateral_\(node)_\(slug)"
        }
    }

    /// The device's identifier in Home Assistant's device registry.
    func identifier(of device: DeviceName) -> String {
        switch device {
        case .own, .diagnostics: "trilateral_\(installation)"
        case .zone(let slug): "trilateral_\(installation)_\(Self.zoneInfix)\(slug)"
        case .rule: "trilateral_\(installation)__rules"
        case .thing(let slug): "trilateral_\(installation)_\(slug)"
        }
    }

    /// The entity's permanent identifier in Home Assistant's entity registry.
    func uniqueID(of component: ComponentName, on device: DeviceName) -> String {
        switch device {
        case .own, .diagnostics, .zone: "\(installation)_\(component.key)"
        case .rule(let slug): "\(installation)_\(Self.ruleInfix)\(slug)_\(component.key)"
        case .thing(let slug): "\(installation)_\(slug)_\(component.key)"
        }
    }
}

/// Identifies a discovery payload.
///
/// The daemon's own device is announced in several payloads with the same device identifier, which Home
/// Assistant merges: no payload exceeds the size limit, and no entity moves between payloads when zones come
/// and go.
enum DeviceName: Sendable, Hashable {
    /// The daemon's own device: everyday entities.
    case own
    /// The daemon's own device: diagnostic entities.
    case diagnostics
    /// The daemon's own device: the entities of a zone, by its slug.
    case zone(String)
    /// A rule, by its slug: all rules are one device.
    case rule(String)
    /// A thing, by its slug.
    case thing(String)

    /// Whether it is part of the daemon's own device.
    var isOwn: Bool {
        switch self {
        case .own, .diagnostics, .zone: true
        case .rule, .thing: false
        }
    }
}
