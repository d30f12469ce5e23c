import JSON
import Messages

/// The announcements of further nodes that were removed: Home Assistant may have missed the removal, and a node that is
/// listed again keeps its entity ids.
extension DiscoveryPublisher {
    /// Most topics of nodes that are gone.
    static let mostDeparted = 1000

    /// What is remembered of all topics of the node, by topic: for ``adopt(_:isCleared:)`` after the node was removed.
    package var memories: [String: String] {
        Dictionary(
            former.names.map { configuration.topic(of: $0) }.compactMap { topic in
                memory(of: topic).map { (topic, $0) }
            }
        ) { first, _ in first }
    }

    /// Takes over the announcements of a node that was removed.
    ///
    /// - Parameters:
    ///   - memories: What is remembered of its topics.
    ///   - isCleared: Whether the broker has its removals; else they follow.
    package mutating func adopt(_ memories: [String: String], isCleared: Bool) {
        for (topic, text) in memories {
            guard var device = DepartedDevice(text) else { continue }
            if !isCleared { device.recordUnseen() }
            departed[topic] = device
            guard !isCleared else { continue }
            strays.append(topic)
            // A later run reads that it is still announced.
            announced[topic] = device.announcedText
        }
        let surplus = departed.count - Self.mostDeparted
        guard surplus > 0 else { return }
        // What is still to be removed counts more.
        let order = departed.sorted { ($0.value.unseen.count, $0.key) < ($1.value.unseen.count, $1.key) }
        for (topic, _) in order.prefix(surplus) {
            departed[topic] = nil
            removed.insert(topic)
        }
    }

    /// The node is there again and looks after its devices itself.
    package mutating func release(_ node: String) {
        func isOfNode(_ topic: String) -> Bool { DiscoveryConfiguration.isTopic(topic, of: node) }
        departed = departed.filter { !isOfNode($0.key) }
        ready.removeAll { isOfNode($0.topic) }
        cleanups.removeAll { isOfNode($0.topic) }
        strays.removeAll(where: isOfNode)
        removed = removed.filter { !isOfNode($0) }
        announced = announced.filter { !isOfNode($0.key) }
    }

    /// Announces the devices again whose removal Home Assistant may have missed, and then removes them.
    mutating func repeatDepartedRemovals(at now: Int64) {
        for (topic, device) in departed.sorted(by: { $0.key < $1.key }) where !device.unseen.isEmpty {
            guard let name = DiscoveryConfiguration.device(ofAny: topic),
                let node = DiscoveryConfiguration.node(ofAny: topic)
            else { continue }
            var other = configuration
            (other.node, other.installation) = (node, device.installation)
            other.topics = configuration.topics.node(node)
            let block = OwnDevice.block(named: node, other)
            let payloads = DeviceAnnouncement.restored(of: name, device: block, device.unseen, other)
            let messages = payloads.map {
                Announcement(topic: topic, payload: $0.bytes, components: device.list)
            }
            ready.removeAll { $0.topic == topic }
            cleanups.removeAll { $0.topic == topic }
            removed.remove(topic)
            ready.append(messages[0])
            let steps = messages.dropFirst().map { Cleanup.Action.publish($0, completes: nil) }
            for (index, action) in (steps + [.removeDeparted]).enumerated() {
                cleanups.append(
                    Cleanup(at: now + Int64(index + 1) * Self.removalTime, topic: topic, action: action)
                )
            }
        }
    }

    /// Removes a device of a removed node; Home Assistant sees it.
    mutating func removeDeparted(_ topic: String) -> Announcement {
        if isOnline == true { departed[topic]?.recordSeen() }
        return removal(topic: topic)
    }
}

/// What a removed further node had announced on a topic.
struct DepartedDevice: Sendable, Hashable {
    /// With which its ids begin.
    let installation: String
    /// Whether Home Assistant saw its components go.
    private(set) var components: FormerComponents.Components

    /// - Parameter text: What is remembered of the topic; `nil` for one that names no further node.
    init?(_ text: String) {
        guard let installation = RetainedDevice.installation(text) else { return nil }
        let (known, former) = RetainedDevice.read(text)
        self.installation = installation
        components = former
        for name in DiscoveryPublisher.names(known?.components ?? "") { components[name] = false }
        if components.isEmpty { return nil }
    }

    /// Those whose removal Home Assistant may have missed.
    var unseen: [ComponentName] {
        components.filter { !$0.value }.keys.sorted { $0.text < $1.text }
    }

    var list: String { unseen.map(\.text).joined(separator: " ") }

    mutating func recordSeen() { components = components.mapValues { _ in true } }
    mutating func recordUnseen() { components = components.mapValues { _ in false } }

    /// What is remembered of it, as of a device that is gone.
    var text: String {
        "\(FormerComponents.text(of: components)) \(RetainedDevice.mark(installation))"
    }

    /// The same, as of a device that is still announced.
    var announcedText: String { "\(list) \(RetainedDevice.mark(installation))" }
}
