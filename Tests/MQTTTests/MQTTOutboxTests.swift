import MQTT
import Testing

@Suite struct MQTTOutboxTests {
    private func message(_ topic: String = "t", _ qos: MQTTQoS = .atLeastOnce) -> MQTTMessage {
        MQTTMessage(topic: topic, qos: qos)
    }

    private func sized(_ bytes: Int) -> MQTTMessage {
        MQTTMessage(topic: "t\(bytes)", payload: Array(repeating: 0, count: bytes), qos: .atLeastOnce)
    }

    /// An outbox with a link.
    private func linked(limit: Int = 100, window: Int = 100) -> MQTTOutbox {
        var outbox = MQTTOutbox(limit: limit)
        _ = outbox.linkUp(1, window: window)
        return outbox
    }

    private func isAccepted(_ outbox: inout MQTTOutbox, _ message: MQTTMessage) -> Bool {
        if case .accept = outbox.admit(message, waiter: nil) { true } else { false }
    }

    /// Everything that the outbox sends now.
    private func sent(_ outbox: inout MQTTOutbox) -> [MQTTOutbox.Outgoing] {
        var all: [MQTTOutbox.Outgoing] = []
        while let next = outbox.next() { all.append(next) }
        return all
    }

    /// The identifier of a message that is admitted and sent at once.
    private func identifier(_ outbox: inout MQTTOutbox, _ message: MQTTMessage) throws -> UInt16 {
        #expect(isAccepted(&outbox, message))
        let outgoing = outbox.next()
        return try #require(outgoing).id
    }

    @Test func `the birth message is the first of every link, and is queued once`() throws {
        var outbox = MQTTOutbox(limit: 100)
        func replay(_ link: UInt64) -> [MQTTOutbox.Outgoing] {
            _ = outbox.linkUp(link, birth: message("birth"))
            return sent(&outbox)
        }
        for topic in ["a", "b"] { _ = outbox.admit(message(topic), waiter: nil) }
        #expect(replay(1).map(\.message.topic) == ["birth", "a", "b"])
        _ = outbox.linkDown(.explained)
        let second = replay(2)
        #expect(second.map(\.message.topic) == ["birth", "a", "b"])
        _ = outbox.acknowledged(second[0].id, link: 2, code: 0)
        _ = outbox.linkDown(.explained)
        #expect(replay(3).map(\.message.topic) == ["birth", "a", "b"])
        #expect(outbox.count == 3)
    }

    @Test func `a publication that nobody reads was accepted, and says so`() throws {
        var outbox = linked()
        let codes: [(Int32, isUnread: Bool)] = [(0, false), (0x10, true)]
        for (code, isUnread) in codes {
            let id = try identifier(&outbox, message())
            let acknowledged = outbox.acknowledged(id, link: 1, code: code)
            let completion = try #require(acknowledged)
            #expect(completion.error == nil && completion.isUnread == isUnread)
        }
        #expect(outbox.count == 0)
    }

    @Test func `what waits has a limit in bytes as well`() {
        var outbox = MQTTOutbox(limit: 1000)
        let megabyte = sized(1 << 20)
        var count = 0
        while count < 1000, isAccepted(&outbox, megabyte) { count += 1 }
        #expect(count == 63)
        guard case .refuse(.queueFull) = outbox.admit(megabyte, waiter: nil) else {
            return #expect(Bool(false), "64 MiB wait")
        }
        _ = outbox.linkUp(1)
        for outgoing in sent(&outbox) { _ = outbox.acknowledged(outgoing.id, link: 1, code: 0) }
        #expect(isAccepted(&outbox, megabyte))
    }

    @Test func `no more publications are under way than the broker accepts`() throws {
        var outbox = linked(window: 3)
        for number in 0..<10 { _ = outbox.admit(message("\(number)"), waiter: nil) }
        var unacknowledged = sent(&outbox)
        var topics = unacknowledged.map(\.message.topic)
        #expect(topics == ["0", "1", "2"])
        while !unacknowledged.isEmpty {
            // In any order.
            let answered = unacknowledged.remove(at: unacknowledged.count / 2)
            #expect(outbox.acknowledged(answered.id, link: 1, code: 0)?.message == answered.message)
            let more = sent(&outbox)
            topics += more.map(\.message.topic)
            unacknowledged += more
            #expect(unacknowledged.count <= 3 && Set(unacknowledged.map(\.id)).count == unacknowledged.count)
        }
        #expect(topics == (0..<10).map(String.init))
        #expect(outbox.count == 0)
    }

    @Test func `QoS 0 does not wait for acknowledgements of others`() {
        var outbox = linked(window: 1)
        for topic in ["a", "b"] { _ = outbox.admit(message(topic), waiter: nil) }
        _ = outbox.admit(message("frame", .atMostOnce), waiter: nil)
        #expect(sent(&outbox).map(\.message.topic) == ["frame", "a"])
    }

    @Test func `an acknowledgement of nothing is ignored`() throws {
        var outbox = linked()
        let id = try identifier(&outbox, message())
        #expect(outbox.acknowledged(id &+ 1, link: 1, code: 0) == nil)
        #expect(outbox.acknowledged(7, link: 1, code: 0) == nil)
        #expect(outbox.acknowledged(id, link: 1, code: 0) != nil)
        #expect(outbox.acknowledged(id, link: 1, code: 0) == nil)
        #expect(outbox.count == 0)
    }

    @Test func `an acknowledgement of what is not sent yet is ignored`() throws {
        var outbox = linked(window: 1)
        let id = try identifier(&outbox, message())
        #expect(isAccepted(&outbox, message("waits")))
        #expect(outbox.acknowledged(id + 1, link: 1, code: 0) == nil)
        #expect(outbox.count == 2)
    }

    @Test func `what is larger than the broker accepts is refused, and left out at the next connect`() {
        var limits = MQTTLimits()
        limits.maximumPacketSize = 100
        var outbox = MQTTOutbox(limit: 100)
        for bytes in [10, 200, 20] { #expect(isAccepted(&outbox, sized(bytes))) }
        let refused = outbox.linkUp(1, limits)
        #expect(refused.map(\.error) == [.tooLarge(topic: "t200", bytes: 200)])
        #expect(sent(&outbox).map(\.message.topic) == ["t10", "t20"])
        // 2 bytes of header, 2 + 3 of the topic, 2 of the identifier, 1 of the properties.
        #expect(isAccepted(&outbox, sized(90)))
        guard case .refuse(.tooLarge) = outbox.admit(sized(91), waiter: nil) else {
            return #expect(Bool(false), "it has 101 bytes")
        }
    }

    @Test func `a broker without QoS 1 gets QoS 0, which is finished when it is written`() {
        var limits = MQTTLimits()
        limits.maximumQoS = .atMostOnce
        var outbox = MQTTOutbox(limit: 100)
        for topic in ["a", "b"] { _ = outbox.admit(message(topic), waiter: nil) }
        _ = outbox.linkUp(1, limits, window: 1)
        #expect(sent(&outbox).map(\.id) == [0])
        #expect(outbox.written(1, link: 1).map(\.message.topic) == ["a"])
        #expect(sent(&outbox).map(\.message.topic) == ["b"])
        #expect(outbox.linkDown().isEmpty)
        #expect(outbox.count == 1, "it is sent again")
    }

    @Test func `unacknowledged publications are sent first and in order on the next link`()
        throws
    {
        var outbox = linked()
        let ids = try (0..<10).map { try identifier(&outbox, message("\($0)")) }
        #expect(outbox.acknowledged(ids[2], link: 1, code: 0)?.message.topic == "2")
        #expect(outbox.linkDown(.explained).isEmpty)
        #expect(isAccepted(&outbox, message("offline")))
        #expect(sent(&outbox).isEmpty)
        _ = outbox.linkUp(2)
        #expect(isAccepted(&outbox, message("new")))
        #expect(outbox.acknowledged(ids[0], link: 1, code: 0) == nil, "of a link that is gone")
        let replayed = sent(&outbox).map(\.message.topic)
        #expect(replayed == ["0", "1", "3", "4", "5", "6", "7", "8", "9", "offline", "new"])
        _ = try identifier(&outbox, message("live"))
        #expect(outbox.count == 12)
    }

    @Test func `an unwritten QoS 0 message is dropped when the link is lost`() throws {
        var outbox = linked()
        _ = try identifier(&outbox, message("frame", .atMostOnce))
        #expect(isAccepted(&outbox, message("another", .atMostOnce)))
        #expect(outbox.linkDown().map(\.error) == [.notConnected, .notConnected])
        guard case .drop = outbox.admit(message("frame", .atMostOnce), waiter: nil) else {
            return #expect(Bool(false), "there is no link")
        }
    }

    @Test func `QoS 0 messages do not use the queue of QoS 1`() throws {
        var outbox = linked(limit: 2)
        for _ in 0..<2 { _ = try identifier(&outbox, message("frame", .atMostOnce)) }
        guard case .drop = outbox.admit(message("frame", .atMostOnce), waiter: nil) else {
            return #expect(Bool(false), "two are not written")
        }
        for _ in 0..<2 { _ = try identifier(&outbox, message()) }
        guard case .refuse(.queueFull(limit: 2)) = outbox.admit(message(), waiter: nil) else {
            return #expect(Bool(false), "two are not acknowledged")
        }
        #expect(outbox.written(2, link: 1).count == 2)
        #expect(isAccepted(&outbox, message("frame", .atMostOnce)))
    }

    @Test func `no message id is reused while the oldest publication may hold it`() throws {
        var outbox = linked(limit: 30_000)
        let stuck = try identifier(&outbox, message("stuck"))
        var ids: Set<UInt16> = [stuck]
        while isAccepted(&outbox, message()) {
            let id = outbox.next()?.id ?? 0
            #expect(id >= 0x8000 && ids.insert(id).inserted)
            #expect(outbox.acknowledged(id, link: 1, code: 0) != nil)
            if ids.count > 40_000 { break }
        }
        #expect((30_000...32_768).contains(ids.count))
        #expect(outbox.acknowledged(stuck, link: 1, code: 0)?.message.topic == "stuck")
        _ = try identifier(&outbox, message())
    }

    @Test func `drained is reported once when the queue is half empty`() throws {
        var outbox = linked(limit: 4)
        let ids = try (0..<4).map { _ in try identifier(&outbox, message()) }
        var drained = [outbox.hasDrained()]
        guard case .refuse = outbox.admit(message(), waiter: nil) else {
            return #expect(Bool(false), "it is full")
        }
        for id in ids.prefix(3) {
            _ = outbox.acknowledged(id, link: 1, code: 0)
            drained.append(outbox.hasDrained())
        }
        #expect(drained == [false, false, true, false])
    }
}
