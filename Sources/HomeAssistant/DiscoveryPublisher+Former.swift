import Controller
import Flare
import JSON
import Messages

/// Removals that take several messages or that Home Assistant missed, and what is remembered of them.
extension DiscoveryPublisher {
    /// A step that completes the removal of components or of a device.
    struct Cleanup: Sendable {
        enum Action: Sendable {
            /// Publish a payload, which completes the removals of components of a device.
            case publish(Announcement, completes: DeviceName?)
            /// Publish the payload of a device that came back once more.
            case announceAgain(Announcement)
            case remove(DeviceName)
            /// Of a node that is gone.
            case removeDeparted
        }

        let at: Int64
        let topic: String
        let action: Action

        var isRemoval: Bool {
            switch action {
            case .remove, .removeDeparted: true
            case .publish, .announceAgain: false
            }
        }

        var isRepetition: Bool { if case .announceAgain = action { true } else { false } }
    }

    /// How long after its return a device is announced again, milliseconds.
    ///
    /// When Home Assistant removes a device, it empties the device's topics itself, once for each entity that is switched
    /// off, up to some seconds later. A device that came back meanwhile would be gone until the next birth; and the first
    /// repetition may meet what Home Assistant empties because of that.
    /// - Source: Home Assistant 2026.2.3, `mqtt/entity.py`, `async_clear_discovery_topic_if_entity_removed`.
    static let repetitionTimes: [Int64] = [6000, 20_000]

    /// When a device is to be announced again; call it before the device is recorded.
    func repetitions(of name: DeviceName, at now: Int64) -> [Int64] {
        if held[name] == nil, isOnline != false, former.contains(name) {
            return Self.repetitionTimes.map { now + $0 }
        }
        let topic = configuration.topic(of: name)
        return cleanups.filter { $0.topic == topic && $0.isRepetition }.map(\.at)
    }

    mutating func perform(_ cleanup: Cleanup) -> Announcement {
        switch cleanup.action {
        case .remove(let name): return remove(name)
        case .removeDeparted: return removeDeparted(cleanup.topic)
        case .announceAgain(let announcement): return announcement
        case .publish(let announcement, let name):
            if let name {
                let gone = leaving.removeValue(forKey: name) ?? []
                // Home Assistant was there to see it.
                if isOnline == true { former.recordSeen(gone, of: name) }
                remember(name)
                if let thing = deferred.removeValue(forKey: name) { waiting.put(thing) }
            }
            return announcement
        }
    }

    /// Forgets which components came back: at its birth Home Assistant has what the broker retained.
    ///
    /// They propose an entity id again, for a Home Assistant that will be installed anew.
    /// - Parameter unsent: Topics whose payloads have not been published.
    mutating func settle(unless unsent: Set<String>) {
        for (name, device) in held where !unsent.contains(configuration.topic(of: name)) {
            former.forget(Self.names(device.components), of: name)
        }
    }

    /// Announces devices again whose removal Home Assistant may have missed, to remove them.
    mutating func repeatRemovals(_ state: ControllerState, at now: Int64) {
        repeatDepartedRemovals(at: now)
        for name in former.unseen where held[name] == nil && !isWaiting(name) {
            let topic = configuration.topic(of: name)
            let components = former.unseen(on: name)
            let block: JSONObject =
                switch name {
                case .thing(let slug): ["name": .string(slug)]
                case .rule:
                    RuleDiscovery.block(
                        of: OwnDevice.label(named: state.device?.name, configuration),
                        configuration
                    )
                case .own, .diagnostics, .zone: OwnDevice.block(named: state.device?.name, configuration)
                }
            let payloads = DeviceAnnouncement.restored(of: name, device: block, components, configuration)
            let list = components.map(\.text).joined(separator: " ")
            ready.removeAll { $0.topic == topic }
            cleanups.removeAll { $0.topic == topic }
            removed.remove(topic)
            hold(RetainedDevice(components: list), as: name)
            let messages = payloads.map { Announcement(topic: topic, payload: $0.bytes, components: list) }
            ready.append(messages[0])
            let steps = messages.dropFirst().map { Cleanup.Action.publish($0, completes: nil) }
            for (index, action) in (steps + [.remove(name)]).enumerated() {
                cleanups.append(
                    Cleanup(at: now + Int64(index + 1) * Self.removalTime, topic: topic, action: action)
                )
            }
        }
    }

    // MARK: Memory

    /// Records what is announced on the topic of a device.
    mutating func hold(_ device: RetainedDevice, as name: DeviceName) {
        if isForeign, held[name] == nil, !earlier.contains(name) { foreign.insert(name) }
        held[name] = device
        remember(name)
    }

    /// Remembers what is known of a device, if it differs from what was remembered last.
    mutating func remember(_ name: DeviceName) {
        let topic = configuration.topic(of: name)
        guard let text = memory(of: topic), record(text, of: topic) else { return }
        announced[topic] = text
    }

    /// Records what is remembered of a topic.
    ///
    /// - Returns: Whether that is new.
    @discardableResult
    mutating func record(_ text: String?, of topic: String) -> Bool {
        let (hash, old) = (text?.hashValue, remembered[topic.hashValue])
        guard hash != old else { return false }
        remembered[topic.hashValue] = hash
        return true
    }

    /// What is to be remembered of a topic; `nil` for nothing.
    package func memory(of topic: String) -> String? {
        guard let name = configuration.device(ofTopic: topic) else { return departed[topic]?.text }
        let text = [held[name]?.text, former.text(of: name)].compactMap(\.self).filter { !$0.isEmpty }
        guard !text.isEmpty else { return nil }
        let mark = configuration.publishesPlace ? [] : [RetainedDevice.mark(configuration.installation)]
        return (text + mark).joined(separator: " ")
    }

    /// Whether a device is announced on the topic.
    package func announces(_ topic: String) -> Bool {
        configuration.device(ofTopic: topic).map { held[$0] != nil } ?? false
    }

    /// The name of the device that is announced on the topic, if it is one.
    package func deviceName(on topic: String) -> String? {
        guard let name = configuration.device(ofTopic: topic), let device = held[name] else { return nil }
        switch device.content {
        case .thing(let thing)?: return thing.thing.name.isEmpty ? thing.slug : thing.thing.name
        case .zone(let zone)?: return zone.name
        case .rule(let rule)?: return rule.title
        case .own?, nil: return configuration.node
        }
    }

    // MARK: Refusals

    /// Records that the broker refused a message.
    ///
    /// - Returns: Whether it removed a device; ``repeatRefusedRemovals()`` sends it again.
    package mutating func recordRefusal(of topic: String) -> Bool {
        if removed.remove(topic) != nil { refusedRemovals.insert(topic) }
        return refusedRemovals.contains(topic)
    }

    /// Queues the refused removals again.
    package mutating func repeatRefusedRemovals() {
        let topics = refusedRemovals.sorted()
        refusedRemovals.removeAll()
        ready += topics.map { removal(topic: $0) }
    }

    // MARK: Devices of others

    /// The topics of all devices, as a filter.
    package var deviceTopics: String { configuration.deviceTopics }

    /// The topic that says whether this node is online.
    package var status: String { configuration.topics.status }

    /// Whether it is the topic of a device of our node.
    package func isDevice(_ topic: String) -> Bool { configuration.device(ofTopic: topic) != nil }

    /// Whether a device is announced on the topic, or soon will be.
    package func expects(_ topic: String) -> Bool {
        guard let name = configuration.device(ofTopic: topic) else { return false }
        return held[name] != nil || isWaiting(name)
    }

    /// Removes devices that another daemon with our node announced, of all these topics.
    package mutating func remove(_ topics: [String]) -> [Announcement] {
        topics.filter { isDevice($0) && !expects($0) }.map { removal(topic: $0) }
    }
}
