import MQTT
import Testing

/// Publications for which a broker ends the link instead of refusing them.
@Suite struct DeadlyPublicationTests {
    private var outbox = MQTTOutbox(limit: 100)
    private var now = ContinuousClock.now

    private func message(_ topic: String, bytes: Int = 0, _ qos: MQTTQoS = .atLeastOnce) -> MQTTMessage {
        MQTTMessage(topic: topic, payload: Array(repeating: 0, count: bytes), qos: qos)
    }

    private mutating func admit(_ message: MQTTMessage) -> MQTTPublishError? {
        if case .refuse(let error) = outbox.admit(message, waiter: nil, at: now) { error } else { nil }
    }

    /// A link of a broker that acknowledges one after the other, and ends the link at what it does not like.
    ///
    /// - Parameters:
    ///   - later: How long after the deadly publication the link ends.
    /// - Returns: The topics that it has received, and those that were given up at the end.
    private mutating func link(
        _ number: UInt64,
        birth: MQTTMessage? = nil,
        end: MQTTLinkEnd = .unexplained(code: 0x82, reason: "Protocol error"),
        later: Duration = .zero,
        deadly: (MQTTMessage) -> Bool
    ) -> (received: [String], givenUp: [MQTTOutbox.Completion]) {
        var received: [String] = []
        _ = outbox.linkUp(number, birth: birth)
        while let outgoing = outbox.next(at: now) {
            received.append(outgoing.message.topic)
            if deadly(outgoing.message) { break }
            if outgoing.id == 0 {
                _ = outbox.written(1, link: number)
            } else {
                _ = outbox.acknowledged(outgoing.id, link: number, code: 0)
            }
        }
        return (received, outbox.linkDown(end, at: now + later))
    }

    @Test mutating func `a publication that ends three links in a row is given up and the rest goes on`() {
        for topic in ["a", "poison", "b"] { #expect(admit(message(topic)) == nil) }
        let birth = message("birth")
        let links = (UInt64(1)...5).map { link($0, birth: birth) { $0.topic == "poison" } }
        #expect(
            links.map(\.received) == [
                ["birth", "a", "poison"], ["birth", "poison"], ["birth", "poison"], ["birth", "poison"],
                ["birth", "b"],
            ]
        )
        let error = MQTTPublishError.refusedByBroker(
            topic: "poison",
            code: 0x82,
            reason: "it ended 3 links right after this was sent: Protocol error"
        )
        #expect(links.map(\.givenUp).map { $0.map(\.error) } == [[], [], [], [error], []])
        #expect(outbox.count == 0)
    }

    @Test mutating func `a topic that is given up is refused until a link ends while nothing waits`() {
        for _ in 1...2 { _ = admit(message("poison")) }
        let givenUp = (UInt64(1)...4).flatMap { link($0) { $0.topic == "poison" }.givenUp }
        #expect(givenUp.map(\.message.topic) == ["poison", "poison"], "what waits on the same topic, too")
        guard case .refusedByBroker("poison", 0x82, _) = admit(message("poison")) else {
            return #expect(Bool(false), "it would end links again")
        }
        _ = link(5) { _ in false }
        #expect(admit(message("poison")) == nil, "the broker may have another configuration")
    }

    @Test mutating func `a topic that is given up is tried again after ten minutes`() {
        _ = admit(message("poison"))
        _ = (UInt64(1)...4).map { link($0) { $0.topic == "poison" } }
        now += .seconds(599)
        #expect(admit(message("poison")) != nil)
        now += .seconds(1)
        #expect(admit(message("poison")) == nil, "the broker may only have died several times")
    }

    @Test mutating func `ends for another reason do not count`() {
        _ = admit(message("a"))
        for number in UInt64(1)...10 {
            #expect(link(number, end: .explained) { _ in true }.givenUp.isEmpty)
            // Never three in a row.
            if number % 3 > 0 { #expect(link(20 + number) { _ in true }.givenUp.isEmpty) }
        }
    }

    @Test mutating func `ends long after the publication do not count`() {
        _ = admit(message("a"))
        for number in UInt64(1)...10 {
            #expect(link(number, later: .seconds(6)) { _ in true }.givenUp.isEmpty)
        }
    }

    @Test mutating func `an acknowledgement between shows that it was not the cause`() {
        _ = admit(message("a"))
        for number in UInt64(1)...3 { #expect(link(number) { _ in true }.givenUp.isEmpty) }
        _ = admit(message("b"))
        #expect(link(4) { $0.topic == "b" }.received == ["a", "b"])
        #expect(link(5) { _ in true }.givenUp.isEmpty)
        #expect(link(6) { _ in true }.givenUp.isEmpty)
        #expect(outbox.count == 1)
    }

    @Test mutating func `links on which not even the birth message is acknowledged say nothing`() {
        for topic in ["small", "large"] { _ = admit(message(topic, bytes: topic == "large" ? 5000 : 0)) }
        for number in UInt64(1)...20 {
            let (received, givenUp) = link(number, birth: message("birth")) { _ in true }
            #expect(received == ["birth"] && givenUp.isEmpty)
        }
        let received = link(21, birth: message("birth")) { _ in false }.received
        #expect(received == ["birth", "small", "large"], "all of it is sent to a broker that is well")
        #expect(admit(message("larger", bytes: 9000)) == nil)
    }

    @Test mutating func `what is of QoS 0 waits until the suspect is acknowledged`() {
        _ = admit(message("suspect"))
        _ = link(1) { _ in true }
        _ = outbox.linkUp(2, birth: message("birth"))
        #expect(admit(message("frame", .atMostOnce)) == nil)
        let birth = outbox.next(at: now)
        #expect(birth?.message.topic == "birth" && outbox.next(at: now) == nil)
        _ = outbox.acknowledged(birth?.id ?? 0, link: 2, code: 0)
        let suspect = outbox.next(at: now)
        #expect(suspect?.message.topic == "suspect" && outbox.next(at: now) == nil)
        _ = outbox.acknowledged(suspect?.id ?? 0, link: 2, code: 0)
        #expect(outbox.next(at: now)?.message.topic == "frame")
    }

    @Test mutating func `the cause is found behind others although their acknowledgements are lost`() {
        let topics = ["a", "b", "c", "poison", "d"]
        for topic in topics { _ = admit(message(topic)) }
        var givenUp: [String] = []
        // The broker sees everything that is sent at a time, and ends the link before an acknowledgement is read.
        for number in UInt64(1)...9 {
            _ = outbox.linkUp(number)
            var isUp = true
            while isUp {
                var together: [MQTTOutbox.Outgoing] = []
                while let outgoing = outbox.next(at: now) { together.append(outgoing) }
                isUp = !together.isEmpty && !together.contains { $0.message.topic == "poison" }
                for outgoing in together where isUp {
                    _ = outbox.acknowledged(outgoing.id, link: number, code: 0)
                }
            }
            givenUp += outbox.linkDown(.unexplained(code: 0, reason: ""), at: now).map(\.message.topic)
            guard givenUp.isEmpty else {
                // With all, with the first one, then one after the other.
                #expect(number == 5)
                break
            }
        }
        #expect(givenUp == ["poison"])
        #expect(outbox.count == 1)
    }

    // MARK: Sizes

    @Test mutating func `what a broker ends links for, because of its size, is soon found and left out`() {
        for bytes in [100, 9000, 200, 12_000, 2500, 300, 4000, 2900] {
            _ = admit(message("t\(bytes)", bytes: bytes))
        }
        let refused = (UInt64(1)...7).flatMap { number in
            link(number) { $0.payload.count >= 2000 }.givenUp.map(\.message.payload.count)
        }
        // Four links for the first, three for the smaller ones.
        #expect(refused == [9000, 12_000, 2500, 4000, 2900])
        #expect(outbox.count == 1)
        #expect(admit(message("t2500", bytes: 2500)) == .tooLarge(topic: "t2500", bytes: 2500))
        #expect(admit(message("t1900", bytes: 1900)) == nil, "it may be small enough")
        // A link that ends while nothing waits: the broker was started again.
        _ = link(10) { _ in false }
        #expect(admit(message("t9000", bytes: 9000)) == nil, "the broker may accept it now")
    }

    @Test mutating func `a small message that a broker forbids says nothing about larger ones`() {
        _ = admit(message("large", bytes: 5000))
        _ = admit(message("forbidden"))
        let givenUp = (UInt64(1)...4).flatMap { link($0) { $0.topic == "forbidden" }.givenUp }
        #expect(givenUp.map(\.message.topic) == ["forbidden"])
        #expect(admit(message("large", bytes: 5000)) == nil)
    }

    @Test mutating func `a short message never says how large one may be`() {
        _ = admit(message("forbidden"))
        _ = admit(message("status"))
        let givenUp = (UInt64(1)...4).flatMap { link($0) { $0.topic == "forbidden" }.givenUp }
        #expect(givenUp.map(\.message.topic) == ["forbidden"])
        #expect(admit(message("a longer topic than that one")) == nil)
    }
}
