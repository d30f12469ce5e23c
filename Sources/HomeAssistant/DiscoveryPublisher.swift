package import Controller
import Flare
import Messages
import Things

/// What Home Assistant was told of, and what it is still to be told: the rules of discovery.
///
/// What changes of an announced device is told before its new values, so that these are understood; what goes is
/// taken away before its topics are cleared; what is new, and everything after a connect or the birth of Home
/// Assistant, is told bit by bit, once its availability is out.
package struct DiscoveryPublisher: Sendable {
    /// So many devices are told of at once when they change; more of them wait for their turn.
    static let mostAtOnce = 32
    /// So many that have changed since they were told last are told of before anything else after a connect.
    private static let mostAtConnect = 200
    /// How long Home Assistant gets for taking away components before they are not named any more, milliseconds.
    static let removalTime: Int64 = 2000

    private(set) var configuration: DiscoveryConfiguration
    var held: [DeviceName: RetainedDevice] = [:]
    /// Topics of another prefix or node that an earlier run has left.
    private var strays: [String] = []
    /// Equal lists of components are kept once.
    var lists: Set<String> = []

    /// What is ready to be told, before what waits.
    var ready: [Announcement] = []
    private var waiting = DiscoveryQueue()
    /// What ends the removal of components and devices, with its time.
    var cleanups: [(at: Int64, announcement: Announcement)] = []
    /// Devices that went while Home Assistant was not there, with their components: it keeps what it does not see go.
    var graves: [DeviceName: String] = [:]
    /// Whether Home Assistant hears us; `nil` while that is not known.
    var isHeard: Bool?

    /// Whether all was announced in this run: from then on changes are told.
    private var isRunning = false
    /// Whether it is not known yet what is in the place.
    package private(set) var isAwaitingPlace = false
    var isOwnStale = false
    var links: Set<String> = []
    var nearbyKind: LightKind?
    var toldName = ""
    /// Whom the choice of things depends on.
    private var toldChoice: FlareID?

    var news: [String: String] = [:]
    var gone: Set<String> = []
    var remarks = DiscoveryWarnings()

    /// What a list of components begins with when its device went unseen.
    static let graveMark = "!"

    /// - Parameter remembered: The topics on which earlier runs have announced, with their components.
    package init(_ configuration: DiscoveryConfiguration, remembered: [String: String]) {
        self.configuration = configuration
        for (topic, components) in remembered {
            let device = configuration.device(ofTopic: topic)
            if components.hasPrefix(Self.graveMark) {
                if let device { graves[device] = String(components.dropFirst()) } else { gone.insert(topic) }
            } else if let device {
                held[device] = RetainedDevice(text: components)
            } else {
                strays.append(topic)
            }
        }
    }

    // MARK: Everything

    /// Announces all there is, and takes away what earlier runs have left.
    ///
    /// While the place is not known nothing is said; asked once more, the daemon's own device is told without it.
    /// - Parameter isBirth: Whether Home Assistant has just come: what went without its knowledge goes once more.
    /// - Returns: What is to be told before the states are: what has gone, and what means something else by now.
    package mutating func announceAll(
        _ state: ControllerState,
        isBirth: Bool = false,
        at now: Int64
    ) -> [Announcement] {
        ready = ready.filter(\.isRemoval) + strays.sorted().map { removal(topic: $0) }
        strays.removeAll()
        waiting = DiscoveryQueue()
        cleanups.removeAll { !$0.announcement.isRemoval }
        if isBirth { exhume(state, at: now) }
        guard configuration.settings.isEnabled else {
            ready += held.keys.map { remove($0) }
            return takeRemovals()
        }
        guard Self.isSettled(state) else {
            if isAwaitingPlace {
                ready += own(state, isForced: true, isComplete: false, at: now).map(\.announcement)
            }
            isAwaitingPlace = true
            return takeRemovals()
        }
        isAwaitingPlace = false
        isRunning = true
        toldChoice = configuration.choice(in: state)
        let cards = cards(state)
        waiting = DiscoveryQueue(cards, areBorn: isBirth)
        for case .thing(let slug) in held.keys where waiting[slug] == nil {
            ready.append(remove(.thing(slug)))
        }
        let own = own(state, isForced: true, isBirth: isBirth, at: now)
        guard !isBirth else {
            ready += own.map(\.announcement)
            return []
        }
        var urgent = takeRemovals()
        ready += own.filter { !$0.isUrgent }.map(\.announcement)
        urgent += own.filter(\.isUrgent).map(\.announcement)
        let changed = cards.filter { card in
            held[.thing(card.slug)]?.meaning.map { $0 != card.meaning } ?? false
        }
        for card in changed.prefix(Self.mostAtConnect) where waiting.remove(card.slug) {
            if let message = render(card, at: now) { urgent.append(message) }
        }
        return urgent
    }

    private mutating func takeRemovals() -> [Announcement] {
        defer { ready.removeAll(where: \.isRemoval) }
        return ready.filter(\.isRemoval)
    }

    /// Notes whether Home Assistant is there: its birth, its will, or a link of ours that was lost.
    package mutating func note(isHeard: Bool?) { self.isHeard = isHeard }

    /// Shows what went unseen once more, so that it can be taken away.
    private mutating func exhume(_ state: ControllerState, at now: Int64) {
        for (name, list) in graves.sorted(by: { $0.value < $1.value }) {
            let topic = configuration.topic(of: name)
            let device = name.isOwn ? OwnDevice.block(named: state.device?.name, configuration) : nil
            let payload = DeviceAnnouncement.ghost(
                of: name,
                device: device ?? ["name": "Trilateral"],
                Self.names(list),
                configuration
            )
            ready.append(Announcement(topic: topic, payload: payload.bytes, components: list))
            cleanups.append((now + Self.removalTime, removal(topic: topic)))
        }
        graves.removeAll()
    }

    /// Takes everything away: we will speak on other topics, or elsewhere.
    package mutating func withdrawAll() -> [Announcement] {
        isRunning = false
        isAwaitingPlace = false
        (ready, waiting, cleanups) = ([], DiscoveryQueue(), [])
        defer { strays.removeAll() }
        return strays.sorted().map { removal(topic: $0) } + held.keys.map { remove($0) }
    }

    private func cards(_ state: ControllerState) -> [ThingDiscovery] {
        state.things.values.filter { configuration.wants($0, in: state) }
            .compactMap { ThingDiscovery($0, in: state) }
            .sorted { $0.slug < $1.slug }
    }

    private static func isSettled(_ state: ControllerState) -> Bool {
        state.isPlaceKnown || state.alerts["no-environment"] != nil
    }

    // MARK: Changes

    /// Takes in what has changed.
    /// - Returns: What is to be told before the new values are.
    package mutating func take(_ snapshot: StateSnapshot, at now: Int64) -> [Announcement] {
        guard configuration.settings.isEnabled else { return [] }
        if isAwaitingPlace, Self.isSettled(snapshot.state) { return announceAll(snapshot.state, at: now) }
        guard isRunning else { return [] }
        return take(snapshot.changes, of: snapshot.state, at: now)
    }

    private mutating func take(_ changes: Set<StateChange>, of state: ControllerState, at now: Int64)
        -> [Announcement]
    {
        var urgent: [Announcement] = []
        for id in touched(state, changes) {
            guard let slug = state.slugs[.thing, id] else { continue }
            if let thing = state.things[id], configuration.wants(thing, in: state) {
                take(thing, slug, of: state, &urgent, at: now)
            } else {
                if waiting.remove(slug) { isOwnStale = true }
                guard held[.thing(slug)] != nil else { continue }
                isOwnStale = true
                urgent.append(remove(.thing(slug)))
            }
        }
        // At once, not with the next place: the topics of what has gone are about to be cleared.
        for case .object(let object) in changes where object.kind == .zone && state.zones[object.id] == nil {
            guard let slug = state.slugs[.zone, object.id], held[.zone(slug)] != nil else { continue }
            urgent.append(remove(.zone(slug)))
        }
        if isOwnTouched(state, changes) { isOwnStale = true }
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

    /// Tells which links health tells of.
    package mutating func note(links: Set<String>) {
        guard links != self.links else { return }
        self.links = links
        isOwnStale = true
    }

    /// Tells where the Flare server answers.
    package mutating func note(flareURL: String) {
        guard flareURL != configuration.flareURL else { return }
        configuration.flareURL = flareURL
        isOwnStale = true
    }

    private mutating func take(
        _ thing: FlareThing,
        _ slug: String,
        of state: ControllerState,
        _ urgent: inout [Announcement],
        at now: Int64
    ) {
        let device = held[.thing(slug)]
        let waits = waiting[slug]
        if let card = waits ?? device?.card, card.fits(thing, in: state) { return }
        guard let card = ThingDiscovery(thing, in: state) else { return }
        isOwnStale = true
        if device != nil, waits == nil, urgent.count < Self.mostAtOnce {
            if let message = render(card, at: now) { urgent.append(message) }
        } else {
            waiting.put(card)
        }
    }

    /// The things that may have to be told otherwise, taken away or added.
    private mutating func touched(_ state: ControllerState, _ changes: Set<StateChange>) -> [FlareID] {
        var touched: [FlareID] = []
        for case .object(let object) in changes {
            switch object.kind {
            case .thing: touched.append(object.id)
            case .zone: touched += state.things.values.filter { $0.zone == object.id }.map(\.id)
            case .environment, .device: break
            }
        }
        let choice = configuration.choice(in: state)
        if choice != toldChoice {
            let before = toldChoice
            toldChoice = choice
            isOwnStale = true
            if configuration.settings.things == .nearby {
                touched += [before, choice].compactMap { $0 }
            } else {
                touched += state.things.values.filter { $0.zone == before || $0.zone == choice }.map(\.id)
            }
        }
        return touched.count > 1 ? Set(touched).sorted() : touched
    }

    private func isOwnTouched(_ state: ControllerState, _ changes: Set<StateChange>) -> Bool {
        if let name = state.device?.name, name != toldName { return true }
        if let kind = kindNearby(state), kind != nearbyKind { return true }
        return changes.contains { facet in
            if case .object(let object) = facet {
                object.kind == .environment || object.kind == .zone
            } else {
                false
            }
        }
    }

    func kindNearby(_ state: ControllerState) -> LightKind? {
        state.nearby.flatMap { LightKind(data: $0.data) }
    }

    // MARK: Bit by bit

    /// Whether something waits to be told.
    package var hasWork: Bool { !ready.isEmpty || !waiting.isEmpty || !cleanups.isEmpty }

    /// Whether nothing is left to be told but the end of removals.
    package var isTold: Bool { ready.isEmpty && waiting.isEmpty }

    /// The next messages, at most so many.
    package mutating func next(_ count: Int, at now: Int64) -> [Announcement] {
        var messages = Array(ready.prefix(count))
        ready.removeFirst(messages.count)
        while messages.count < count, let (card, isBirth) = waiting.takeFirst() {
            if let message = render(card, isBirth: isBirth, at: now) { messages.append(message) }
        }
        while messages.count < count, let index = cleanups.firstIndex(where: { $0.at <= now }) {
            messages.append(cleanups.remove(at: index).announcement)
        }
        return messages
    }

    /// A message that could not be handed over is the next again.
    package mutating func putBack(_ messages: some Collection<Announcement>) {
        ready.insert(contentsOf: messages, at: 0)
    }

    // MARK: What others have to know

    /// Whether a device is announced on a topic.
    package func announces(_ topic: String) -> Bool {
        configuration.device(ofTopic: topic).map { held[$0] != nil } ?? false
    }

    /// The topics announced on since this was asked last, with their components: to be remembered.
    package mutating func takeNews() -> [String: String] {
        defer { news.removeAll() }
        return news
    }

    /// Whether topics were taken away that are not forgotten yet.
    package var hasGone: Bool { !gone.isEmpty }

    /// The topics taken away since this was asked last: to be forgotten, once the broker has it.
    package mutating func takeGone() -> Set<String> {
        defer { gone.removeAll() }
        return gone
    }

    /// What could not be told, a sentence each.
    package mutating func takeRemarks() -> [String] {
        remarks.take()
    }
}
