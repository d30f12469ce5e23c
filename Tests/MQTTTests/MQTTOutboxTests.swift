import MQTT
import Testing

@Suite struct MQTTOutboxTests {
    private func message(_ topic: String = "t", _ qos: MQTTQoS = .atLeastOnce) -> MQTTMessage {
        MQTTMessage(topic: topic, qos: qos)
    }

    /// An outbox with a link.
    private func linked(limit: Int = 100) -> MQTTOutbox {
        var outbox = MQTTOutbox(limit: limit)
        outbox.linkUp(1)
        _ = outbox.nextInBacklog()
        return outbox
    }

    private func admitted(_ outbox: inout MQTTOutbox, _ message: MQTTMessage) throws -> MQTTOutbox.Ticket {
        guard case .send(let ticket) = outbox.admit(message, waiter: nil) else { throw NotAdmitted() }
        return ticket
    }

    private struct NotAdmitted: Error {}

    @Test func `the birth message is the first of every link, and is queued once`() throws {
        var outbox = MQTTOutbox(limit: 100)
        func replay(_ link: UInt64) -> [String] {
            outbox.linkUp(link, birth: message("birth"))
            var topics: [String] = []
            while let (ticket, message) = outbox.nextInBacklog() {
                topics.append(message.topic)
                _ = outbox.accepted(ticket, link: link, messageID: Int32(topics.count))
            }
            return topics
        }
        for topic in ["a", "b"] { _ = outbox.admit(message(topic), waiter: nil) }
        #expect(replay(1) == ["birth", "a", "b"])
        _ = outbox.linkDown()
        #expect(replay(2) == ["birth", "a", "b"])
        _ = outbox.acknowledged(1, link: 2, code: 0)
        _ = outbox.linkDown()
        #expect(replay(3) == ["birth", "a", "b"])
        #expect(outbox.count == 3)
    }

    /// Replays everything over links of a broker that closes them at messages from a size on.
    private func links(_ outbox: inout MQTTOutbox, limit: Int, count: ClosedRange<UInt64>) -> [MQTTOutbox
        .Completion]
    {
        count.flatMap { link -> [MQTTOutbox.Completion] in
            outbox.linkUp(link)
            var sent: [MQTTMessage] = []
            while let (ticket, message) = outbox.nextInBacklog() {
                sent.append(message)
                _ = outbox.accepted(ticket, link: link, messageID: Int32(sent.count))
            }
            for (index, message) in sent.enumerated() {
                guard message.payload.count < limit else { break }
                _ = outbox.acknowledged(Int32(index + 1), link: link, code: 0)
            }
            return outbox.linkDown()
        }
    }

    @Test func `what a broker closes links for, because of its size, is soon found and left out`() {
        var outbox = MQTTOutbox(limit: 100)
        func sized(_ bytes: Int) -> MQTTMessage {
            MQTTMessage(topic: "t\(bytes)", payload: Array(repeating: 0, count: bytes), qos: .atLeastOnce)
        }
        for bytes in [100, 9000, 200, 12_000, 2500, 300, 4000, 2900] {
            _ = outbox.admit(sized(bytes), waiter: nil)
        }
        let refused = links(&outbox, limit: 2000, count: 1...7).map(\.message.payload.count)
        // Five links for the first, two for each smaller one.
        #expect(refused == [9000, 12_000, 2500, 4000, 2900])
        #expect(outbox.count == 1)
        guard case .refuse(.tooLarge(topic: "t2500", bytes: 2500)) = outbox.admit(sized(2500), waiter: nil)
        else {
            return #expect(Bool(false), "it is known to be too large")
        }
        guard case .keep = outbox.admit(sized(1900), waiter: nil) else {
            return #expect(Bool(false), "it may be small enough")
        }
        // A link that ends while nothing waits: the broker was started again.
        _ = links(&outbox, limit: .max, count: 10...10)
        guard case .keep = outbox.admit(sized(9000), waiter: nil) else {
            return #expect(Bool(false), "the broker may accept it now")
        }
    }

    @Test func `a small message that a broker forbids says nothing about larger ones`() {
        var outbox = MQTTOutbox(limit: 100)
        let large = MQTTMessage(topic: "large", payload: Array(repeating: 0, count: 5000), qos: .atLeastOnce)
        _ = outbox.admit(large, waiter: nil)
        _ = links(&outbox, limit: .max, count: 1...1)
        for link in UInt64(2)...6 {
            if link == 2 {
                _ = outbox.admit(large, waiter: nil)
                _ = outbox.admit(MQTTMessage(topic: "forbidden", qos: .atLeastOnce), waiter: nil)
            }
            outbox.linkUp(link)
            var id: Int32 = 0
            while let (ticket, _) = outbox.nextInBacklog() {
                id += 1
                _ = outbox.accepted(ticket, link: link, messageID: id)
            }
            if link == 2 { _ = outbox.acknowledged(1, link: link, code: 0) }
            #expect(outbox.linkDown().map(\.message.topic) == (link == 6 ? ["forbidden"] : []))
        }
        guard case .keep = outbox.admit(large, waiter: nil) else {
            return #expect(Bool(false), "only its size is like that of what was refused")
        }
    }

    @Test func `an acknowledgement may arrive before the message id`() throws {
        var outbox = linked()
        let ticket = try admitted(&outbox, message())
        #expect(outbox.acknowledged(7, link: 1, code: 0) == nil)
        let completion = outbox.accepted(ticket, link: 1, messageID: 7)
        #expect(completion != nil && completion?.error == nil)
        #expect(outbox.count == 0)
    }

    @Test func `an early acknowledgement is discarded when no call is in progress`() throws {
        var outbox = linked()
        let first = try admitted(&outbox, message())
        #expect(outbox.acknowledged(7, link: 1, code: 0) == nil)
        #expect(outbox.accepted(first, link: 1, messageID: 6) == nil)
        let second = try admitted(&outbox, message())
        #expect(outbox.accepted(second, link: 1, messageID: 7) == nil)
        #expect(outbox.count == 2)
    }

    @Test func `unacknowledged publications are sent first and in order on the next link`()
        throws
    {
        var outbox = linked()
        for number in 0..<10 {
            let ticket = try admitted(&outbox, message("\(number)"))
            #expect(outbox.accepted(ticket, link: 1, messageID: Int32(number + 1)) == nil)
        }
        #expect(outbox.acknowledged(3, link: 1, code: 0)?.message.topic == "2")
        #expect(outbox.linkDown().isEmpty)
        guard case .keep = outbox.admit(message("offline"), waiter: nil) else { throw NotAdmitted() }
        outbox.linkUp(2)
        guard case .keep = outbox.admit(message("new"), waiter: nil) else { throw NotAdmitted() }
        #expect(outbox.acknowledged(1, link: 1, code: 0) == nil, "of a link that is gone")
        var replayed: [String] = []
        var messageID: Int32 = 1
        while let (ticket, message) = outbox.nextInBacklog() {
            replayed.append(message.topic)
            #expect(outbox.accepted(ticket, link: 2, messageID: messageID) == nil)
            messageID += 1
        }
        #expect(replayed == ["0", "1", "3", "4", "5", "6", "7", "8", "9", "offline", "new"])
        _ = try admitted(&outbox, message("live"))
        #expect(outbox.count == 12)
    }

    @Test func `an unwritten QoS 0 message is dropped when the link is lost`() throws {
        var outbox = linked()
        let ticket = try admitted(&outbox, message("frame", .atMostOnce))
        #expect(outbox.accepted(ticket, link: 1, messageID: 1) == nil)
        #expect(outbox.linkDown().map(\.error) == [.notConnected])
        guard case .drop = outbox.admit(message("frame", .atMostOnce), waiter: nil) else {
            throw NotAdmitted()
        }
    }

    @Test func `QoS 0 messages do not use the queue of QoS 1 and 2`() throws {
        var outbox = linked(limit: 2)
        for _ in 0..<2 { _ = try admitted(&outbox, message("frame", .atMostOnce)) }
        guard case .drop = outbox.admit(message("frame", .atMostOnce), waiter: nil) else {
            throw NotAdmitted()
        }
        for _ in 0..<2 { _ = try admitted(&outbox, message()) }
        guard case .refuse(.queueFull(limit: 2)) = outbox.admit(message(), waiter: nil) else {
            throw NotAdmitted()
        }
    }

    @Test func `no message id is reused while the oldest publication may hold it`() throws {
        var outbox = linked(limit: 30_000)
        let stuck = try admitted(&outbox, message("stuck"))
        #expect(outbox.accepted(stuck, link: 1, messageID: 1) == nil)
        var frames = 0
        while case .send(let ticket) = outbox.admit(message("frame", .atMostOnce), waiter: nil) {
            frames += 1
            let messageID = Int32(frames + 1)
            #expect(outbox.accepted(ticket, link: 1, messageID: messageID) == nil)
            #expect(outbox.acknowledged(messageID, link: 1, code: 0) != nil)
            if frames > 65_534 { break }
        }
        #expect((50_000...65_000).contains(frames))
        #expect(outbox.acknowledged(1, link: 1, code: 0)?.message.topic == "stuck")
        _ = try admitted(&outbox, message())
    }

    @Test func `drained is reported once when the queue is half empty`() throws {
        var outbox = linked(limit: 4)
        for messageID in Int32(1)...4 {
            let ticket = try admitted(&outbox, message())
            #expect(outbox.accepted(ticket, link: 1, messageID: messageID) == nil)
        }
        var drained = [outbox.hasDrained()]
        guard case .refuse = outbox.admit(message(), waiter: nil) else { throw NotAdmitted() }
        for messageID in Int32(1)...3 {
            _ = outbox.acknowledged(messageID, link: 1, code: 0)
            drained.append(outbox.hasDrained())
        }
        #expect(drained == [false, false, true, false])
    }
}
