import CMosquitto

/// Unfinished publications, in order of creation, which are sent again on every link.
///
/// QoS 1 and 2 stay until they are acknowledged, even without a link. QoS 0 stays only until it is written,
/// so that a slow socket cannot accumulate messages without limit.
package struct MQTTOutbox {
    package typealias Ticket = UInt64
    package typealias Waiter = AsyncStream<MQTTPublishError?>.Continuation

    package enum Admission {
        /// Pass it to the library now, then call ``accepted(_:link:messageID:)``.
        case send(Ticket)
        /// It is queued.
        case keep
        case drop
        case refuse(MQTTPublishError)
    }

    /// A finished publication and its waiting caller.
    package struct Completion {
        package let message: MQTTMessage
        let waiter: Waiter?
        package let error: MQTTPublishError?

        func resumeWaiter() {
            waiter?.yield(error)
            waiter?.finish()
        }
    }

    private struct Entry {
        let message: MQTTMessage
        let waiter: Waiter?
        /// The link that it was last passed to.
        var link: UInt64
    }

    /// Message ids have 16 bits: none may be reused while the oldest publication still holds it.
    private static let maximumTicketSpan: Ticket = 60_000
    /// Capacity kept while the queue is empty.
    private static let retainedCapacity = 256
    /// A publication at the head of the queue when this many consecutive links ended is assumed to be the
    /// cause.
    private static let patience = 5
    /// The same once a size is known that the broker does not accept, for larger ones than it has accepted.
    private static let shortPatience = 2

    /// The most publications of each kind.
    var limit: Int {
        get { most }
        set { most = min(max(newValue, 1), 30_000) }
    }
    private var most: Int
    private var entries: [Ticket: Entry] = [:]
    private var nextTicket: Ticket = 1
    private var oldestTicket: Ticket = 1
    /// Publications of QoS 0 among the entries.
    private var qos0Count = 0
    private var wasRefused = false

    /// The link that accepts publications; 0 for none.
    private var link: UInt64 = 0
    /// What must be passed to the current link before new publications.
    private var backlog: ArraySlice<Ticket> = []
    private var isReplaying = false
    private var tickets: [Int32: Ticket] = [:]

    /// Calls into the library that have not returned: an acknowledgement may arrive before the message id.
    private var pendingCalls = 0
    private var earlyAcknowledgements: [Int32: Int32] = [:]

    private var birthTicket: Ticket?
    private var head: Ticket = 0
    private var headLosses = 0

    /// The largest publication that the broker has accepted, bytes, and the smallest that it seems to be closing links for.
    ///
    /// A broker of 3.1.1 does not tell its limit. Both are forgotten when a link ends while nothing waits: the
    /// configuration of the broker may have changed.
    private var acceptedBytes = 0
    private var refusedBytes = Int.max

    package init(limit: Int) {
        most = 1
        self.limit = limit
    }

    /// Unacknowledged publications of QoS 1 and 2.
    package var count: Int { entries.count - qos0Count }

    package mutating func admit(_ message: MQTTMessage, waiter: Waiter?) -> Admission {
        while oldestTicket < nextTicket, entries[oldestTicket] == nil { oldestTicket += 1 }
        guard message.bytes < refusedBytes else {
            return .refuse(.tooLarge(topic: message.topic, bytes: message.payload.count))
        }
        let isQoS0 = message.qos == .atMostOnce
        let isFull =
            (isQoS0 ? qos0Count : count) >= limit || nextTicket - oldestTicket > Self.maximumTicketSpan
        if isQoS0 {
            guard link != 0, !isReplaying, !isFull else { return .drop }
        } else if isFull {
            wasRefused = true
            return .refuse(.queueFull(limit: limit))
        }
        let ticket = nextTicket
        nextTicket += 1
        if isQoS0 { qos0Count += 1 }
        let isSent = link != 0 && !isReplaying
        entries[ticket] = Entry(message: message, waiter: waiter, link: isSent ? link : 0)
        guard isSent else {
            if isReplaying { backlog.append(ticket) }
            return .keep
        }
        pendingCalls += 1
        return .send(ticket)
    }

    /// A link accepts publications from now on: first those of ``nextInBacklog()``.
    ///
    /// - Parameter birth: The first of all.
    package mutating func linkUp(_ number: UInt64, birth: MQTTMessage? = nil) {
        link = number
        isReplaying = true
        backlog = entries.keys.sorted()[...]
        guard let birth else { return }
        // One that was not acknowledged over the last link is sent now, and no second time.
        let ticket = birthTicket.flatMap { entries[$0] == nil ? nil : $0 } ?? nextTicket
        if ticket == nextTicket {
            nextTicket += 1
            if birth.qos == .atMostOnce { qos0Count += 1 }
            entries[ticket] = Entry(message: birth, waiter: nil, link: 0)
        }
        birthTicket = ticket
        backlog = [ticket] + backlog.filter { $0 != ticket }
    }

    /// The next publication to pass to a new link, in order of creation.
    ///
    /// - Returns: `nil` when there is none left; new ones are sent at once from then on.
    package mutating func nextInBacklog() -> (ticket: Ticket, message: MQTTMessage)? {
        while let ticket = backlog.popFirst() {
            guard let entry = entries[ticket] else { continue }
            entries[ticket]?.link = link
            pendingCalls += 1
            return (ticket, entry.message)
        }
        isReplaying = false
        return nil
    }

    /// The library accepted it under this id.
    package mutating func accepted(_ ticket: Ticket, link: UInt64, messageID: Int32) -> Completion? {
        defer { endCall() }
        guard link == self.link else { return nil }
        if let code = earlyAcknowledgements.removeValue(forKey: messageID) {
            return acknowledge(ticket, code)
        }
        tickets[messageID] = ticket
        return nil
    }

    /// The library did not accept it: permanently, or (`error` is `nil`) until the next link.
    package mutating func rejected(_ ticket: Ticket, error: MQTTPublishError?) -> Completion? {
        endCall()
        if let error { return finish(ticket, error) }
        guard let entry = entries[ticket], entry.message.qos == .atMostOnce else { return nil }
        return finish(ticket, .notConnected)
    }

    /// The broker acknowledged it, or (QoS 0) it was written.
    ///
    /// - Parameter code: The MQTT 5 reason code; from 0x80 on it is a refusal.
    package mutating func acknowledged(_ messageID: Int32, link: UInt64, code: Int32) -> Completion? {
        guard link == self.link else { return nil }
        guard let ticket = tickets.removeValue(forKey: messageID) else {
            if pendingCalls > 0 { earlyAcknowledgements[messageID] = code }
            return nil
        }
        return acknowledge(ticket, code)
    }

    private mutating func acknowledge(_ ticket: Ticket, _ code: Int32) -> Completion? {
        let completion = finish(ticket, refusal(of: ticket, code))
        if let completion, completion.error == nil, completion.message.qos != .atMostOnce {
            acceptedBytes = max(acceptedBytes, completion.message.bytes)
        }
        return completion
    }

    /// The link is gone: unwritten QoS 0 is dropped, the rest waits for the next link.
    ///
    /// A publication that was the oldest at the end of five links is dropped too: some brokers disconnect on
    /// publications that they refuse, and would do so for ever.
    package mutating func linkDown() -> [Completion] {
        guard link != 0 else { return [] }
        link = 0
        isReplaying = false
        backlog = []
        tickets = [:]
        earlyAcknowledgements = [:]
        let written = entries.filter { $0.value.message.qos == .atMostOnce }.keys.sorted()
        var completions = written.compactMap { finish($0, .notConnected) }
        guard let oldest = entries.keys.min(), let message = entries[oldest]?.message else {
            (acceptedBytes, refusedBytes) = (0, .max)
            return completions
        }
        headLosses = head == oldest ? headLosses + 1 : 1
        head = oldest
        let mayBeTooLarge = message.bytes > acceptedBytes
        let patience = mayBeTooLarge && refusedBytes < .max ? Self.shortPatience : Self.patience
        guard headLosses >= patience else { return completions }
        let reason = "\(patience) links ended while it was the next to be acknowledged"
        if let given = finish(oldest, .refusedByBroker(topic: message.topic, code: 0, reason: reason)) {
            completions.append(given)
        }
        guard mayBeTooLarge else { return completions }
        refusedBytes = message.bytes
        let others = entries.filter { $0.value.message.bytes >= refusedBytes }.keys.sorted()
        return completions
            + others.compactMap { ticket in
                guard let message = entries[ticket]?.message else { return nil }
                return finish(ticket, .tooLarge(topic: message.topic, bytes: message.payload.count))
            }
    }

    /// Drops everything.
    package mutating func close() -> [Completion] {
        entries.keys.sorted().compactMap { finish($0, .stopped) }
    }

    /// True once after a refusal, when the queue is half empty again.
    package mutating func hasDrained() -> Bool {
        guard wasRefused, count <= limit / 2 else { return false }
        wasRefused = false
        return true
    }

    private mutating func finish(_ ticket: Ticket, _ error: MQTTPublishError?) -> Completion? {
        guard let entry = entries.removeValue(forKey: ticket) else { return nil }
        if entry.message.qos == .atMostOnce { qos0Count -= 1 }
        // Frees the memory of a large backlog, such as that after a connect.
        if entries.isEmpty, entries.capacity > Self.retainedCapacity {
            entries = [:]
            tickets = [:]
        }
        return Completion(message: entry.message, waiter: entry.waiter, error: error)
    }

    private func refusal(of ticket: Ticket, _ code: Int32) -> MQTTPublishError? {
        guard code >= 0x80, let topic = entries[ticket]?.message.topic else { return nil }
        let reason = String(cString: mosquitto_reason_string(code))
        return .refusedByBroker(topic: topic, code: Int(code), reason: reason)
    }

    private mutating func endCall() {
        pendingCalls -= 1
        if pendingCalls == 0 { earlyAcknowledgements = [:] }
    }
}

extension MQTTMessage {
    /// Bytes of topic and payload, which a broker's limit counts most of.
    fileprivate var bytes: Int { topic.utf8.count + payload.count }
}
