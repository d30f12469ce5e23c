package import Controller
package import HomeAssistant
import JSON
package import MQTT
package import Messages

/// Decides when Home Assistant is sent its announcements, between the node's states.
///
/// What to announce is decided by the ``HomeAssistant/DiscoveryPublisher`` in it.
package struct DiscoverySession: ~Copyable, Sendable {
    package enum Action: Sendable, Hashable {
        /// Publish these; return those for which the client has no room with ``DiscoverySession/putBack(_:)``.
        case publish([Announcement])
        /// Ask the controller for its state, for ``DiscoverySession/announceAll(_:links:at:)``.
        case requestState
        /// Send retained topics that are due: they may have waited for discovery.
        case flush
        /// Call back after a delay.
        case wait(Duration, then: Step)
    }

    package enum Step: Sendable, Hashable {
        /// Publish the next batch.
        case nextBatch
        case answerBirth
        /// Let the model and the view be sent.
        case releaseStates
        /// Announce everything after removing it, over the same link.
        case announceAgain(link: Int)
    }

    /// Announcements in a batch; commands are handled between batches.
    private static let batch = 20
    /// The most bytes of an announcement that are read.
    private static let largestAnnouncement = 65_536
    private static let pause: Duration = .milliseconds(10)
    /// While nothing is due: what is new meanwhile waits for the same batch.
    private static let longestPause: Duration = .milliseconds(200)
    /// States in a batch: they are shorter, and already rendered.
    private static let stateBatch = 60
    /// Longest time that states wait for urgent announcements after a connect.
    private static let longestHold: Duration = .milliseconds(500)
    /// Time for Home Assistant to remove entities before they are announced again.
    private static let removalTime: Duration = .seconds(2)
    /// No batch is published while so many messages are unconfirmed.
    package static let mostUnconfirmed = 400

    package var publisher: DiscoveryPublisher
    /// The topics of Home Assistant's birth and will messages.
    package var births: [String] {
        let configuration = publisher.configuration
        return configuration.settings.isEnabled ? [configuration.birthTopic] : []
    }
    /// Whether the model and the view wait for announcements that must precede them.
    package private(set) var isHoldingStates = false
    /// Whether Home Assistant may know our entities by the identifiers of another daemon with the same node.
    package private(set) var hasForeignIDs = false
    private var isBatchPlanned = false
    /// The capabilities that the nearby light is shown with.
    private var shownKind: Int?
    private var isBirthAnswerPlanned = false
    /// Whether all states are sent again once everything is announced.
    private var resendsStates = false
    /// Whether Home Assistant was born since everything was announced.
    private var isBorn = false
    /// The topics whose states are still to be sent again.
    private var resends: ArraySlice<String> = []
    /// The message of the open alert for doubled things.
    private var doubled: String?
    /// Number of lost links.
    private var lostLinks = 0

    /// - Parameter remembered: The topics that earlier runs announced, with their components.
    package init(_ configuration: DiscoveryConfiguration, remembered: [String: String]) {
        publisher = DiscoveryPublisher(configuration, remembered: remembered)
    }

    // MARK: The link

    package mutating func linkUp() -> [Action] {
        isHoldingStates = true
        return [.requestState, .wait(Self.longestHold, then: .releaseStates)]
    }

    package mutating func linkDown() {
        lostLinks += 1
        (resendsStates, isBorn) = (false, false)
        resends = []
        publisher.setOnline(nil)
    }

    // MARK: Announcing everything

    /// Handles Home Assistant's birth or will message.
    ///
    /// - Parameters:
    ///   - delay: Spreads the answers of several nodes.
    ///   - hasDuplicates: Whether another daemon with the same node is connected.
    package mutating func receive(birth message: MQTTMessage, delay: Duration, hasDuplicates: Bool)
        -> [Action]
    {
        let isOnline = message.payload == Array("online".utf8)
        guard isOnline || message.payload == Array("offline".utf8) else { return [] }
        publisher.setOnline(isOnline)
        guard isOnline, !message.isRetained else { return [] }
        if hasDuplicates { hasForeignIDs = true }
        guard !isBirthAnswerPlanned else { return [] }
        isBirthAnswerPlanned = true
        return [.wait(delay, then: .answerBirth)]
    }

    /// - Parameter links: The names of the links in `health`.
    package mutating func announceAll(_ state: ControllerState, links: Set<String>, at now: Int64) -> [Action]
    {
        publisher.setLinks(links)
        let urgent = publisher.announceAll(state, isBirth: isBorn, at: now)
        isBorn = false
        isHoldingStates = false
        return [.publish(urgent), .flush] + planBatch()
    }

    /// Records that another daemon with our node announced its devices before ours.
    package mutating func recordForeignIDs() {
        hasForeignIDs = true
        publisher.setForeign(true)
    }

    /// Announces everything again after another daemon with our node has gone.
    ///
    /// Entities keep the identifier with which Home Assistant first saw them: those of the other daemon are removed
    /// first.
    package mutating func duplicatesGone() -> [Action] {
        guard hasForeignIDs else {
            resendsStates = true
            return [.requestState]
        }
        return withdraw() + [.wait(Self.removalTime, then: .announceAgain(link: lostLinks))]
    }

    /// Carries out a step whose delay is over.
    ///
    /// - Parameters:
    ///   - isActive: Whether there is a link, and the node is not leaving.
    package mutating func perform(_ step: Step, isActive: Bool) -> [Action] {
        switch step {
        case .nextBatch:
            isBatchPlanned = false
            return []
        case .answerBirth:
            isBirthAnswerPlanned = false
        case .releaseStates:
            isHoldingStates = false
            return [.flush]
        case .announceAgain(let link):
            // If the link was lost meanwhile, Home Assistant may not have received the removal: repeat it later.
            guard isActive, link == lostLinks else { return [] }
            hasForeignIDs = false
            publisher.setForeign(false)
        }
        guard isActive else { return [] }
        resendsStates = true
        if step == .answerBirth { isBorn = true }
        return [.requestState]
    }

    // MARK: Changes

    /// - Returns: What must be published before the new states.
    package mutating func observe(_ snapshot: StateSnapshot, at now: Int64) -> [Action] {
        [.publish(publisher.update(with: snapshot, at: now))] + (hasUnfinished ? planBatch() : [])
    }

    /// What Home Assistant reads of the nearby thing, with the topics and the shortest intervals in milliseconds.
    package mutating func nearby(_ state: ControllerState, on topics: Topics) -> [(
        MQTTMessage, spacing: Int64
    )] {
        shownKind = publisher.nearbyKindHash
        guard let (light, distance) = publisher.nearby(state) else { return [] }
        func message(_ topic: String, _ json: JSONValue) -> MQTTMessage {
            MQTTMessage(topic: topic, payload: json.bytes, qos: .atLeastOnce, isRetained: true)
        }
        return [
            (message(topics.nearbyLight, light), 0),
            (message(topics.nearbyDistance, distance), Self.distancePause),
        ]
    }

    /// Whether the nearby light was announced in another way than it is shown.
    package var isNearbyStale: Bool { publisher.nearbyKindHash != shownKind }

    /// Home Assistant records every change, milliseconds.
    private static let distancePause: Int64 = 5000

    /// Follows another configuration from now on.
    ///
    /// - Returns: Whether everything is to be announced again.
    package mutating func use(_ configuration: DiscoveryConfiguration) -> Bool {
        guard configuration != publisher.configuration else { return false }
        publisher.use(configuration)
        return true
    }

    // MARK: Batches

    private var hasUnfinished: Bool { publisher.hasWork || publisher.hasRemoved }

    /// Returns announcements for which the client had no room.
    package mutating func putBack(_ announcements: some Collection<Announcement>) -> [Action] {
        publisher.putBack(announcements)
        return planBatch()
    }

    private mutating func planBatch(after delay: Duration = .zero) -> [Action] {
        guard !isBatchPlanned else { return [] }
        isBatchPlanned = true
        return [.wait(delay, then: .nextBatch)]
    }

    /// - Parameter all: Everything that is left, instead of a batch.
    package mutating func next(all: Bool = false, at now: Int64) -> [Action] {
        [.publish(publisher.next(all ? .max : Self.batch, at: now))]
    }

    /// The topics whose states are sent again now, after all announcements.
    ///
    /// - Parameter topics: All topics that hold something.
    package mutating func nextStates(of topics: @autoclosure () -> [String]) -> ArraySlice<String> {
        if resendsStates, publisher.isComplete {
            resendsStates = false
            resends = topics()[...]
        }
        defer { resends = resends.dropFirst(Self.stateBatch) }
        return resends.prefix(Self.stateBatch)
    }

    /// Plans the next batch, if there is more to do.
    /// - Parameter isDelayed: Whether nothing was published this time.
    package mutating func planNextBatch(isDelayed: Bool = false, at now: Int64) -> [Action] {
        if isDelayed || !resends.isEmpty { return planBatch(after: Self.pause) }
        guard hasUnfinished else { return [] }
        let rest = Duration.milliseconds(publisher.rest(at: now))
        return planBatch(after: max(Self.pause, min(rest, Self.longestPause)))
    }

    // MARK: Things of others

    /// The alert for things that another daemon announces as well.
    package static let doubledAlert = "doubled-things"

    /// The alert for things that another daemon announces as well, if it has changed.
    package mutating func doubledEvent() -> ControllerEvent? {
        let now = publisher.doubled
        guard now != doubled else { return nil }
        doubled = now
        return now.map { .alertRaised(Self.doubledAlert, .warning, message: $0) }
            ?? .alertCleared(Self.doubledAlert)
    }

    /// What was read of others holds no longer.
    package mutating func forgetOthers() -> ControllerEvent? {
        publisher.forgetOthers()
        return doubledEvent()
    }

    // MARK: Devices of others

    /// Whether a message announces or removes a device of our node.
    ///
    /// Names of topics alone do not tell: a node of another base can have the same name.
    package func isOfNode(_ message: MQTTMessage) -> Bool {
        guard publisher.isDevice(message.topic) else { return false }
        guard !message.payload.isEmpty else { return true }
        guard message.payload.count <= Self.largestAnnouncement else { return false }
        let payload = try? JSONValue(parsing: message.payload)
        return payload?["availability"]?.array?.contains { $0["topic"]?.string == publisher.status } ?? false
    }

    /// Removes devices that another daemon announced, of all these topics.
    package mutating func remove(_ topics: [String]) -> [Action] {
        let removals = publisher.remove(topics)
        return removals.isEmpty ? [] : [.publish(removals)] + planBatch()
    }

    // MARK: Withdrawing

    /// Removes every device.
    package mutating func withdraw() -> [Action] { [.publish(publisher.withdrawAll())] }

    // MARK: Refusals

    /// Records that the broker refused a message.
    /// - Returns: Whether it is sent again by ``repeatRefused(_:)``.
    package mutating func recordRefusal(of topic: String) -> Bool {
        publisher.recordRefusal(of: topic) || publisher.announces(topic)
    }

    /// Sends refused messages again.
    package mutating func repeatRefused(_ topics: [String]) -> [Action] {
        publisher.repeatRefusedRemovals()
        return (hasUnfinished ? planBatch() : [])
            + (topics.contains(where: publisher.announces) ? [.requestState] : [])
    }

    // MARK: Memory for later runs

    /// What to remember before it is published.
    package mutating func drainAnnounced() -> [ControllerEffect.PersistedRecord] {
        publisher.drainAnnounced().map { .announced(topic: $0.key, components: $0.value) }
    }

    /// The removals, once the broker has confirmed them.
    package mutating func drainRemoved() -> [ControllerEffect.PersistedRecord] {
        publisher.drainRemoved().sorted().map { topic in
            publisher.memory(of: topic).map { .announced(topic: topic, components: $0) }
                ?? .withdrawn(topic: topic)
        }
    }
}

extension Announcement {
    var message: MQTTMessage {
        MQTTMessage(topic: topic, payload: payload, qos: .atLeastOnce, isRetained: true)
    }
}
