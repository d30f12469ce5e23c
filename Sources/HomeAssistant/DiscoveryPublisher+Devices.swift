import Controller
import Flare

/// One payload after the other: what it holds, and what of it has gone.
extension DiscoveryPublisher {
    mutating func render(_ card: ThingDiscovery, isBirth: Bool = false, at now: Int64) -> Announcement? {
        let name = DeviceName.thing(card.slug)
        guard let device = card.announcement(configuration) else {
            return held[name] == nil ? nil : remove(name)
        }
        remarks.note(device.leftOut, of: "the thing \(card.slug)")
        return hold(device, name, told: .thing(card), meaning: card.meaning, isBirth: isBirth, at: now)
    }

    /// A payload of the daemon's own device.
    struct OwnMessage {
        let announcement: Announcement
        /// Whether it has to be told before the new values are.
        let isUrgent: Bool
    }

    /// The payloads of the daemon's own device that have changed, or all of them.
    ///
    /// - Parameter isComplete: Whether the place is known; without it zones are neither told nor taken away.
    mutating func own(
        _ state: ControllerState,
        isForced: Bool = false,
        isComplete: Bool = true,
        isBirth: Bool = false,
        at now: Int64
    ) -> [OwnMessage] {
        isOwnStale = false
        toldName = state.device?.name ?? ""
        nearbyKind =
            kindNearby(state) ?? nearbyKind
            ?? LightKind.together(state.things.values.lazy.compactMap { LightKind(data: $0.data) })
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
            guard let told = held[name] else { return false }
            if let last = told.meaning, last != meaning { return true }
            return !isForced && messages.count < Self.mostAtOnce
        }
        for (name, announcement) in parts {
            var hasher = Hasher()
            hasher.combine(announcement.payload)
            let hash = hasher.finalize()
            if !isForced, case .own(hash)? = held[name]?.told { continue }
            remarks.note(announcement.leftOut, of: "the daemon's own device")
            let isUrgent = comesFirst(name, announcement.meaning)
            let message = hold(
                announcement,
                name,
                told: .own(hash),
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
            let message = hold(
                announcement,
                name,
                told: .zone(zone),
                meaning: announcement.meaning,
                isBirth: isBirth,
                moved: moved,
                at: now
            )
            if let message { messages.append(OwnMessage(announcement: message, isUrgent: isUrgent)) }
        }
        return messages
    }

    /// Notes what is told of a device, and names the components that are gone once more.
    ///
    /// - Parameter moved: Components that an earlier version told in the main payload and that are in another one now:
    ///   they are announced there once Home Assistant has let go of them.
    /// - Returns: `nil` for what has to wait for that.
    private mutating func hold(
        _ device: DeviceAnnouncement,
        _ name: DeviceName,
        told: RetainedDevice.Told,
        meaning: UInt64,
        isComplete: Bool = true,
        isBirth: Bool,
        moved: Set<ComponentName> = [],
        at now: Int64
    ) -> Announcement? {
        let topic = configuration.topic(of: name)
        let missing = Self.names(held[name]?.components ?? "").filter { !device.components.contains($0) }
        let lost = missing.filter { !moved.contains($0) }
        // What nobody hears go is not gone for him; what is not known cannot be gone.
        let isHearing = isHeard != false || isBirth
        let isFinal = isComplete && isHearing
        let names = isFinal ? device.components : device.components + lost
        let list = lists.insert(names.map(\.text).joined(separator: " ")).memberAfterInsert
        cleanups.removeAll { $0.announcement.topic == topic }
        ready.removeAll { $0.topic == topic }
        graves[name] = nil
        let now = (start: now, isWaiting: isHearing && name != .own && held[name] == nil)
        let told = RetainedDevice(components: list, meaning: meaning, told: told)
        // What an earlier run has remembered is as good.
        if held[name]?.text != told.text || gone.contains(topic) { news[topic] = told.text }
        held[name] = told
        gone.remove(topic)
        func message(_ payload: JSONValue) -> Announcement {
            Announcement(topic: topic, payload: payload.bytes, components: list)
        }
        if now.isWaiting, !moved.isDisjoint(with: device.components) {
            cleanups.append((now.start + (isBirth ? 2 : 1) * Self.removalTime, message(device.payload)))
            return nil
        }
        let going = isFinal ? missing : isHearing ? missing.filter { moved.contains($0) } : []
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
        guard isHeard == false, let components else { return removal(topic: topic) }
        graves[name] = components
        news[topic] = Self.graveMark + components
        return Announcement(topic: topic, payload: [], components: nil)
    }

    mutating func removal(topic: String) -> Announcement {
        news[topic] = nil
        gone.insert(topic)
        return Announcement(topic: topic, payload: [], components: nil)
    }
}
