package import JSON
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

    /// Where an entry is in the store; its order tells whether it is still the same entry.
    package struct Slot: Sendable, Hashable {
        fileprivate let index: Int
        fileprivate let order: Int
    }

    /// A topic for who sets it often: its name is looked for only once.
    package struct Topic: Sendable {
        package let name: String
        fileprivate var slot: Slot?

        package init(_ name: String) { self.name = name }
    }

    private struct Entry {
        var message: MQTTMessage
        var rank: Rank
        /// The minimum interval between two messages, milliseconds.
        var spacing: Int64
        var sentAt: Int64?
        /// 0 for an entry that is free.
        var order: Int
        var isUnsent = false
        /// Whether it is in the list of those that may be unsent.
        var isListed = false
    }

    private var entries: [Entry] = []
    private var indices: [String: Int] = [:]
    private var freeIndices: [Int] = []
    /// Those that are unsent, and some that were.
    private var listed: [Int] = []
    private var unsentCount = 0
    private var lastOrder = 0
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
        guard let index = indices[message.topic] else {
            add(message, rank, spacing)
            return
        }
        entries[index].spacing = spacing
        guard entries[index].message != message else { return }
        entries[index].message = message
        mark(index)
    }

    /// Sets what a topic should hold, without properties; nothing at all clears it.
    package mutating func set(
        _ topic: inout Topic,
        _ payload: borrowing JSONBuffer,
        qos: MQTTQoS = .atLeastOnce,
        rank: Rank = .view,
        spacing: Int64 = 0
    ) {
        if held.isEmpty, let index = index(of: &topic) {
            entries[index].spacing = spacing
            guard !payload.holds(entries[index].message.payload) else { return }
            entries[index].message.payload = payload.bytes
            entries[index].message.qos = qos
            return mark(index)
        }
        let message = MQTTMessage(topic: topic.name, payload: payload.bytes, qos: qos, isRetained: true)
        guard held.isEmpty else { return set(message, rank: rank, spacing: spacing) }
        topic.slot = add(message, rank, spacing)
    }

    /// Whether a topic holds something, or will once it is released.
    package func holds(_ topic: inout Topic) -> Bool {
        guard held.isEmpty else { return holds(topic.name) }
        return index(of: &topic).map { !entries[$0].message.payload.isEmpty } ?? false
    }

    private func index(of topic: inout Topic) -> Int? {
        if let slot = topic.slot, entries.indices.contains(slot.index),
            entries[slot.index].order == slot.order
        {
            return slot.index
        }
        let index = indices[topic.name]
        topic.slot = index.map { slot($0) }
        return index
    }

    @discardableResult
    private mutating func add(_ message: MQTTMessage, _ rank: Rank, _ spacing: Int64) -> Slot {
        lastOrder += 1
        let entry = Entry(message: message, rank: rank, spacing: spacing, order: lastOrder)
        let index = freeIndices.popLast() ?? entries.count
        if index < entries.count {
            let isListed = entries[index].isListed
            entries[index] = entry
            entries[index].isListed = isListed
        } else {
            // An array doubles by itself, and would have room for thousands more.
            if entries.count == entries.capacity { entries.reserveCapacity(index + index / 4 + 16) }
            entries.append(entry)
        }
        indices[message.topic] = index
        mark(index)
        return Slot(index: index, order: lastOrder)
    }

    // MARK: What is unsent

    private mutating func mark(_ index: Int) {
        if !entries[index].isUnsent { unsentCount += 1 }
        entries[index].isUnsent = true
        guard !entries[index].isListed else { return }
        entries[index].isListed = true
        listed.append(index)
    }

    private mutating func unmark(_ index: Int) {
        guard entries[index].isUnsent else { return }
        entries[index].isUnsent = false
        unsentCount -= 1
        // Seldom, so that each costs little.
        guard listed.count > 2 * unsentCount + 8 else { return }
        let all = listed
        // A new list: sending everything after a connect needed a long one.
        listed = []
        for index in all {
            entries[index].isListed = entries[index].isUnsent
            if entries[index].isUnsent { listed.append(index) }
        }
    }

    // MARK: Holding back

    /// Holds topics back: they are cleared if they were published, and what they get waits for ``release(_:)``.
    package mutating func hold(_ topics: [String]) {
        for topic in topics where held[topic] == nil {
            var published = indices[topic].map { entries[$0] }
            if published?.message.payload.isEmpty == true { published = nil }
            if published != nil {
                clear(topic)
                sendAtOnce(topic)
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
        if waiting.entry == nil { lastOrder += 1 }
        let order = waiting.entry?.order ?? lastOrder
        held[message.topic] = HeldTopic(
            entry: Entry(message: message, rank: rank, spacing: spacing, order: order)
        )
        return true
    }

    // MARK: Sending

    /// Clears a topic with an empty retained message.
    package mutating func clear(_ topic: String) {
        set(MQTTMessage(topic: topic, payload: [], qos: .atLeastOnce, isRetained: true))
    }

    package mutating func clearAll() {
        for topic in Set(indices.keys).union(held.keys).sorted() { clear(topic) }
        held = [:]
        for index in indices.values { entries[index].sentAt = nil }
    }

    private mutating func sendAtOnce(_ topic: String) {
        if let index = indices[topic] { entries[index].sentAt = nil }
    }

    /// Milliseconds since a topic was last sent; `nil` if it was not.
    package func age(of topic: String, at now: Int64) -> Int64? {
        indices[topic].flatMap { entries[$0].sentAt }.map { now - $0 }
    }

    /// Whether nothing is left to send.
    package var isSent: Bool { unsentCount == 0 }

    /// Sends a topic once more, although it has not changed.
    package mutating func resend(_ topic: String) {
        guard let index = indices[topic], !entries[index].message.payload.isEmpty else { return }
        entries[index].sentAt = nil
        mark(index)
    }

    /// Sends everything once more: the broker may have lost it.
    package mutating func resendAll() {
        for index in indices.values {
            entries[index].sentAt = nil
            mark(index)
        }
    }

    /// The topics that hold something, in the order in which they are sent.
    package var topics: [String] {
        let holding = indices.values.filter { !entries[$0].message.payload.isEmpty }
        return inOrder(holding.map { slot($0) }).map { self[$0].topic }
    }

    /// Whether a topic holds something, or will once it is released.
    package func holds(_ topic: String) -> Bool {
        if let waiting = held[topic] { return waiting.entry != nil }
        return indices[topic].map { !entries[$0].message.payload.isEmpty } ?? false
    }

    /// The messages to send, by rank and then in the order in which their topics were first set.
    /// - Parameter last: The last rank to send.
    package func due(at now: Int64, upTo last: Rank = .view) -> [Slot] {
        guard unsentCount > 0 else { return [] }
        var due: [Slot] = []
        due.reserveCapacity(unsentCount)
        for index in listed where entries[index].isUnsent && isDue(index, now) && entries[index].rank <= last
        {
            due.append(slot(index))
        }
        return due.count > 1 ? inOrder(due) : due
    }

    private func slot(_ index: Int) -> Slot { Slot(index: index, order: entries[index].order) }

    private func inOrder(_ slots: [Slot]) -> [Slot] {
        slots.sorted { (entries[$0.index].rank, $0.order) < (entries[$1.index].rank, $1.order) }
    }

    private func isDue(_ index: Int, _ now: Int64) -> Bool {
        entries[index].sentAt.map { now - $0 >= entries[index].spacing } ?? true
    }

    package subscript(slot: Slot) -> MQTTMessage { entries[slot.index].message }

    /// Records that the message of a slot was handed to the client.
    package mutating func recordSent(_ slot: Slot, at now: Int64) {
        let index = slot.index
        unmark(index)
        guard entries[index].message.payload.isEmpty, entries[index].message.isRetained else {
            entries[index].sentAt = now
            return
        }
        indices[entries[index].message.topic] = nil
        entries[index].order = 0
        freeIndices.append(index)
    }

    /// Records that a message was handed to the client, unless its topic holds another one by now.
    package mutating func recordSent(_ message: MQTTMessage, at now: Int64) {
        guard let index = indices[message.topic], entries[index].message == message else { return }
        recordSent(slot(index), at: now)
    }

    /// When the next topic that waits for its interval is due; `nil` if none waits.
    package func nextDue(after now: Int64) -> Int64? {
        guard unsentCount > 0 else { return nil }
        return listed.compactMap { index -> Int64? in
            guard entries[index].isUnsent, let sentAt = entries[index].sentAt else { return nil }
            let due = sentAt + entries[index].spacing
            return due > now ? due : nil
        }.min()
    }
}
