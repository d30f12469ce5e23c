import Bridge
import MQTT
import Testing

struct RetainedTopicStoreTests {
    private func message(_ topic: String, _ payload: String) -> MQTTMessage {
        MQTTMessage(topic: topic, payload: Array(payload.utf8), qos: .atLeastOnce, isRetained: true)
    }

    /// Takes out what is due, as if it were sent.
    private func send(_ store: inout RetainedTopicStore, at now: Int64) -> [String] {
        let due = store.due(at: now)
        for message in due { store.recordSent(message, at: now) }
        return due.map { "\($0.topic)=\(String(decoding: $0.payload, as: UTF8.self))" }
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

    @Test func `what was not taken stays due`() {
        var store = RetainedTopicStore()
        store.set(message("a", "1"))
        #expect(store.due(at: 0).count == 1)
        store.set(message("a", "2"))
        store.recordSent(message("a", "1"), at: 0)
        #expect(send(&store, at: 0) == ["a=2"])
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
