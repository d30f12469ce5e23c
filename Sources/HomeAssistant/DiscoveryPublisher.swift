package import Controller
import Flare

/// Decides what to announce to Home Assistant, and when.
///
/// Changes of an announced device are published before its new values, so that these are interpreted
/// correctly. Removals are published before the removed topics are cleared. New devices, and everything after
/// a connect or Home Assistant's birth message, are published gradually, after their availability.
package struct DiscoveryPublisher: Sendable {
    /// Most changed devices that are announced at once; further ones wait.
    static let mostAtOnce = 32
    /// Most devices, changed since they were last announced, that are announced first after a connect.
    private static let mostAtConnect = 200
    /// Time for Home Assistant to remove components before they are omitted, milliseconds.
    static let removalTime: Int64 = 2000
    /// Most lists of components that are shared.
    static let mostLists = 256

    package internal(set) var configuration: DiscoveryConfiguration
    var held: [DeviceName: RetainedDevice] = [:]
    /// Topics of another prefix or node that an earlier run left behind.
    var strays: [String] = []
    /// Shares equal lists of components.
    var lists: Set<String> = []

    /// Messages to publish before those that wait.
    var ready: [Announcement] = []
    var waiting = DiscoveryQueue<ThingDiscovery>()
    var waitingRules = DiscoveryQueue<RuleDiscovery>()
    /// Whether the rules are known: until then, what earlier runs have announced of them stays.
    var areRulesKnown = false
    /// The name of the daemon's own device with which the rules were queued last.
    var rulesOwner = ""
    /// Changed things whose last change is not complete: each change would put its completion off.
    var deferred: [DeviceName: ThingDiscovery] = [:]
    /// What completes removals of components and devices.
    var cleanups: [Cleanup] = []
    /// Components whose removal is not complete.
    var leaving: [DeviceName: [ComponentName]] = [:]
    /// The components that were removed once.
    var former = FormerComponents()
    /// The announcements of removed nodes, by topic.
    var departed: [String: DepartedDevice] = [:]
    /// Devices that this run announced over those of another daemon with the same node: Home Assistant does not know our
    /// identifiers of them.
    var foreign: Set<DeviceName> = []
    var isForeign = false
    /// The devices that earlier runs announced.
    let earlier: Set<DeviceName>
    /// Whether Home Assistant is online; `nil` while unknown.
    var isOnline: Bool?

    /// Whether everything was announced in this run; from then on changes are announced.
    private var isRunning = false
    /// Whether the contents of the place are still unknown.
    private var isAwaitingPlace = false
    /// Whether the daemon's own device was announced meanwhile.
    private var isOwnSent = false
    /// Whether the daemon's own device is to be announced although the place is still unknown.
    package var isOwnDue: Bool { isAwaitingPlace && (!isOwnSent || isOwnStale) }
    var isOwnStale = false
    var links: Set<String> = []
    /// The capabilities of all lights together.
    var nearbyKind: LightKind?
    /// The sensors that have shown themselves.
    var sensors: Set<SensorKind> = []
    var displays: Set<String> = []
    var announcedName = ""
    /// The object that the selection of things depended on last.
    private var lastChoice: FlareID?

    /// What is to be remembered, by topic.
    var announced: [String: String] = [:]
    /// Hashes of what was remembered last, by the hash of its topic: topics are long.
    var remembered: [Int: Int] = [:]
    var removed: Set<String> = []
    /// Removals that the broker refused.
    var refusedRemovals: Set<String> = []
    var warnings = DiscoveryWarnings()
    /// What other daemons announce.
    var others = OtherThings()

    /// - Parameter remembered: The topics that earlier runs announced, with their components.
    package init(_ configuration: DiscoveryConfiguration, remembered: [String: String]) {
        self.configuration = configuration
        self.remembered.reserveCapacity(remembered.count)
        var moved: [DeviceName] = []
        for (topic, text) in remembered.sorted(by: { $0.key < $1.key }) {
            let (known, components) = RetainedDevice.read(text)
            let own = configuration.device(ofTopic: topic)
            if own == nil, let device = DepartedDevice(text),
                device.installation != configuration.installation
            {
                departed[topic] = device
                if known != nil { strays.append(topic) }
                continue
            }
            if let device = own ?? DiscoveryConfiguration.device(ofAny: topic) {
                former.add(components, to: device)
                if own == nil {
                    // The same entities follow on another topic.
                    former.record(Self.names(known?.components ?? ""), of: device, isSeen: false)
                    moved.append(device)
                }
            }
            if let own {
                held[own] = known
            } else if known != nil {
                strays.append(topic)
            } else {
                removed.insert(topic)
            }
        }
        earlier = Set(held.keys)
        for (topic, text) in remembered { record(text, of: topic) }
        for device in moved { remember(device) }
    }

    // MARK: Announcing everything

    /// Announces everything, and removes what earlier runs left behind.
    ///
    /// While the place is unknown nothing is announced; a second call announces the daemon's own device
    /// without it.
    /// - Parameter isBirth: Whether Home Assistant just started; removals that it missed are repeated.
    /// - Returns: What to publish before the states: removals, and components whose values are read
    ///   differently now.
    package mutating func announceAll(
        _ state: ControllerState,
        isBirth: Bool = false,
        at now: Int64
    ) -> [Announcement] {
        let unsent = Set(ready.map(\.topic))
        ready = ready.filter(\.isRemoval) + strays.sorted().map { removal(topic: $0) }
        repeatRefusedRemovals()
        strays.removeAll()
        (waiting, waitingRules, deferred) = (DiscoveryQueue(), DiscoveryQueue(), [:])
        cleanups.removeAll { !$0.isRemoval }
        if isBirth { settle(unless: unsent) }
        guard configuration.settings.isEnabled else {
            ready += held.keys.map { remove($0) }
            return drainRemovals()
        }
        guard Self.isSettled(state) else {
            if isAwaitingPlace {
                ready += own(state, isForced: true, isComplete: false, at: now).map(\.announcement)
                isOwnSent = true
            }
            if isBirth { repeatRemovals(state, at: now) }
            isAwaitingPlace = true
            return drainRemovals()
        }
        isAwaitingPlace = false
        isRunning = true
        lastChoice = configuration.choice(in: state)
        let things = thingDiscoveries(state)
        waiting = DiscoveryQueue(things, areBorn: isBirth)
        for case .thing(let slug) in held.keys where waiting[slug] == nil {
            ready.append(remove(.thing(slug)))
        }
        queueRules(of: state, isBirth: isBirth)
        let own = own(state, isForced: true, isBirth: isBirth, at: now)
        guard !isBirth else {
            ready += own.map(\.announcement)
            repeatRemovals(state, at: now)
            return []
        }
        var urgent = drainRemovals()
        ready += own.filter { !$0.isUrgent }.map(\.announcement)
        urgent += own.filter(\.isUrgent).map(\.announcement)
        let changed = things.filter { thing in
            held[.thing(thing.slug)]?.meaning.map { $0 != thing.meaning(configuration) } ?? false
        }
        for thing in changed.prefix(Self.mostAtConnect) where waiting.remove(thing.slug) {
            if let message = render(thing, at: now) { urgent.append(message) }
        }
        return urgent
    }

    private mutating func drainRemovals() -> [Announcement] {
        defer { ready.removeAll(where: \.isRemoval) }
        return ready.filter(\.isRemoval)
    }

    /// Records whether Home Assistant is online, from its birth and will messages; `nil` after our connection
    /// was lost.
    package mutating func setOnline(_ isOnline: Bool?) {
        self.isOnline = isOnline
        if isOnline == nil { isOwnSent = false }
    }

    /// Sets whether another daemon with the same node announced its devices before this run did.
    package mutating func setForeign(_ isForeign: Bool) {
        self.isForeign = isForeign
        foreign = isForeign ? Set(held.keys).subtracting(earlier) : []
    }

    /// Removes everything: the topics or the broker are about to change.
    package mutating func withdrawAll() -> [Announcement] {
        isRunning = false
        isAwaitingPlace = false
        (ready, waiting, waitingRules, cleanups) = ([], DiscoveryQueue(), DiscoveryQueue(), [])
        defer { strays.removeAll() }
        return strays.sorted().map { removal(topic: $0) } + held.keys.map { remove($0) }
    }

    private func thingDiscoveries(_ state: ControllerState) -> [ThingDiscovery] {
        guard configuration.publishesPlace else { return [] }
        return state.things.values.filter { configuration.wants($0, in: state) }
            .compactMap { ThingDiscovery($0, in: state) }
            .sorted { $0.slug < $1.slug }
    }

    /// Whether all devices of this run are known.
    package var isSettled: Bool { isRunning || !configuration.settings.isEnabled }

    func isWaiting(_ name: DeviceName) -> Bool {
        switch name {
        case .thing(let slug): waiting[slug] != nil
        case .rule(let slug): waitingRules[slug] != nil
        case .own, .diagnostics, .zone: false
        }
    }

    private static func isSettled(_ state: ControllerState) -> Bool {
        state.isPlaceKnown || state.alerts["no-environment"] != nil
    }

    // MARK: Changes

    /// Announces what changed.
    /// - Returns: What to publish before the new values.
    package mutating func update(with snapshot: StateSnapshot, at now: Int64) -> [Announcement] {
        guard configuration.settings.isEnabled else { return [] }
        if isAwaitingPlace, Self.isSettled(snapshot.state) { return announceAll(snapshot.state, at: now) }
        guard isRunning else { return [] }
        return update(snapshot.changes, of: snapshot.state, at: now)
    }

    private mutating func update(_ changes: Set<StateChange>, of state: ControllerState, at now: Int64)
        -> [Announcement]
    {
        var urgent = updateRules(changes, of: state)
        for id in affectedThings(state, changes) {
            guard let slug = state.slugs[.thing, id] else { continue }
            if let thing = state.things[id], configuration.wants(thing, in: state) {
                update(thing, slug, of: state, &urgent, at: now)
            } else {
                let isHeld = held[.thing(slug)] != nil
                if waiting.remove(slug) || isHeld { isOwnStale = true }
                if isHeld { urgent.append(remove(.thing(slug))) }
            }
        }
        // Immediately, because the topics of removed things are about to be cleared.
        for case .object(let object) in changes where object.kind == .zone && state.zones[object.id] == nil {
            guard let slug = state.slugs[.zone, object.id], held[.zone(slug)] != nil else { continue }
            urgent.append(remove(.zone(slug)))
        }
        if affectsOwnDevice(state, changes) { isOwnStale = true }
        if isOwnStale, Self.isSettled(state) {
            for message in own(state, at: now) {
                if message.isUrgent {
                    urgent.append(message.announcement)
                } else {
                    ready.append(message.announcement)
                }
            }
        }
        return urgent
    }

    private mutating func update(
        _ thing: FlareThing,
        _ slug: String,
        of state: ControllerState,
        _ urgent: inout [Announcement],
        at now: Int64
    ) {
        let name = DeviceName.thing(slug)
        let device = held[name]
        let waits = waiting[slug]
        let known = deferred[name] ?? waits ?? device?.thing
        if known?.fits(thing, in: state) == true { return }
        guard let discovery = ThingDiscovery(thing, in: state) else { return }
        // The own device and the zones show lights only, and looking at all things costs too much for each new sensor.
        if known?.hasLight(of: discovery) != true { isOwnStale = true }
        if leaving[name] != nil, waits == nil {
            deferred[name] = discovery
        } else if device != nil, waits == nil, urgent.count < Self.mostAtOnce {
            if let message = render(discovery, at: now) { urgent.append(message) }
        } else {
            waiting.put(discovery)
        }
    }

    /// The things that may have to be announced again, added or removed.
    private mutating func affectedThings(_ state: ControllerState, _ changes: Set<StateChange>) -> [FlareID] {
        var affected: [FlareID] = []
        for case .object(let object) in changes {
            switch object.kind {
            case .thing: affected.append(object.id)
            case .zone: affected += state.things.values.filter { $0.zone == object.id }.map(\.id)
            case .environment, .device: break
            }
        }
        let choice = configuration.choice(in: state)
        if choice != lastChoice {
            let before = lastChoice
            lastChoice = choice
            isOwnStale = true
            if configuration.settings.things == .nearby {
                affected += [before, choice].compactMap { $0 }
            } else {
                affected += state.things.values.filter { $0.zone == before || $0.zone == choice }.map(\.id)
            }
        }
        return affected.count > 1 ? Set(affected).sorted() : affected
    }

    /// The displays that have entities.
    static func displays(_ state: ControllerState) -> Set<String> {
        state.lifecycle.displays.isEmpty && state.screens.isEmpty
            ? [] : state.lifecycle.attachedDisplays.union(state.screens.keys)
    }

    private func affectsOwnDevice(_ state: ControllerState, _ changes: Set<StateChange>) -> Bool {
        if let name = state.device?.name, name != announcedName { return true }
        if Self.displays(state) != displays || !seenSensors(state).isSubset(of: sensors) { return true }
        return changes.contains { change in
            if case .object(let object) = change {
                object.kind == .environment || object.kind == .zone
                    || object.kind == .thing && widensLights(object.id, of: state)
            } else {
                false
            }
        }
    }

    // MARK: Gradual announcing

    /// Whether messages or removals are pending.
    package var hasWork: Bool { !isComplete || !cleanups.isEmpty }

    /// How long nothing is due, milliseconds: 0 while messages are pending, else until the first removal or repetition.
    package func rest(at now: Int64) -> Int64 {
        guard isComplete, !hasRemoved, let first = cleanups.map(\.at).min() else { return 0 }
        return max(0, first - now)
    }

    /// Whether nothing is pending except the completion of removals.
    package var isComplete: Bool { ready.isEmpty && waiting.isEmpty && waitingRules.isEmpty }

    /// Removes and returns the next messages, at most `count`.
    package mutating func next(_ count: Int, at now: Int64) -> [Announcement] {
        var messages = Array(ready.prefix(count))
        ready.removeFirst(messages.count)
        while messages.count < count, let (thing, isBirth) = waiting.takeFirst() {
            if let message = render(thing, isBirth: isBirth, at: now) { messages.append(message) }
        }
        while messages.count < count, let (rule, isBirth) = waitingRules.takeFirst() {
            if let message = render(rule, isBirth: isBirth, at: now) { messages.append(message) }
        }
        while messages.count < count, let index = cleanups.firstIndex(where: { $0.at <= now }) {
            messages.append(perform(cleanups.remove(at: index)))
        }
        return messages
    }

    /// Returns messages that could not be published to the front.
    package mutating func putBack(_ messages: some Collection<Announcement>) {
        ready.insert(contentsOf: messages, at: 0)
    }

    // MARK: Memory for later runs

    /// Removes and returns the topics announced since the last call, with their components, to be remembered.
    package mutating func drainAnnounced() -> [String: String] {
        defer { announced.removeAll() }
        return announced
    }

    /// Whether removed topics have not been forgotten yet.
    package var hasRemoved: Bool { !removed.isEmpty }

    /// Removes and returns the topics removed since the last call, once the broker has the removal: only
    /// ``memory(of:)`` is to be remembered of them.
    package mutating func drainRemoved() -> Set<String> {
        defer { removed.removeAll() }
        for name in former.trim(unless: { held[$0] != nil }) { removed.insert(configuration.topic(of: name)) }
        for topic in removed { record(memory(of: topic), of: topic) }
        return removed
    }

    /// Removes and returns the new warnings, one sentence each.
    package mutating func drainWarnings() -> [String] {
        warnings.drain()
    }
}
