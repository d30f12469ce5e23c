import Controller
package import MQTT
package import Messages

/// Daemons of other nodes that run with a copy of our state folder, recognised by the topic on which they show themselves.
///
/// Their entities have the same ids as ours in Home Assistant, and their device is ours on a Flare server. Each shows
/// itself when it has a link, and nothing of it is retained; so a daemon that shows itself is answered once.
package struct CopyDetector: Sendable {
    package static let alert = "duplicate-installation"

    /// The least time between two answers, milliseconds; one answer is for all copies.
    private static let pause: Int64 = 5000
    /// With more copies, they are rarely asked whether they still run: each answers to all, and copies of one image on many
    /// machines would keep the broker busy.
    private static let mostAsked = 20
    /// The least time between two such questions, milliseconds.
    private static let longPause: Int64 = 3_600_000
    /// The most daemons that are remembered and answered.
    private static let capacity = 100

    private let topics: Topics
    private let installation: String
    private var isLinkUp = false
    /// The longest name of a node that counts, bytes.
    private static let longestName = 128

    private var nodes: Set<String> = []
    private var lastAnswer: Int64?
    /// Those that have not shown themselves since ``lastRound``.
    private var silent: Set<String> = []
    private var lastRound: Int64?
    /// Whether they were asked then.
    private var isAnswerDue = false

    /// - Parameter installation: Empty if there is none.
    package init(topics: Topics, installation: String) {
        (self.topics, self.installation) = (topics, installation)
    }

    /// Where copies show themselves, as filters.
    package var filters: [String] {
        installation.isEmpty ? [] : [topics.node("+").installation(installation)]
    }

    /// The `status` of the copies that are known.
    package var statuses: [String] { nodes.sorted().map { topics.node($0).status } }

    package mutating func linkUp() -> [TopicOwnership.Action] {
        isLinkUp = true
        return installation.isEmpty ? [] : [.showInstallation]
    }

    package mutating func linkDown() -> [TopicOwnership.Action] {
        isLinkUp = false
        guard !nodes.isEmpty else { return [] }
        (nodes, silent) = ([], [])
        (lastAnswer, lastRound, isAnswerDue) = (nil, nil, false)
        return [update]
    }

    /// Handles a message on one of the ``filters``, or of the ``statuses``.
    ///
    /// - Parameter now: Steady milliseconds.
    package mutating func receive(_ message: MQTTMessage, at now: Int64) -> [TopicOwnership.Action] {
        guard isLinkUp, !installation.isEmpty,
            let (node, tail) = topics.neighbour(message.topic), node.utf8.count <= Self.longestName
        else { return [] }
        if tail == Topics.tails.status {
            guard message.payload != Array("online".utf8), nodes.remove(node) != nil else { return [] }
            return left
        }
        guard tail == Topics.tails.installation(installation), !message.isRetained else { return [] }
        silent.remove(node)
        let isKnown = nodes.contains(node)
        guard isKnown || nodes.count < Self.capacity else { return [] }
        nodes.insert(node)
        let news = isKnown ? [] : [update]
        guard lastAnswer.map({ now - $0 >= Self.pause }) ?? true else { return news }
        lastAnswer = now
        return news + [.showInstallation]
    }

    /// Asks the other daemons whether they still run, by showing ourselves.
    ///
    /// One that did not answer until the next interval has gone, or never ran: anybody may send such a message.
    ///
    /// - Parameter now: Steady milliseconds.
    package mutating func intervalPassed(at now: Int64) -> [TopicOwnership.Action] {
        let gone = isAnswerDue ? silent.filter { nodes.remove($0) != nil } : []
        isAnswerDue = false
        let areMany = nodes.count > Self.mostAsked
        if !areMany || lastRound.map({ now - $0 >= Self.longPause }) ?? true {
            // Of many, another one may have asked, and all have answered.
            isAnswerDue = !nodes.isEmpty && !(areMany && lastRound != nil && silent.isEmpty)
            (silent, lastRound) = (nodes, nodes.isEmpty ? nil : now)
        }
        return (gone.isEmpty ? [] : left) + (isAnswerDue ? [.showInstallation] : [])
    }

    /// After a copy has gone: the last one has removed our entities as those of its own former node, so they are announced
    /// again.
    private var left: [TopicOwnership.Action] { (nodes.isEmpty ? [.duplicatesGone] : []) + [update] }

    private var update: TopicOwnership.Action {
        let names = nodes.sorted()
        guard let first = names.first else { return .send(.alertCleared(Self.alert)) }
        let others = names.count > 1 ? "\(first) and \(names.count - 1) more" : first
        let message = """
            The daemon of the node \(others) runs with a copy of this state folder: Home Assistant takes their entities \
            for the same, and a Flare server their devices. Remove the state folder of the copy.
            """
        return .send(.alertRaised(Self.alert, .error, message: message))
    }
}
