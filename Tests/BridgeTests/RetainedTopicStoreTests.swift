import Bridge
import JSON
import MQTT
import Testing

struct RetainedTopicStoreTests {
    private func message(_ topic: String, _ payload: String) -> MQTTMessage {
        MQTTMessage(topic: topic, payload: Array(payload.utf8), qos: .atLeastOnce, isRetained: true)
    }

    /// Takes out what is due, as if it were sent.
    private func send(_ store: inout RetainedTopicStore, at now: Int64) -> [String] {
        store.due(at: now).map { slot in
            let message = store[slot]
            store.recordSent(slot, at: now)
            return "\(message.topic)=\(String(decoding: message.payload, as: UTF8.self))"
        }
    }

    @Test func `only what differs is sent`() {
        var store = RetainedTopicStore()
        store.set(message("a", "1"))
        store.set(message("b", "1"))
        #expect(send(&store, at: 0) == ["a=1", "b=1"])
        store.set(message("a", "1"))
        store.set(message("b", "2"))
        #expect(send(&store, at: 1) == ["b=2"])
        #expect(send(&store, at: 2).isEmpty)
    }

    @Test func `after a reconnect everything is sent, by rank and then in order of appearance`() {
        var store = RetainedTopicStore()
        store.set(message("view", "1"))
        store.set(message("thing", "1"), rank: .model)
        store.set(message("zone", "1"), rank: .model)
        store.set(message("info", "1"), rank: .info)
        store.set(message("status", "online"), rank: .status)
        _ = send(&store, at: 0)
        store.resendAll()
        #expect(send(&store, at: 1) == ["status=online", "info=1", "thing=1", "zone=1", "view=1"])
    }

    @Test func `a topic with a spacing waits its turn and then holds the newest payload`() {
        var store = RetainedTopicStore()
        store.set(message("position", "1"), spacing: 200)
        #expect(send(&store, at: 1000) == ["position=1"])
        store.set(message("position", "2"), spacing: 200)
        #expect(send(&store, at: 1050).isEmpty)
        #expect(store.nextDue(after: 1050) == 1200)
        store.set(message("position", "3"), spacing: 200)
        #expect(send(&store, at: 1200) == ["position=3"])
        #expect(store.nextDue(after: 1200) == nil)
    }

    @Test func `what becomes urgent does not wait for the spacing it had before`() {
        var store = RetainedTopicStore()
        store.set(message("state", "1"), spacing: 1000)
        #expect(send(&store, at: 0) == ["state=1"])
        store.set(message("state", "2"), spacing: 1000)
        #expect(send(&store, at: 10).isEmpty)
        store.set(message("state", "3"))
        #expect(send(&store, at: 20) == ["state=3"])
    }

    @Test func `what is gone is cleared once and forgotten`() {
        var store = RetainedTopicStore()
        store.set(message("thing", "1"))
        _ = send(&store, at: 0)
        store.clear("thing")
        #expect(send(&store, at: 1) == ["thing="])
        #expect(!store.holds("thing"))
        store.resendAll()
        #expect(send(&store, at: 2).isEmpty)
    }

    @Test func `a topic that is held back is cleared, and gets its newest message when it is released`() {
        var store = RetainedTopicStore()
        for topic in ["thing", "other", "data"] { store.set(message(topic, "1"), rank: .model) }
        _ = send(&store, at: 0)
        store.hold(["thing", "data", "new"])
        store.set(message("thing", "2"), rank: .model)
        store.set(message("new", "1"), rank: .model)
        store.set(message("thing", "3"), rank: .model)
        store.set(message("other", "2"), rank: .model)
        #expect(Set(send(&store, at: 1)) == ["thing=", "data=", "other=2"])
        #expect(store.holds("thing") && store.holds("data") && store.holds("new"))
        store.resendAll()
        store.resend("thing")
        #expect(send(&store, at: 2) == ["other=2"])
        store.release(["new", "data", "thing", "unknown"])
        #expect(Set(send(&store, at: 3)) == ["thing=3", "data=1", "new=1"])
        store.set(message("thing", "4"), rank: .model)
        #expect(send(&store, at: 4) == ["thing=4"])
    }

    @Test func `what goes while it is held back is not published`() {
        var store = RetainedTopicStore()
        store.set(message("thing", "1"))
        _ = send(&store, at: 0)
        store.hold(["thing", "new"])
        store.set(message("new", "1"))
        store.clear("new")
        store.clear("thing")
        #expect(Set(send(&store, at: 1)) == ["thing=", "new="])
        #expect(!store.holds("thing"))
        store.release(["thing", "new"])
        #expect(send(&store, at: 2).isEmpty)
    }

    @Test func `withdrawing clears what is held back too`() {
        var store = RetainedTopicStore()
        store.hold(["thing"])
        store.set(message("thing", "1"))
        store.clearAll()
        #expect(send(&store, at: 0) == ["thing="])
        store.release(["thing"])
        #expect(send(&store, at: 1).isEmpty)
    }

    @Test func `what was not taken stays due`() {
        var store = RetainedTopicStore()
        store.set(message("a", "1"))
        #expect(store.due(at: 0).count == 1)
        store.set(message("a", "2"))
        store.recordSent(message("a", "1"), at: 0)
        #expect(send(&store, at: 0) == ["a=2"])
    }

    private func buffer(_ text: String) -> JSONBuffer {
        var buffer = JSONBuffer()
        buffer.write(plain: text)
        return buffer
    }

    @Test func `who keeps the place of a topic sets it, also after it was forgotten`() {
        var store = RetainedTopicStore()
        var topic = RetainedTopicStore.Topic("a")
        #expect(!store.holds(&topic))
        store.set(&topic, buffer("1"), rank: .model)
        #expect(send(&store, at: 0) == ["a=1"])
        store.set(&topic, buffer("1"), rank: .model)
        #expect(send(&store, at: 1).isEmpty)
        #expect(store.holds(&topic) && store.holds("a"))
        store.set(&topic, buffer(""), rank: .model)
        #expect(send(&store, at: 2) == ["a="])
        // In its place.
        store.set(message("b", "1"))
        #expect(!store.holds(&topic))
        store.set(&topic, buffer("2"), rank: .model)
        #expect(send(&store, at: 3) == ["a=2", "b=1"])
        store.resendAll()
        #expect(send(&store, at: 4) == ["a=2", "b=1"])
    }

    @Test func `who keeps the place of a topic waits when it is held back`() {
        var store = RetainedTopicStore()
        var topic = RetainedTopicStore.Topic("a")
        store.set(&topic, buffer("1"))
        _ = send(&store, at: 0)
        store.hold(["a"])
        store.set(&topic, buffer("2"))
        #expect(store.holds(&topic))
        #expect(send(&store, at: 1) == ["a="])
        store.release(["a"])
        #expect(send(&store, at: 2) == ["a=2"])
    }

    @Test func `many topics that come and go are sent once each`() {
        var store = RetainedTopicStore()
        for round in 0..<20 {
            for index in 0..<50 { store.set(message("topic-\(index)", "\(round)")) }
            #expect(send(&store, at: Int64(round)).count == 50)
            for index in 0..<50 where index % 3 == 0 { store.clear("topic-\(index)") }
            #expect(send(&store, at: Int64(round)).count == 17)
            #expect(store.isSent && store.due(at: Int64(round)).isEmpty)
        }
    }

    @Test func `a topic is repeated on request, unless it holds nothing`() {
        var store = RetainedTopicStore()
        store.resend("a")
        #expect(send(&store, at: 0).isEmpty)
        store.set(message("a", "1"), spacing: 1000)
        _ = send(&store, at: 0)
        store.resend("a")
        #expect(send(&store, at: 1) == ["a=1"])
    }
}
