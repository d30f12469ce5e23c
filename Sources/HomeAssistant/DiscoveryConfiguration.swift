package import Messages

/// How this installation shows itself to Home Assistant.
package struct DiscoveryConfiguration: Sendable, Hashable {
    /// What a user may decide.
    package var settings = DiscoverySettings()
    /// This device's level of the topics, `[a-z0-9-]`.
    package var node: String
    /// Stays the same for this installation, whatever it is called: what every `unique_id` begins with.
    package var installation: String
    package var topics: Topics
    package var version = ""
    /// Whether the device's place on the earth is published.
    package var hasLocation = false
    /// Whether the picture of the map is published.
    package var hasMap = false
    /// Where the Flare server answers, as far as that is known.
    package var flareURL = ""
    /// How often health is told, seconds.
    package var healthSeconds = 60

    package init(node: String, installation: String, topics: Topics) {
        self.node = node
        self.installation = installation
        self.topics = topics
    }

    /// What a browser elsewhere can open; `nil` for what only this machine can reach, and for what holds a password.
    var pageURL: String? {
        guard flareURL.hasPrefix("http://") || flareURL.hasPrefix("https://"), flareURL.utf8.count <= 200,
            let start = flareURL.firstRange(of: "://")?.upperBound
        else { return nil }
        let authority = flareURL[start...].prefix { $0 != "/" && $0 != "?" && $0 != "#" }
        let host =
            authority.hasPrefix("[")
            ? authority.prefix { $0 != "]" }.dropFirst() : authority.prefix { $0 != ":" }
        let isLocal =
            host.isEmpty || host == "::1" || host.hasPrefix("127.") || host.lowercased() == "localhost"
        return isLocal || authority.contains("@") ? nil : flareURL
    }

    /// Where Home Assistant says that it is there.
    package var birthTopic: String { "\(settings.prefix)/status" }

    /// The topic of a device: of a thing, or of the daemon itself.
    ///
    /// Slugs have no underscore, so no two nodes, things and zones come to the same name.
    func topic(of device: DeviceName) -> String { "\(settings.prefix)/device/\(name(of: device))/config" }

    /// The device that a topic of ours belongs to; `nil` for a topic of another prefix or node.
    func device(ofTopic topic: String) -> DeviceName? {
        if topic == self.topic(of: .own) { return .own }
        let start = "\(settings.prefix)/device/trilateral_\(node)_"
        guard topic.hasPrefix(start), topic.hasSuffix("/config") else { return nil }
        let rest = String(topic.dropFirst(start.count).dropLast("/config".count))
        if rest == Self.diagnosticsMark { return .diagnostics }
        return rest.hasPrefix(Self.zoneMark)
            ? .zone(String(rest.dropFirst(Self.zoneMark.count))) : .thing(rest)
    }

    private static let diagnosticsMark = "_diagnostics"
    private static let zoneMark = "_zone_"

    private func name(of device: DeviceName) -> String {
        switch device {
        case .own: "trilateral_\(node)"
        case .diagnostics: "trilateral_\(node)_\(Self.diagnosticsMark)"
        case .zone(let slug): "trilateral_\(node)_\(Self.zoneMark)\(slug)"
        case .thing(let slug): "trilateral_\(node)_\(slug)"
        }
    }

    /// What Home Assistant's device registry knows a device by.
    func identifier(of device: DeviceName) -> String {
        switch device {
        case .own, .diagnostics, .zone: "trilateral_\(installation)"
        case .thing(let slug): "trilateral_\(installation)_\(slug)"
        }
    }

    /// What Home Assistant's entity registry knows an entity by, for ever.
    func uniqueID(of component: ComponentName, on device: DeviceName) -> String {
        switch device {
        case .own, .diagnostics, .zone: "\(installation)_\(component.key)"
        case .thing(let slug): "\(installation)_\(slug)_\(component.key)"
        }
    }

    /// The entity id that is proposed for a new entity.
    func entityID(of component: ComponentName, on device: DeviceName) -> String {
        let parts =
            [name(of: device.isOwn ? .own : device)] + (component.name.isEmpty ? [] : [component.name])
        let id = parts.joined(separator: "_").map { $0 == "-" ? "_" : $0 }
        return "\(component.platform.rawValue).\(String(id))"
    }
}

/// A payload of discovery, by what it announces.
///
/// The daemon's own device is announced in several payloads with the same device identifier, which Home Assistant
/// merges: no payload outgrows the size limit, and no entity wanders between payloads when zones come and go.
enum DeviceName: Sendable, Hashable {
    /// The daemon's own device: what is used every day.
    case own
    /// The daemon's own device: figures for whoever looks after it.
    case diagnostics
    /// The daemon's own device: what belongs to a zone, by its short name.
    case zone(String)
    /// A thing, by its short name.
    case thing(String)

    /// Whether it is a part of the daemon's own device.
    var isOwn: Bool { if case .thing = self { false } else { true } }
}
