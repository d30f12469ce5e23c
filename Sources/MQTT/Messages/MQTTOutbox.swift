import CMosquitto
import DequeModule

/// Unfinished publications, in order of creation, which are sent again on every link.
///
/// QoS 1 stays until it is acknowledged, even without a link; no more of them are under way than the broker
/// accepts. QoS 0 stays only until it is written, so that a slow socket cannot accumulate messages without limit.
package struct MQTTOutbox {
    package enum Admission {
        /// It is sent by ``next()``, at once or when the broker has room.
        case accept
        case drop
        case refuse(MQTTPublishError)
    }

    /// A publication to write now.
    package struct Outgoing {
        /// The packet identifier; 0 with QoS 0.
        package let id: UInt16
        let packet: PublishPacket
        fileprivate let entry: Entry
        package var message: MQTTMessage { entry.message }
    }

    /// Receives the result of a publication; a class, because most publications have none.
    package final class Waiter: Sendable {
        private let results: AsyncStream<MQTTPublishError?>.Continuation
        /// Whether a publication that no client reads has failed.
        fileprivate let needsReader: Bool

        init(_ results: AsyncStream<MQTTPublishError?>.Continuation, needsReader: Bool) {
            (self.results, self.needsReader) = (results, needsReader)
        }

        fileprivate func resume(_ error: MQTTPublishError?) {
            results.yield(error)
            results.finish()
        }
    }

    /// A finished publication and its waiting caller.
    package struct Completion {
        fileprivate let entry: Entry
        package let error: MQTTPublishError?
        /// Whether the broker has said that no client has subscribed to its topic; one with MQTT 3.1.1 never does.
        package var isUnread = false
        package var message: MQTTMessage { entry.message }

        func resumeWaiter() {
            guard let waiter = entry.waiter else { return }
            let isLost = error == nil && isUnread && waiter.needsReader
            waiter.resume(isLost ? .unread(topic: message.topic) : error)
        }
    }

    private typealias Ticket = UInt64

    fileprivate struct Entry {
        /// What never changes; a class, because entries are copied at every step.
        private final class Publication: Sendable {
            let message: MQTTMessage
            let size: Int
            let waiter: Waiter?

            init(_ message: MQTTMessage, _ waiter: Waiter?) {
                (self.message, self.size, self.waiter) = (message, message.size, waiter)
            }
        }

        private let publication: Publication
        /// Whether it is under way over the present link.
        var isSent = false

        init(message: MQTTMessage, waiter: Waiter?) { publication = Publication(message, waiter) }

        var message: MQTTMessage { publication.message }
        /// See ``MQTTMessage/size``.
        var size: Int { publication.size }
        var waiter: Waiter? { publication.waiter }
    }

    /// What completes when a publication of QoS 0 is written.
    private enum Written {
        case publication(Entry)
        /// One of QoS 1, over a link of a broker that has only QoS 0.
        case reduced(Ticket)
    }

    /// Identifiers have 16 bits, of which the library uses the lower half for its own packets: none may be reused
    /// while the oldest publication still holds it.
    private static let maximumSpan = 32_000
    /// Capacity kept while the queue is empty.
    private static let retainedCapacity = 256
    /// Most bytes of unacknowledged publications.
    private static let maximumBytes = 64 << 20
    /// The reason code of MQTT 5 for a publication that was accepted, but has no reader.
    private static let noSubscribers: Int32 = 0x10

    /// The most publications of each kind.
    var limit: Int {
        get { most }
        set { most = min(max(newValue, 1), 30_000) }
    }
    private var most: Int
    /// QoS 1 by ticket, from `oldest` on; `nil` for what is finished.
    private var entries: Deque<Entry?> = []
    private var oldest: Ticket = 0
    private var isLarge = false
    private var wasRefused = false
    /// Unacknowledged publications of QoS 1.
    package private(set) var count = 0
    /// Their bytes.
    private var bytes = 0

    /// The link that accepts publications; 0 for none.
    private var link: UInt64 = 0
    private var limits = MQTTLimits()
    /// The next ticket to send; those before it are under way or finished.
    private var nextToSend: Ticket = 0
    private var underWay = 0
    private var window = 0
    /// QoS 0 that is still to be sent, and that is sent but not written.
    private var unsent: Deque<Entry> = []
    private var unwritten: Deque<Written> = []

    private var birthTicket: Ticket?
    private var isBirthDue = false
    private var suspect: SuspectPublication?
    /// The tickets below are suspects one after the other.
    private var suspectsEnd: Ticket = 0
    /// Whether there was a suspect when the link was made.
    private var isTrial = false
    /// What the broker ends links for.
    ///
    /// It is forgotten when a link ends while nothing waits: the configuration of the broker may have changed. A link on
    /// which not even the birth message was acknowledged says nothing: the broker, or something before it, was not well.
    private var deadly = DeadlyPublications()

    package init(limit: Int) {
        most = 1
        self.limit = limit
    }

    // MARK: Publications

    /// Takes a publication into the queue, or says why not.
    ///
    /// - Parameter now: Asked only when it matters.
    package mutating func admit(
        _ message: MQTTMessage,
        waiter: Waiter?,
        at now: @autoclosure () -> ContinuousClock.Instant = .now
    ) -> Admission {
        guard link == 0 || limits.accepts(PublishPacket(message, over: limits)) else {
            return .refuse(.tooLarge(topic: message.topic, bytes: message.payload.count))
        }
        if let known = deadly.error(of: message, at: now()) { return .refuse(known) }
        if message.qos == .atMostOnce {
            guard link != 0, unsent.count + unwritten.count < limit else { return .drop }
            unsent.append(Entry(message: message, waiter: waiter))
            return .accept
        }
        guard count < limit, entries.count < Self.maximumSpan, bytes + message.size <= Self.maximumBytes
        else {
            wasRefused = true
            return .refuse(.queueFull(limit: count))
        }
        _ = append(Entry(message: message, waiter: waiter))
        return .accept
    }

    private mutating func append(_ entry: Entry) -> Ticket {
        entries.append(entry)
        count += 1
        bytes += entry.size
        if entries.count > Self.retainedCapacity { isLarge = true }
        return oldest + Ticket(entries.count - 1)
    }

    private subscript(ticket: Ticket) -> Entry? {
        ticket >= oldest && ticket < oldest + Ticket(entries.count) ? entries[Int(ticket - oldest)] : nil
    }

    /// The next publication to send; `nil` when there is none, or the broker has no room.
    ///
    /// - Parameter now: Asked only when it matters.
    package mutating func next(at now: @autoclosure () -> ContinuousClock.Instant = .now) -> Outgoing? {
        guard link != 0 else { return nil }
        if isBirthDue, let birthTicket {
            isBirthDue = false
            return send(birthTicket)
        }
        if let suspect {
            guard suspect.sentAt == nil, !isBirthWaiting else { return nil }
            self.suspect?.sentAt = now()
            return send(suspect.ticket)
        }
        if let entry = unsent.popFirst() {
            unwritten.append(.publication(entry))
            return Outgoing(id: 0, packet: PublishPacket(entry.message, over: limits), entry: entry)
        }
        while nextToSend < oldest + Ticket(entries.count) {
            if let entry = self[nextToSend], !entry.isSent {
                guard underWay < window else { return nil }
                nextToSend += 1
                return send(nextToSend - 1)
            }
            nextToSend += 1
        }
        return nil
    }

    private mutating func send(_ ticket: Ticket) -> Outgoing? {
        guard let entry = self[ticket] else { return nil }
        entries[Int(ticket - oldest)]?.isSent = true
        underWay += 1
        let packet = PublishPacket(entry.message, over: limits)
        guard packet.qos != .atMostOnce else {
            unwritten.append(.reduced(ticket))
            return Outgoing(id: 0, packet: packet, entry: entry)
        }
        return Outgoing(id: Self.identifier(ticket), packet: packet, entry: entry)
    }

    private static func identifier(_ ticket: Ticket) -> UInt16 { 0x8000 | UInt16(ticket & 0x7FFF) }

    /// It cannot be sent over this link: QoS 1 waits for the next one, QoS 0 is dropped.
    mutating func unsendable(_ outgoing: Outgoing) -> Completion? {
        guard outgoing.id == 0, case .publication(let entry)? = unwritten.popLast() else { return nil }
        return Completion(entry: entry, error: .notConnected)
    }

    /// The oldest publications of QoS 0 are written.
    package mutating func written(_ number: Int, link: UInt64) -> [Completion] {
        guard link == self.link else { return [] }
        return (0..<number).compactMap { _ in
            switch unwritten.popFirst() {
            case .publication(let entry): Completion(entry: entry, error: nil)
            case .reduced(let ticket): finish(ticket, nil)
            case nil: nil
            }
        }
    }

    /// The broker acknowledged one.
    ///
    /// - Parameter code: The MQTT 5 reason code; from 0x80 on it is a refusal.
    package mutating func acknowledged(_ id: UInt16, link: UInt64, code: Int32) -> Completion? {
        let ticket = ticket(of: id)
        guard link == self.link, let entry = self[ticket], entry.isSent else { return nil }
        guard code < 0x80 else {
            let reason = String(cString: mosquitto_reason_string(code))
            return finish(
                ticket,
                .refusedByBroker(topic: entry.message.topic, code: Int(code), reason: reason)
            )
        }
        deadly.accepted(entry.size)
        var completion = finish(ticket, entry, nil)
        completion.isUnread = code == Self.noSubscribers
        return completion
    }

    /// The ticket with this identifier that may be there.
    private func ticket(of id: UInt16) -> Ticket {
        oldest + ((Ticket(id) &- oldest) & 0x7FFF)
    }

    /// True once after a refusal, when the queue is half empty again.
    package mutating func hasDrained() -> Bool {
        guard wasRefused, count <= limit / 2 else { return false }
        wasRefused = false
        return true
    }

    private mutating func finish(_ ticket: Ticket, _ error: MQTTPublishError?) -> Completion? {
        self[ticket].flatMap { finish(ticket, $0, error) }
    }

    private mutating func finish(_ ticket: Ticket, _ entry: Entry, _ error: MQTTPublishError?) -> Completion {
        entries[Int(ticket - oldest)] = nil
        count -= 1
        bytes -= entry.size
        if entry.isSent { underWay -= 1 }
        while let first = entries.first, first == nil {
            entries.removeFirst()
            oldest += 1
        }
        // Frees the memory of a large backlog, such as that after a connect.
        if entries.isEmpty, isLarge { (entries, isLarge) = ([], false) }
        if suspect?.ticket == ticket { suspect = oldestWaiting(below: suspectsEnd) }
        return Completion(entry: entry, error: error)
    }

    // MARK: Links

    /// A link accepts publications from now on: the birth message first, then those of before.
    ///
    /// - Parameters:
    ///   - window: The most to be under way at a time, if the broker does not accept fewer.
    ///   - birth: The first of all.
    /// - Returns: What is too large for this broker.
    package mutating func linkUp(
        _ number: UInt64,
        _ limits: MQTTLimits = MQTTLimits(),
        window: Int = 100,
        birth: MQTTMessage? = nil
    ) -> [Completion] {
        (link, self.limits, nextToSend, underWay) = (number, limits, oldest, 0)
        isTrial = suspect != nil
        // The identifiers of what is under way must differ.
        self.window = min(max(min(window, limits.receiveMaximum), 1), Self.maximumSpan)
        if let birth {
            // One that was not acknowledged over the last link is sent now, and no second time.
            if birthTicket.flatMap({ self[$0] }) == nil {
                birthTicket = append(Entry(message: birth, waiter: nil))
            }
            isBirthDue = true
        } else {
            birthTicket = nil
        }
        return dropTooLarge { !limits.accepts(PublishPacket($0, over: limits)) }
    }

    private mutating func dropTooLarge(where isTooLarge: (MQTTMessage) -> Bool) -> [Completion] {
        tickets(where: isTooLarge).compactMap { ticket in
            guard let message = self[ticket]?.message else { return nil }
            return finish(ticket, .tooLarge(topic: message.topic, bytes: message.payload.count))
        }
    }

    private func tickets(where isSelected: (MQTTMessage) -> Bool) -> [Ticket] {
        entries.indices.filter { entries[$0].map { isSelected($0.message) } ?? false }
            .map { oldest + Ticket($0) }
    }

    /// The link is gone: unwritten QoS 0 is dropped, the rest waits for the next link.
    ///
    /// Some brokers end the link on a publication that they refuse, and would do so for ever: the oldest one is sent
    /// again on the next. So after an unexplained end nothing but the birth message and the oldest publication is sent
    /// until both are acknowledged. If three such links in a row end right after that one, it alone can be the cause, and
    /// is dropped.
    package mutating func linkDown(
        _ end: MQTTLinkEnd = .unexplained(code: 0, reason: "no reason given"),
        at now: ContinuousClock.Instant = .now
    ) -> [Completion] {
        guard link != 0 else { return [] }
        (link, isBirthDue, underWay) = (0, false, 0)
        for index in entries.indices { entries[index]?.isSent = false }
        let completions = dropUnwritten(.notConnected)
        guard let waiting = oldestWaiting() else {
            if !isBirthWaiting { deadly = DeadlyPublications() }
            return completions
        }
        guard case .unexplained(let code, let reason) = end else {
            suspect?.acquit()
            return completions
        }
        guard var tested = suspect, let message = self[tested.ticket]?.message else {
            // It has ended although the first was acknowledged: the next time each is sent alone that was under way.
            suspectsEnd = isTrial ? nextToSend : 0
            suspect = waiting
            return completions
        }
        tested.linkEnded(at: now)
        suspect = tested
        guard let error = deadly.judge(message, losses: tested.losses, code: code, reason: reason, at: now)
        else {
            return completions
        }
        let culprit = finish(tested.ticket, error).map { [$0] } ?? []
        let similar = tickets { deadly.error(of: $0, at: now) != nil }.compactMap { ticket in
            self[ticket].flatMap { entry in finish(ticket, deadly.error(of: entry.message, at: now)) }
        }
        // There may be more of them.
        suspect = oldestWaiting()
        return completions + culprit + similar
    }

    /// The oldest unacknowledged publication that is not the birth message.
    private func oldestWaiting(below end: Ticket = .max) -> SuspectPublication? {
        let first = entries.indices.first { entries[$0] != nil && oldest + Ticket($0) != birthTicket }
        guard let ticket = first.map({ oldest + Ticket($0) }), ticket < end else { return nil }
        return SuspectPublication(ticket: ticket)
    }

    private var isBirthWaiting: Bool { birthTicket.flatMap { self[$0] } != nil }

    private mutating func dropUnwritten(_ error: MQTTPublishError) -> [Completion] {
        let dropped = unwritten.compactMap { if case .publication(let entry) = $0 { entry } else { nil } }
        defer { (unsent, unwritten) = ([], []) }
        return (dropped + unsent).map { Completion(entry: $0, error: error) }
    }

    /// Drops everything.
    package mutating func close() -> [Completion] {
        dropUnwritten(.stopped) + tickets { _ in true }.compactMap { finish($0, .stopped) }
    }
}
