package import Controller
import JSON
package import MQTT
package import Messages

/// Whether the node's topics are ours alone, and what others have left there: earlier runs, former nodes, and daemons
/// with the same node.
///
/// Retained topics are read only where a daemon published before, and only until this run has published its own.
///
/// Many of them are read only while the broker has confirmed everything: mosquitto drops acknowledgements too when more
/// packets wait for a client than it may queue.
package struct TopicOwnership: Sendable {
    package enum Action: Sendable, Equatable {
        /// Subscribe to these topics instead of those of the last `read`, and pass the messages to
        /// ``TopicOwnership/record(_:)``. If another daemon had our node, it may have announced devices as well.
        case read([String], withDevices: Bool)
        case stopReading
        /// Clear these retained topics.
        case clear([String])
        /// Send our info again, so that another daemon learns of us.
        case resendInfo
        /// Show those with a copy of our state folder that we are here.
        case showInstallation
        /// Send every retained topic again.
        case resendAll
        /// Another daemon had this node before us: Home Assistant may know our entities by its identifiers.
        case duplicateWasFirst
        /// The daemons that shared our topics are gone: announce everything again.
        case duplicatesGone
        case send(ControllerEvent)
        case remember(ControllerEffect.PersistedRecord)
        case logNotice(String)
        case logError(String)
    }

    package static let alert = "duplicate-node"

    private let topics: Topics
    private let epoch: String
    /// The epoch of our last run on these topics; `nil` when unknown.
    private let formerEpoch: String?
    /// Roots of earlier runs whose topics have not been cleared yet.
    private var formerRoots: [String]
    private var duplicates = DuplicateNodeDetector()
    private var stale: [StaleTopics] = []
    private var isReading = false
    /// The present reading if it is of many topics.
    private var reading: Action?
    /// Whether it waits for ``readPutOff()``.
    package private(set) var isReadingPutOff = false
    private var hasReadOwnTopics = false
    private var hasReadForAnInterval = false
    /// Whether the broker's `status` was online before we connected: there is a duplicate, or one was lost unnoticed.
    private var wasOnlineBefore = false
    private var hasConnected = false
    private var isLeaving = false
    /// Whether another client may have used our client id while our link was down.
    private var isContested = false
    /// Whether a daemon with our client id has our node as well: it is never connected at the same time.
    private var hasContender = false

    package init(topics: Topics, epoch: String, formerEpoch: String?, formerRoots: [String]) {
        (self.topics, self.epoch, self.formerEpoch) = (topics, epoch, formerEpoch)
        self.formerRoots = formerRoots.filter { $0 != topics.root }
    }

    package var hasDuplicates: Bool { !duplicates.isEmpty || hasContender }

    // MARK: The link

    package mutating func start() -> [Action] { formerRoots.isEmpty ? [] : read(ownTopics: false) }

    package mutating func linkUp() -> [Action] {
        duplicates.linkCameUp()
        guard !hasConnected else { return [] }
        hasConnected = true
        return [.remember(.root(topics.root, isUsed: true)), .remember(.epoch(epoch))]
    }

    /// - Parameter isContested: Whether another client may have our client id.
    package mutating func linkDown(isContested: Bool = false) -> [Action] {
        self.isContested = isContested
        duplicates.linkWentDown()
        return putOffReading() + forgetDuplicates()
    }

    /// No other client has our client id any more.
    package mutating func contestEnded() -> [Action] {
        isContested = false
        guard hasContender else { return [] }
        hasContender = false
        return duplicates.isEmpty ? forget(areGone: !isLeaving) : []
    }

    /// Everything is being withdrawn: duplicates and stale topics no longer matter.
    package mutating func leave() { isLeaving = true }

    /// The topics are ours again.
    package mutating func stay() { isLeaving = false }

    // MARK: Other daemons

    /// Handles a message on our own `info` or `status`.
    ///
    /// - Parameter now: Steady milliseconds.
    package mutating func receive(_ message: MQTTMessage, isConnected: Bool, at now: Int64) -> [Action] {
        guard !isLeaving else { return [] }
        if message.topic == topics.status { return receive(status: message, isConnected: isConnected) }
        let isInfo = message.payload.count <= Topics.largestInfo
        let other = isInfo ? (try? JSONValue(parsing: message.payload))?["epoch"]?.string : nil
        guard !message.isRetained else {
            guard other != epoch else { return [] }
            // It was published after ours, while we were thrown out.
            if isContested, hasConnected, other != nil {
                defer { hasContender = true }
                return hasContender ? [] : alarm
            }
            guard !hasReadOwnTopics else { return [] }
            return read(ownTopics: true, areOurs: other != nil && other == formerEpoch)
        }
        guard let other, other != epoch else { return [] }
        let wasFirst = duplicates.isEmpty && wasOnlineBefore
        let outcome = duplicates.receive(other, at: now)
        guard outcome != .ignored else { return [] }
        return alarm + (wasFirst ? [.duplicateWasFirst] : []) + (outcome == .answer ? [.resendInfo] : [])
    }

    private var alarm: [Action] {
        let message =
            "Another daemon publishes on \(topics.root) too. Give each a node of its own (mqtt.node: NAME)."
        return [
            .send(.alertRaised(Self.alert, .error, message: message)),
            .logError("another daemon publishes on our topics"),
        ]
    }

    private mutating func receive(status message: MQTTMessage, isConnected: Bool) -> [Action] {
        guard !message.isRetained else {
            wasOnlineBefore = message.payload == Array("online".utf8)
            return []
        }
        guard isConnected, message.payload == Array("offline".utf8) else { return [] }
        let text =
            "status was set to offline, by the broker as it stops or by another client: publishing everything again"
        // Duplicates that are still there publish everything again too, and are recognised by it.
        return [.logNotice(text)] + forgetDuplicates() + [.resendAll]
    }

    private mutating func forgetDuplicates() -> [Action] {
        let areGone = !duplicates.isEmpty && !isLeaving
        duplicates.removeAll()
        return hasContender ? [] : forget(areGone: areGone)
    }

    private mutating func forget(areGone: Bool) -> [Action] {
        // Their retained topics are still there.
        (areGone ? read(ownTopics: true) + [.duplicatesGone] : []) + [.send(.alertCleared(Self.alert))]
    }

    // MARK: Stale topics

    /// The broker has confirmed everything: reads what waits for that.
    package mutating func readPutOff() -> [Action] {
        guard isReadingPutOff, let reading else { return [] }
        isReadingPutOff = false
        return [reading]
    }

    /// On the next link the broker would send everything again, among our publications.
    private mutating func putOffReading() -> [Action] {
        guard isReading, reading != nil, !isReadingPutOff else { return [] }
        (isReadingPutOff, hasReadForAnInterval) = (true, false)
        return [.stopReading]
    }

    /// The broker has lost acknowledgements: many topics are not read again, as it would lose them again.
    package mutating func acknowledgementsLost() -> [Action] {
        guard isReading, reading != nil, !isReadingPutOff else { return [] }
        let text = "retained topics of earlier runs are not cleared: the broker cannot send them all at once"
        return [.logNotice(text)] + stopReading()
    }

    /// - Parameter areOurs: Whether the last run on our topics was ours.
    private mutating func read(ownTopics: Bool, areOurs: Bool = false) -> [Action] {
        if ownTopics { hasReadOwnTopics = true }
        hasReadForAnInterval = false
        isReading = true
        stale = ownTopics ? [StaleTopics(topics, isKnown: areOurs)] : []
        stale += formerRoots.map { StaleTopics(Topics(root: $0)) }
        // Our own status and info are subscribed anyway.
        let filters = stale.flatMap(\.filters).filter { $0 != topics.status && $0 != topics.info }
        let action = Action.read(filters, withDevices: ownTopics && !areOurs)
        let isShort = ownTopics && areOurs && formerRoots.isEmpty
        (reading, isReadingPutOff) = isShort ? (nil, false) : (action, true)
        return isShort ? [action] : []
    }

    /// Records a retained announcement of a device by a daemon with our node.
    package mutating func record(device message: MQTTMessage) {
        for index in stale.indices where stale[index].root == topics.root {
            stale[index].record(device: message)
        }
    }

    /// Records a message of the topics that are read.
    package mutating func record(_ message: MQTTMessage) {
        for index in stale.indices { stale[index].record(message) }
    }

    /// Removes and returns the topics to clear.
    ///
    /// - Parameters:
    ///   - isPlaceKnown: Whether everything that this run publishes is known.
    ///   - isAlone: Whether no duplicate answered our info for an interval, even though `status` was online before. On
    ///     former topics no daemon would answer, but all retained messages have arrived then.
    ///   - isHeld: Whether this run publishes a topic.
    package mutating func drainStaleTopics(
        isPlaceKnown: Bool,
        isAlone: Bool = false,
        unless isHeld: (String) -> Bool
    ) -> [String] {
        guard isPlaceKnown, !hasDuplicates, !isLeaving else { return [] }
        var result: [String] = []
        for index in stale.indices {
            let isOwn = stale[index].root == topics.root
            // Its `status` may arrive after other topics.
            guard isAlone || isOwn && !wasOnlineBefore, isOwn || !stale[index].isInhabited else { continue }
            result += stale[index].drain(unless: isHeld)
        }
        return result
    }

    /// Whether there are any that might be drained.
    var hasStaleTopics: Bool { stale.contains { !$0.isEmpty } }

    /// Called at every tick with a link.
    ///
    /// - Returns: Whether topics were read for a whole interval: every retained message has arrived by then, and every
    ///   duplicate has answered. Call ``finishReading(isPlaceKnown:isIdle:unless:)``.
    package mutating func tick() -> Bool {
        guard isReading, !isReadingPutOff else { return false }
        defer { hasReadForAnInterval = true }
        return hasReadForAnInterval
    }

    /// Clears what is still stale, or stops reading.
    ///
    /// - Parameter isIdle: Whether the broker has confirmed everything that was sent.
    package mutating func finishReading(
        isPlaceKnown: Bool,
        isIdle: Bool,
        unless isHeld: (String) -> Bool
    ) -> [Action] {
        let left = drainStaleTopics(isPlaceKnown: isPlaceKnown, isAlone: true, unless: isHeld)
        guard left.isEmpty else { return [.clear(left)] }
        guard isPlaceKnown, !hasDuplicates, isIdle else { return [] }
        defer { formerRoots = [] }
        return stopReading() + formerRoots.map { .remember(.root($0, isUsed: false)) }
    }

    package mutating func stopReading() -> [Action] {
        (isReading, reading, isReadingPutOff) = (false, nil, false)
        stale = []
        return [.stopReading]
    }
}
