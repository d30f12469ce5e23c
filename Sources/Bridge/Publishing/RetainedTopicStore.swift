package import MQTT

/// What the broker should retain, and which of it is still to be sent.
///
/// Only differences are sent. A topic with a minimum interval is sent with its newest payload when the interval is over.
/// After a reconnect everything is sent again.
package struct RetainedTopicStore: Sendable {
    /// The order in which topics are sent after a reconnect.
    /// - Source: contrib/contract/mqtt.md, "Rule 6: availability is true after every reconnect".
    package enum Rank: Int, Sendable, Comparable {
        case status, info, model, view

        package static func < (left: Rank, right: Rank) -> Bool { left.rawValue < right.rawValue }
    }

    private struct Entry {
        var message: MQTTMessage
        var rank: Rank
        /// The minimum interval between two messages, milliseconds.
        var spacing: Int64
        var sentAt: Int64?
        var order: Int
    }

    private var entries: [String: Entry] = [:]
    private var unsent: Set<String> = []
    private var nextOrder = 0
    /// Topics that are held back, each with what it gets when it is released.
    private var held: [String: HeldTopic] = [:]

    private struct HeldTopic {
        var entry: Entry?
    }

    package init() {}

    /// Sets what a topic should hold.
    /// - Parameter spacing: The minimum interval between two messages, milliseconds; 0 sends at once.
    package mutating func set(_ message: MQTTMessage, rank: Rank = .view, spacing: Int64 = 0) {
        if !held.isEmpty, isKept(message, rank, spacing) { return }
        if var entry = entries[message.topic] {
            entry.spacing = spacing
            guard entry.message != message else {
                entries[message.topic] = entry
                return
            }
            entry.message = message
            entries[message.topic] = entry
        } else {
            nextOrder += 1
            entries[message.topic] = Entry(
                message: message,
                rank: rank,
                spacing: spacing,
                sentAt: nil,
                order: nextOrder
            )
        }
        unsent.insert(message.topic)
    }

    // MARK: Holding back

    /// Holds topics back: they are cleared if they were published, and what they get waits for ``release(_:)``.
    package mutating func hold(_ topics: [String]) {
        for topic in topics where held[topic] == nil {
            var published = entries[topic]
            if published?.message.payload.isEmpty == true { published = nil }
            published?.sentAt = nil
            if published != nil {
                clear(topic)
                entries[topic]?.sentAt = nil
            }
            held[topic] = HeldTopic(entry: published)
        }
    }

    /// Sends what topics have got since they were held back.
    package mutating func release(_ topics: some Sequence<String>) {
        let waiting = topics.compactMap { held.removeValue(forKey: $0)?.entry }
        for entry in waiting.sorted(by: { $0.order < $1.order }) {
            set(entry.message, rank: entry.rank, spacing: entry.spacing)
        }
    }

    /// Whether a message waits, because its topic is held back; one that clears the topic never does.
    private mutating func isKept(_ message: MQTTMessage, _ rank: Rank, _ spacing: Int64) -> Bool {
        guard let waiting = held[message.topic] else { return false }
        guard !message.payload.isEmpty else {
            held[message.topic] = HeldTopic()
            return false
        }
        if waiting.entry == nil { nextOrder += 1 }
        held[message.topic] = HeldTopic(
            entry: Entry(
                message: message,
                rank: rank,
                spacing: spacing,
                sentAt: nil,
                order: waiting.entry?.order ?? nextOrder
            )
        )
        return true
    }

    // MARK: Sending

    /// Clears a topic with an empty retained message.
    package mutating func clear(_ topic: String) {
        set(MQTTMessage(topic: topic, payload: [], qos: .atLeastOnce, isRetained: true))
    }

    package mutating func clearAll() {
        for topic in Set(entries.keys).union(held.keys).sorted() { clear(topic) }
        held = [:]
        for topic in entries.keys { entries[topic]?.sentAt = nil }
    }

    /// Milliseconds since a topic was last sent; `nil` if it was not.
    package func age(of topic: String, at now: Int64) -> Int64? { entries[topic]?.sentAt.map { now - $0 } }

    /// Whether nothing is left to send.
    package var isSent: Bool { unsent.isEmpty }

    /// Sends a topic once more, although it has not changed.
    package mutating func resend(_ topic: String) {
        guard let entry = entries[topic], !entry.message.payload.isEmpty else { return }
        entries[topic]?.sentAt = nil
        unsent.insert(topic)
    }

    /// Sends everything once more: the broker may have lost it.
    package mutating func resendAll() {
        unsent = Set(entries.keys)
        for topic in entries.keys { entries[topic]?.sentAt = nil }
    }

    /// The topics that hold something, in the order in which they are sent.
    package var topics: [String] {
        entries.filter { !$0.value.message.payload.isEmpty }
            .sorted { ($0.value.rank, $0.value.order) < ($1.value.rank, $1.value.order) }.map(\.key)
    }

    /// Whether a topic holds something, or will once it is released.
    package func holds(_ topic: String) -> Bool {
        if let waiting = held[topic] { return waiting.entry != nil }
        return entries[topic].map { !$0.message.payload.isEmpty } ?? false
    }

    /// The messages to send, by rank and then in the order in which their topics were first set.
    /// - Parameter last: The last rank to send.
    package func due(at now: Int64, upTo last: Rank = .view) -> [MQTTMessage] {
        if unsent.count == 1, let topic = unsent.first, let entry = entries[topic] {
            return isDue(entry, now) && entry.rank <= last ? [entry.message] : []
        }
        return unsent.compactMap { entries[$0] }.filter { isDue($0, now) && $0.rank <= last }
            .sorted { ($0.rank, $0.order) < ($1.rank, $1.order) }.map(\.message)
    }

    private func isDue(_ entry: Entry, _ now: Int64) -> Bool {
        entry.sentAt.map { now - $0 >= entry.spacing } ?? true
    }

    /// Records that a message was handed to the client.
    package mutating func recordSent(_ message: MQTTMessage, at now: Int64) {
        guard let entry = entries[message.topic], entry.message == message else { return }
        unsent.remove(message.topic)
        // Frees the capacity that sending everything after a connect needed.
        if unsent.isEmpty { unsent = [] }
        if message.payload.isEmpty, message.isRetained {
            entries[message.topic] = nil
        } else {
            entries[message.topic]?.sentAt = now
        }
    }

    /// When the next topic that waits for its interval is due; `nil` if none waits.
    package func nextDue(after now: Int64) -> Int64? {
        unsent.compactMap { topic -> Int64? in
            guard let entry = entries[topic], let sentAt = entry.sentAt else { return nil }
            let due = sentAt + entry.spacing
            return due > now ? due : nil
        }.min()
    }
}
