package import Controller
import Flare
import Messages
import Things

/// What Home Assistant was told of, and what it is still to be told: the rules of discovery.
///
/// What changes of an announced device is told before its new values, so that these are understood; what goes is
/// taken away before its topics are cleared; what is new, and everything after a connect or the birth of Home
/// Assistant, is told bit by bit, once its availability is out.
package struct Announcer: Sendable {
    /// So many devices are told of at once when they change; more of them wait for their turn.
    private static let mostAtOnce = 32
    /// So many that have changed since they were told last are told of before anything else after a connect.
    private static let mostAtConnect = 200
    /// How long Home Assistant gets for taking away components before they are not named any more, milliseconds.
    private static let removalTime: Int64 = 2000

    private let configuration: DiscoveryConfiguration
    private var held: [DeviceName: HeldDevice] = [:]
    /// Topics of another prefix or node that an earlier run has left.
    private var strays: [String] = []
    /// Equal lists of components are kept once.
    private var lists: Set<String> = []

    /// What is ready to be told, before what waits.
    private var ready: [Announcement] = []
    private var waiting = WaitingCards()
    /// What ends the removal of components and devices, with its time.
    private var cleanups: [(at: Int64, announcement: Announcement)] = []
    /// Devices that went while Home Assistant was not there, with their components: it keeps what it does not see go.
    private var graves: [DeviceName: String] = [:]
    /// Whether Home Assistant hears us; `nil` while that is not known.
    private var isHeard: Bool?

    /// Whether all was announced in this run: from then on changes are told.
    private var isRunning = false
    /// Whether it is not known yet what is in the place.
    package private(set) var isAwaitingPlace = false
    private var isOwnStale = false
    private var links: Set<String> = []
    private var nearbyKind: LightKind?
    private var toldName = ""
    /// Whom the choice of things depends on.
    private var toldChoice: FlareID?

    private var news: [String: String] = [:]
    private var gone: Set<String> = []
    private var remarks = Remarks()

    /// What a list of components begins with when its device went unseen.
    private static let graveMark = "!"

    /// - Parameter remembered: The topics on which earlier runs have announced, with their components.
    package init(_ configuration: DiscoveryConfiguration, remembered: [String: String]) {
        self.configuration = configuration
        for (topic, components) in remembered {
            let device = configuration.device(ofTopic: topic)
            if components.hasPrefix(Self.graveMark) {
                if let device { graves[device] = String(components.dropFirst()) } else { gone.insert(topic) }
            } else if let device {
                held[device] = HeldDevice(text: components)
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
        waiting = WaitingCards()
        cleanups.removeAll { !$0.announcement.isRemoval }
        if isBirth { exhume(at: now) }
        guard configuration.isEnabled else {
            ready += held.keys.map { remove($0) }
            return takeRemovals()
        }
        guard Self.isSettled(state) else {
            if isAwaitingPlace { ready += own(state, isForced: true, isComplete: false, at: now) }
            isAwaitingPlace = true
            return takeRemovals()
        }
        isAwaitingPlace = false
        isRunning = true
        toldChoice = configuration.choice(in: state)
        let cards = cards(state)
        waiting = WaitingCards(cards, areBorn: isBirth)
        for case .thing(let slug) in held.keys where waiting[slug] == nil {
            ready.append(remove(.thing(slug)))
        }
        let before = held[.own]?.meaning
        let own = own(state, isForced: true, isBirth: isBirth, at: now)
        guard !isBirth else {
            ready += own
            return []
        }
        var urgent = takeRemovals()
        if before == nil || before == held[.own]?.meaning { ready += own } else { urgent += own }
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
    private mutating func exhume(at now: Int64) {
        for (name, list) in graves.sorted(by: { $0.value < $1.value }) {
            let topic = configuration.topic(of: name)
            let payload = DeviceAnnouncement.ghost(of: name, Self.names(list), configuration)
            ready.append(Announcement(topic: topic, payload: payload.bytes, components: list))
            cleanups.append((now + Self.removalTime, removal(topic: topic)))
        }
        graves.removeAll()
    }

    /// Takes everything away: we will speak on other topics, or elsewhere.
    package mutating func withdrawAll() -> [Announcement] {
        isRunning = false
        isAwaitingPlace = false
        (ready, waiting, cleanups) = ([], WaitingCards(), [])
        defer { strays.removeAll() }
        return strays.sorted().map { removal(topic: $0) } + held.keys.map { remove($0) }
    }

    private func cards(_ state: ControllerState) -> [ThingCard] {
        state.things.values.filter { configuration.wants($0, in: state) }
            .compactMap { ThingCard($0, in: state) }
            .sorted { $0.slug < $1.slug }
    }

    private static func isSettled(_ state: ControllerState) -> Bool {
        state.isPlaceKnown || state.alerts["no-environment"] != nil
    }

    // MARK: Changes

    /// Takes in what has changed.
    /// - Returns: What is to be told before the new values are.
    package mutating func take(_ snapshot: StateSnapshot, at now: Int64) -> [Announcement] {
        guard configuration.isEnabled else { return [] }
        if isAwaitingPlace, Self.isSettled(snapshot.state) { return announceAll(snapshot.state, at: now) }
        guard isRunning else { return [] }
        return take(snapshot.changes, of: snapshot.state, at: now)
    }

    private mutating func take(_ changes: Set<Facet>, of state: ControllerState, at now: Int64)
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
        if isOwnTouched(state, changes) { isOwnStale = true }
        if isOwnStale, Self.isSettled(state) { urgent += own(state, at: now) }
        return urgent
    }

    /// Tells which links health tells of.
    package mutating func note(links: Set<String>) {
        guard links != self.links else { return }
        self.links = links
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
        guard let card = ThingCard(thing, in: state) else { return }
        isOwnStale = true
        if device != nil, waits == nil, urgent.count < Self.mostAtOnce {
            if let message = render(card, at: now) { urgent.append(message) }
        } else {
            waiting.put(card)
        }
    }

    /// The things that may have to be told otherwise, taken away or added.
    private mutating func touched(_ state: ControllerState, _ changes: Set<Facet>) -> [FlareID] {
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
            if configuration.things == .nearby {
                touched += [before, choice].compactMap { $0 }
            } else {
                touched += state.things.values.filter { $0.zone == before || $0.zone == choice }.map(\.id)
            }
        }
        return touched.count > 1 ? Set(touched).sorted() : touched
    }

    private func isOwnTouched(_ state: ControllerState, _ changes: Set<Facet>) -> Bool {
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

    private func kindNearby(_ state: ControllerState) -> LightKind? {
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

    // MARK: One device

    private mutating func render(_ card: ThingCard, isBirth: Bool = false, at now: Int64) -> Announcement? {
        let name = DeviceName.thing(card.slug)
        guard let device = card.announcement(configuration) else {
            return held[name] == nil ? nil : remove(name)
        }
        remarks.note(device.leftOut, of: "the thing \(card.slug)")
        let now = (told: HeldDevice.Told.thing(card), meaning: card.meaning, at: now)
        return hold(device, name, now, isComplete: true, isBirth: isBirth)
    }

    private mutating func own(
        _ state: ControllerState,
        isForced: Bool = false,
        isComplete: Bool = true,
        isBirth: Bool = false,
        at now: Int64
    ) -> [Announcement] {
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
        ).announcement()
        var hasher = Hasher()
        hasher.combine(device.payload)
        let hash = hasher.finalize()
        if !isForced, case .own(hash)? = held[.own]?.told { return [] }
        remarks.note(device.leftOut, of: "the daemon's own device")
        let now = (told: HeldDevice.Told.own(hash), meaning: device.meaning, at: now)
        return [hold(device, .own, now, isComplete: isComplete, isBirth: isBirth)]
    }

    /// Notes what is told of a device, and names the components that are gone once more.
    private mutating func hold(
        _ device: DeviceAnnouncement,
        _ name: DeviceName,
        _ now: (told: HeldDevice.Told, meaning: UInt64, at: Int64),
        isComplete: Bool,
        isBirth: Bool
    ) -> Announcement {
        let topic = configuration.topic(of: name)
        let missing = Self.names(held[name]?.components ?? "").filter { !device.components.contains($0) }
        // What is not known cannot be gone; what nobody hears go is not gone for him.
        let isFinal = isComplete && (isHeard != false || isBirth)
        let names = isFinal ? device.components : device.components + missing
        let list = lists.insert(names.map(\.text).joined(separator: " ")).memberAfterInsert
        cleanups.removeAll { $0.announcement.topic == topic }
        graves[name] = nil
        let told = HeldDevice(components: list, meaning: now.meaning, told: now.told)
        // What an earlier run has remembered is as good.
        if held[name]?.text != told.text || gone.contains(topic) { news[topic] = told.text }
        held[name] = told
        gone.remove(topic)
        func message(_ payload: JSONValue) -> Announcement {
            Announcement(topic: topic, payload: payload.bytes, components: list)
        }
        guard isFinal, !missing.isEmpty else { return message(device.payload) }
        var steps = [device.removing(missing), device.payload]
        if isBirth { steps.insert(device.restoring(missing, of: name, configuration), at: 0) }
        for (index, payload) in steps.enumerated().dropFirst() {
            cleanups.append((now.at + Int64(index) * Self.removalTime, message(payload)))
        }
        return message(steps[0])
    }

    private static func names(_ list: String) -> [ComponentName] {
        list.split(separator: " ").compactMap { ComponentName(text: $0) }
    }

    private mutating func remove(_ name: DeviceName) -> Announcement {
        let topic = configuration.topic(of: name)
        let components = held.removeValue(forKey: name)?.components
        cleanups.removeAll { $0.announcement.topic == topic }
        guard isHeard == false, let components else { return removal(topic: topic) }
        graves[name] = components
        news[topic] = Self.graveMark + components
        return Announcement(topic: topic, payload: [], components: nil)
    }

    private mutating func removal(topic: String) -> Announcement {
        news[topic] = nil
        gone.insert(topic)
        return Announcement(topic: topic, payload: [], components: nil)
    }

    // MARK: What others have to know

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
