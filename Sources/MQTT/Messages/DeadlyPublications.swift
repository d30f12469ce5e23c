/// The oldest publication when a link ended without an explanation; on the next one it is sent alone.
struct SuspectPublication {
    let ticket: UInt64
    /// When it was sent over the present link; nothing else is sent before and while it is under way.
    var sentAt: ContinuousClock.Instant?
    /// The links in a row that ended right after it was sent.
    private(set) var losses = 0

    /// A link that ends later than this after a publication did not end because of it.
    ///
    /// The shortest keep-alive is no shorter, so that a broker that does not answer any more is not mistaken for one
    /// that refuses something.
    private static let shortTime = Duration.seconds(5)

    init(ticket: UInt64) { self.ticket = ticket }

    /// The link ended without an explanation.
    mutating func linkEnded(at now: ContinuousClock.Instant) {
        guard let sentAt else { return }
        losses = now - sentAt <= Self.shortTime ? losses + 1 : 0
        self.sentAt = nil
    }

    /// The link ended for a reason that has nothing to do with publications.
    mutating func acquit() { (sentAt, losses) = (nil, 0) }
}

/// What a broker ends links for instead of refusing it: what is too large for it, and topics that it does not like.
struct DeadlyPublications {
    /// The largest publication that the broker has accepted, bytes, and the smallest that it seems to be ending links
    /// for; a broker of 3.1.1 does not tell its limit.
    private var acceptedBytes = 0
    private var refusedBytes = Int.max
    /// The latest last.
    private var topics: [(name: String, error: MQTTPublishError, until: ContinuousClock.Instant)] = []

    /// A publication is the cause when so many links in a row end right after it was sent alone.
    private static let patience = 3
    /// The same once a size is known that the broker does not accept, for larger ones than it has accepted.
    private static let shortPatience = 2
    /// No broker has a limit below, bytes.
    private static let smallestLimit = 1024
    private static let maximumTopics = 100
    /// A topic is tried again after this: a broker that died several times in a row looks the same.
    private static let pause = Duration.seconds(600)

    /// Why a publication is not sent; `nil` if it is.
    ///
    /// - Parameter now: Asked only when it matters.
    func error(
        of message: MQTTMessage,
        at now: @autoclosure () -> ContinuousClock.Instant = .now
    ) -> MQTTPublishError? {
        if message.size >= refusedBytes {
            return .tooLarge(topic: message.topic, bytes: message.payload.count)
        }
        return topics.first { $0.name == message.topic && now() < $0.until }?.error
    }

    mutating func accepted(_ size: Int) { acceptedBytes = max(acceptedBytes, size) }

    /// Learns from the end of a link.
    ///
    /// - Parameter losses: The links in a row that ended right after this publication.
    /// - Returns: Why it is given up; `nil` if it is sent again.
    mutating func judge(
        _ message: MQTTMessage,
        losses: Int,
        code: Int,
        reason: String,
        at now: ContinuousClock.Instant
    ) -> MQTTPublishError? {
        let mayBeTooLarge = message.size > max(acceptedBytes, Self.smallestLimit)
        let patience = mayBeTooLarge && refusedBytes < .max ? Self.shortPatience : Self.patience
        guard losses >= patience else { return nil }
        let error = MQTTPublishError.refusedByBroker(
            topic: message.topic,
            code: code,
            reason: "\(MQTTPublishError.endedLinks) \(losses) links right after this was sent: \(reason)"
        )
        if mayBeTooLarge {
            refusedBytes = message.size
        } else {
            topics.removeAll { $0.until <= now || $0.name == message.topic }
            if topics.count >= Self.maximumTopics { topics.removeFirst() }
            topics.append((message.topic, error, now + Self.pause))
        }
        return error
    }
}
