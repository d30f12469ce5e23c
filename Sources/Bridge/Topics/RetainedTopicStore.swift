package import MQTT

/// What the broker should hold, and what of it is still to be sent.
///
/// Only differences are sent; a topic that changes faster than it may is sent when its time has come, with its
/// newest payload; after a reconnect everything is sent again.
package struct RetainedTopicStore: Sendable {
    /// Which topics go first after a reconnect.
    /// - Source: the MQTT contract, rule 6.
    package enum Rank: Int, Sendable, Comparable {
        case status, info, model, view

        package static func < (left: Rank, right: Rank) -> Bool { left.rawValue < right.rawValue }
    }

    private struct Page {
        var message: MQTTMessage
        var rank: Rank
        /// The least time between two sendings, milliseconds.
        var spacing: Int64
        var sentAt: Int64?
        var order: Int
    }

    private var pages: [String: Page] = [:]
    private var unsent: Set<String> = []
    private var nextOrder = 0

    package init() {}

    /// States what a topic should hold.
    /// - Parameter spacing: The least time between two sendings of the topic, milliseconds; 0 at once.
    package mutating func state(_ message: MQTTMessage, rank: Rank = .view, spacing: Int64 = 0) {
        if var page = pages[message.topic] {
            page.spacing = spacing
            guard page.message != message else {
                pages[message.topic] = page
                return
            }
            page.message = message
            pages[message.topic] = page
        } else {
            nextOrder += 1
            pages[message.topic] = Page(
                message: message,
                rank: rank,
                spacing: spacing,
                sentAt: nil,
                order: nextOrder
            )
        }
        unsent.insert(message.topic)
    }

    /// States that a topic should hold nothing (any more).
    package mutating func clear(_ topic: String) {
        state(MQTTMessage(topic: topic, payload: [], qos: .atLeastOnce, isRetained: true))
    }

    /// States that no topic should hold anything any more.
    package mutating func clearAll() {
        for topic in pages.keys.sorted() { clear(topic) }
        for topic in pages.keys { pages[topic]?.sentAt = nil }
    }

    /// How long ago a topic was sent last, milliseconds; `nil` when it was not.
    package func age(of topic: String, at now: Int64) -> Int64? { pages[topic]?.sentAt.map { now - $0 } }

    /// Whether nothing is left to be sent.
    package var isSent: Bool { unsent.isEmpty }

    /// Sends a topic once more though it has not changed.
    package mutating func repeatTopic(_ topic: String) {
        guard let page = pages[topic], !page.message.payload.isEmpty else { return }
        pages[topic]?.sentAt = nil
        unsent.insert(topic)
    }

    /// The broker may have lost everything: all of it is to be sent.
    package mutating func startAgain() {
        unsent = Set(pages.keys)
        for topic in pages.keys { pages[topic]?.sentAt = nil }
    }

    /// The topics that hold something, in the order in which all are sent.
    package var topics: [String] {
        pages.filter { !$0.value.message.payload.isEmpty }
            .sorted { ($0.value.rank, $0.value.order) < ($1.value.rank, $1.value.order) }.map(\.key)
    }

    /// Whether a topic holds something, for questions about what was published.
    package func holds(_ topic: String) -> Bool {
        pages[topic].map { !$0.message.payload.isEmpty } ?? false
    }

    /// What is due, by rank, then in the order in which the topics first came.
    /// - Parameter last: The last rank that counts.
    package func due(at now: Int64, upTo last: Rank = .view) -> [MQTTMessage] {
        if unsent.count == 1, let topic = unsent.first, let page = pages[topic] {
            return isDue(page, now) && page.rank <= last ? [page.message] : []
        }
        return unsent.compactMap { pages[$0] }.filter { isDue($0, now) && $0.rank <= last }
            .sorted { ($0.rank, $0.order) < ($1.rank, $1.order) }.map(\.message)
    }

    private func isDue(_ page: Page, _ now: Int64) -> Bool {
        page.sentAt.map { now - $0 >= page.spacing } ?? true
    }

    /// A message was handed over.
    package mutating func sent(_ message: MQTTMessage, at now: Int64) {
        guard let page = pages[message.topic], page.message == message else { return }
        unsent.remove(message.topic)
        // The room that everything took after a connect is not needed again for long.
        if unsent.isEmpty { unsent = [] }
        if message.payload.isEmpty, message.isRetained {
            // Kept until it was sent once: what is gone need not be known for ever.
            pages[message.topic] = nil
        } else {
            pages[message.topic]?.sentAt = now
        }
    }

    /// When the next message that had to wait is due; `nil` when none waits for its time.
    package func nextDue(after now: Int64) -> Int64? {
        unsent.compactMap { topic -> Int64? in
            guard let page = pages[topic], let sentAt = page.sentAt else { return nil }
            let due = sentAt + page.spacing
            return due > now ? due : nil
        }.min()
    }
}
