import Controller
import Flare

/// Rendering of payloads, and of the components removed from them.
extension DiscoveryPublisher {
    mutating func render(_ thing: ThingDiscovery, isBirth: Bool = false, at now: Int64) -> Announcement? {
        let name = DeviceName.thing(thing.slug)
        guard let device = thing.announcement(configuration) else {
            return held[name] == nil ? nil : remove(name)
        }
        warnings.record(device.leftOut, of: "the thing \(thing.slug)")
        let meaning = thing.meaning(configuration)
        return record(device, name, content: .thing(thing), meaning: meaning, isBirth: isBirth, at: now)
    }

    /// A payload of the daemon's own device.
    struct OwnMessage {
        let announcement: Announcement
        /// Whether it must be published before the new values.
        let isUrgent: Bool
    }

    /// The payloads of the daemon's own device that changed, or all of them.
    ///
    /// - Parameter isComplete: Whether the place is known; otherwise zones are neither announced nor removed.
    mutating func own(
        _ state: ControllerState,
        isForced: Bool = false,
        isComplete: Bool = true,
        isBirth: Bool = false,
        at now: Int64
    ) -> [OwnMessage] {
        isOwnStale = false
        announcedName = state.device?.name ?? ""
        nearbyKind =
            kindNearby(state) ?? nearbyKind
            ?? LightKind.together(
                state.things.values.lazy.compactMap { LightKind(of: $0, kind: state.kind(of: $0)) }
            )
        let device = OwnDevice(
            state: state,
            configuration: configuration,
            nearbyKind: nearbyKind ?? .full,
            links: links
        )
        let parts = [DeviceName.own, .diagnostics].map { ($0, device.announcement(of: $0)) }
        let zones = isComplete ? ZoneDiscovery.all(in: state, configuration) : []
        let before = Set(Self.names(held[.own]?.components ?? ""))
        let others = Set(parts[1].1.components + zones.flatMap(\.components))
        let moved = before.intersection(others).subtracting(parts[0].1.components)
        var messages: [OwnMessage] = []

        func comesFirst(_ name: DeviceName, _ meaning: UInt64) -> Bool {
            guard let known = held[name] else { return false }
            if let last = known.meaning, last != meaning { return true }
            return !isForced && messages.count < Self.mostAtOnce
        }
        for (name, announcement) in parts {
            var hasher = Hasher()
            hasher.combine(announcement.payload)
            let hash = hasher.finalize()
            if !isForced, case .own(hash)? = held[name]?.content { continue }
            warnings.record(announcement.leftOut, of: "the daemon's own device")
            let isUrgent = comesFirst(name, announcement.meaning)
            let message = record(
                announcement,
                name,
                content: .own(hash),
                meaning: announcement.meaning,
                isComplete: isComplete,
                isBirth: isBirth,
                moved: moved,
                at: now
            )
            if let message { messages.append(OwnMessage(announcement: message, isUrgent: isUrgent)) }
        }
        guard isComplete else { return messages }
        let slugs = Set(zones.map(\.slug))
        for case .zone(let slug) in held.keys where !slugs.contains(slug) {
            messages.append(OwnMessage(announcement: remove(.zone(slug)), isUrgent: true))
        }
        for zone in zones where isForced || held[.zone(zone.slug)]?.zone != zone {
            let name = DeviceName.zone(zone.slug)
            let announcement = zone.announcement(configuration)
            let isUrgent = comesFirst(name, announcement.meaning)
            let message = record(
                announcement,
                name,
                content: .zone(zone),
                meaning: announcement.meaning,
                isBirth: isBirth,
                moved: moved,
                at: now
            )
            if let message { messages.append(OwnMessage(announcement: message, isUrgent: isUrgent)) }
        }
        return messages
    }

    /// Records a payload, and names its removed components once more.
    ///
    /// - Parameter moved: Components that an earlier version announced in the main payload and that are now
    ///   in another one; they are announced there after Home Assistant has removed them.
    /// - Returns: `nil` for a payload that must wait for this.
    private mutating func record(
        _ device: DeviceAnnouncement,
        _ name: DeviceName,
        content: RetainedDevice.Content,
        meaning: UInt64,
        isComplete: Bool = true,
        isBirth: Bool,
        moved: Set<ComponentName> = [],
        at now: Int64
    ) -> Announcement? {
        let topic = configuration.topic(of: name)
        let missing = Self.names(held[name]?.components ?? "").filter { !device.components.contains($0) }
        let lost = missing.filter { !moved.contains($0) }
        // Removals that Home Assistant does not receive have to be repeated; unknown components cannot be
        // removed.
        let isReceived = isOnline != false || isBirth
        let isFinal = isComplete && isReceived
        let names = isFinal ? device.components : device.components + lost
        let list = lists.insert(names.map(\.text).joined(separator: " ")).memberAfterInsert
        cleanups.removeAll { $0.announcement.topic == topic }
        ready.removeAll { $0.topic == topic }
        unseenRemovals[name] = nil
        let now = (start: now, isWaiting: isReceived && name != .own && held[name] == nil)
        let known = RetainedDevice(components: list, meaning: meaning, content: content)
        // The state remembered from an earlier run is equivalent.
        if held[name]?.text != known.text || removed.contains(topic) { announced[topic] = known.text }
        held[name] = known
        removed.remove(topic)
        refusedRemovals.remove(topic)
        func message(_ payload: JSONValue) -> Announcement {
            Announcement(topic: topic, payload: payload.bytes, components: list)
        }
        if now.isWaiting, !moved.isDisjoint(with: device.components) {
            cleanups.append((now.start + (isBirth ? 2 : 1) * Self.removalTime, message(device.payload)))
            return nil
        }
        let going = isFinal ? missing : isReceived ? missing.filter { moved.contains($0) } : []
        guard !going.isEmpty else { return message(device.payload) }
        var steps = [device.removing(going), device.payload]
        if isBirth, !lost.isEmpty { steps.insert(device.restoring(lost, of: name, configuration), at: 0) }
        for (index, payload) in steps.enumerated().dropFirst() {
            cleanups.append((now.start + Int64(index) * Self.removalTime, message(payload)))
        }
        return message(steps[0])
    }

    static func names(_ list: String) -> [ComponentName] {
        list.split(separator: " ").compactMap { ComponentName(text: $0) }
    }

    mutating func remove(_ name: DeviceName) -> Announcement {
        let topic = configuration.topic(of: name)
        let components = held.removeValue(forKey: name)?.components
        cleanups.removeAll { $0.announcement.topic == topic }
        ready.removeAll { $0.topic == topic }
        guard isOnline == false, let components else { return removal(topic: topic) }
        unseenRemovals[name] = components
        announced[topic] = Self.removedMark + components
        return Announcement(topic: topic, payload: [], components: nil)
    }

    mutating func removal(topic: String) -> Announcement {
        announced[topic] = nil
        removed.insert(topic)
        return Announcement(topic: topic, payload: [], components: nil)
    }
}
