import Controller
import Flare
import JSON

/// Rendering of payloads, and of the components removed from them.
extension DiscoveryPublisher {
    mutating func render(_ thing: ThingDiscovery, isBirth: Bool = false, at now: Int64) -> Announcement? {
        let name = DeviceName.thing(thing.slug)
        guard let device = thing.announcement(configuration, former: former.names(on: name)) else {
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
        // The things are another node's to look at, so one that does not publish them shows a light that can be any.
        nearbyKind =
            configuration.publishesPlace
            ? LightKind.together(state.things.values.lazy.compactMap { LightKind(state.shape(of: $0)) })
                ?? nearbyKind
            : .full
        displays = Self.displays(state)
        let device = OwnDevice(
            state: state,
            configuration: configuration,
            nearbyKind: nearbyKind ?? .full,
            sensorKinds: sensorKinds(state),
            links: links
        )
        let formerNames = former.names(on: .own)
        let parts = [DeviceName.own, .diagnostics].map {
            ($0, device.announcement(of: $0, former: formerNames))
        }
        let zones =
            isComplete && configuration.publishesPlace ? ZoneDiscovery.all(in: state, configuration) : []
        let before = Set(Self.names(held[.own]?.components ?? ""))
        let others = Set(parts[1].1.components + zones.flatMap(\.components))
        let moved = before.intersection(others).subtracting(parts[0].1.components)
        var messages: [OwnMessage] = []

        func comesFirst(_ name: DeviceName, _ meaning: UInt64) -> Bool {
            guard let known = held[name] else { return false }
            if let last = known.meaning, last != meaning { return true }
            return !isForced && messages.count < Self.mostAtOnce
        }
        func add(_ announcement: DeviceAnnouncement, _ name: DeviceName, _ content: RetainedDevice.Content) {
            let isUrgent = comesFirst(name, announcement.meaning)
            let message = record(
                announcement,
                name,
                content: content,
                meaning: announcement.meaning,
                isComplete: isComplete,
                isBirth: isBirth,
                moved: moved,
                at: now
            )
            if let message { messages.append(OwnMessage(announcement: message, isUrgent: isUrgent)) }
        }
        for (name, announcement) in parts {
            var hasher = Hasher()
            hasher.combine(announcement.payload)
            let hash = hasher.finalize()
            if !isForced, case .own(hash)? = held[name]?.content { continue }
            warnings.record(announcement.leftOut, of: "the daemon's own device")
            add(announcement, name, .own(hash))
        }
        guard isComplete else { return messages }
        let slugs = Set(zones.map(\.slug))
        for case .zone(let slug) in held.keys where !slugs.contains(slug) {
            messages.append(OwnMessage(announcement: remove(.zone(slug)), isUrgent: true))
        }
        for zone in zones where isForced || held[.zone(zone.slug)]?.zone != zone {
            add(zone.announcement(configuration, former: formerNames), .zone(zone.slug), .zone(zone))
        }
        return messages
    }

    /// Records a payload, and names its removed components once more.
    ///
    /// - Parameter moved: Components that an earlier version announced in the main payload and that are now
    ///   in another one; they are announced there after Home Assistant has removed them.
    /// - Returns: `nil` for a payload that must wait for this.
    mutating func record(
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
        let present = Set(device.components)
        let missing = Self.names(held[name]?.components ?? "").filter { !present.contains($0) }
        let lost = missing.filter { !moved.contains($0) }
        let isReceived = isOnline != false || isBirth
        // While the place is unknown, what is missing is not known to be gone.
        let names = isComplete ? device.components : device.components + lost
        if lists.count >= Self.mostLists { lists.removeAll() }
        let list = lists.insert(names.map(\.text).joined(separator: " ")).memberAfterInsert
        let isNew = held[name] == nil
        let repetitions = repetitions(of: name, at: now)
        former.recordSeen(device.components, of: name)
        let unseen = isBirth ? former.unseen(on: name) : []
        let going = Self.unique(
            (isComplete ? missing : missing.filter(moved.contains)) + unseen + (leaving[name] ?? [])
        )
        .filter { !present.contains($0) }
        let removals = device.removing(going)
        // What is named only later has not been seen yet.
        if isComplete { former.record(lost, of: name, isSeen: isOnline == true && removals.count == 1) }
        cleanups.removeAll { $0.topic == topic }
        ready.removeAll { $0.topic == topic }
        leaving[name] = nil
        hold(RetainedDevice(components: list, meaning: meaning, content: content), as: name)
        removed.remove(topic)
        refusedRemovals.remove(topic)
        func message(_ payload: JSONValue) -> Announcement {
            Announcement(topic: topic, payload: payload.bytes, components: list)
        }
        func later(_ payload: JSONValue, after steps: Int, isLast: Bool) {
            cleanups.append(
                Cleanup(
                    at: now + Int64(steps) * Self.removalTime,
                    topic: topic,
                    action: .publish(message(payload), completes: isLast ? name : nil)
                )
            )
        }
        cleanups += repetitions.map {
            Cleanup(at: $0, topic: topic, action: .announceAgain(message(device.payload)))
        }
        if isReceived, isNew, name != .own, !moved.isDisjoint(with: device.components) {
            later(device.payload, after: isBirth ? 2 : 1, isLast: false)
            return nil
        }
        guard isReceived, !going.isEmpty else { return message(device.payload) }
        leaving[name] = going
        let restored = unseen.isEmpty ? [] : device.restoring(unseen, of: name, configuration)
        let steps = restored + removals + [device.payload]
        for (index, payload) in steps.enumerated().dropFirst() {
            later(payload, after: index, isLast: index == steps.count - 1)
        }
        return message(steps[0])
    }

    static func names(_ list: String) -> [ComponentName] {
        list.split(separator: " ").compactMap { ComponentName(text: $0) }
    }

    private static func unique(_ names: [ComponentName]) -> [ComponentName] {
        var known: Set<ComponentName> = []
        return names.filter { known.insert($0).inserted }
    }

    mutating func remove(_ name: DeviceName) -> Announcement {
        let topic = configuration.topic(of: name)
        cleanups.removeAll { $0.topic == topic }
        ready.removeAll { $0.topic == topic }
        (leaving[name], deferred[name]) = (nil, nil)
        if let device = held.removeValue(forKey: name), !foreign.contains(name) {
            former.record(Self.names(device.components), of: name, isSeen: isOnline == true)
        }
        return removal(topic: topic)
    }

    mutating func removal(topic: String) -> Announcement {
        // What was remembered of it before stays until the broker has the removal.
        if announced.removeValue(forKey: topic) != nil { record(nil, of: topic) }
        removed.insert(topic)
        return Announcement(topic: topic, payload: [], components: nil)
    }
}
