import Bridge
import MQTT
import Testing

struct RetainedTopicStoreTests {
    private func message(_ topic: String, _ payload: String) -> MQTTMessage {
        MQTTMessage(topic: topic, payload: Array(payload.utf8), qos: .atLeastOnce, isRetained: true)
    }

    /// Takes out what is due, as if it were sent.
    private func send(_ book: inout RetainedTopicStore, at now: Int64) -> [String] {
        let due = book.due(at: now)
        for message in due { book.sent(message, at: now) }
        return due.map { "\($0.topic)=\(String(decoding: $0.payload, as: UTF8.self))" }
    }

    @Test func `only what differs is sent`() {
        var book = RetainedTopicStore()
        book.state(message("a", "1"))
        book.state(message("b", "1"))
        #expect(send(&book, at: 0) == ["a=1", "b=1"])
        book.state(message("a", "1"))
        book.state(message("b", "2"))
        #expect(send(&book, at: 1) == ["b=2"])
        #expect(send(&book, at: 2).isEmpty)
    }

    @Test func `after a reconnect everything is sent, by rank and then in order of appearance`() {
        var book = RetainedTopicStore()
        book.state(message("view", "1"))
        book.state(message("thing", "1"), rank: .model)
        book.state(message("zone", "1"), rank: .model)
        book.state(message("info", "1"), rank: .info)
        book.state(message("status", "online"), rank: .status)
        _ = send(&book, at: 0)
        book.startAgain()
        #expect(send(&book, at: 1) == ["status=online", "info=1", "thing=1", "zone=1", "view=1"])
    }

    @Test func `a topic with a spacing waits its turn and then holds the newest payload`() {
        var book = RetainedTopicStore()
        book.state(message("position", "1"), spacing: 200)
        #expect(send(&book, at: 1000) == ["position=1"])
        book.state(message("position", "2"), spacing: 200)
        #expect(send(&book, at: 1050).isEmpty)
        #expect(book.nextDue(after: 1050) == 1200)
        book.state(message("position", "3"), spacing: 200)
        #expect(send(&book, at: 1200) == ["position=3"])
        #expect(book.nextDue(after: 1200) == nil)
    }

    @Test func `what becomes urgent does not wait for the spacing it had before`() {
        var book = RetainedTopicStore()
        book.state(message("state", "1"), spacing: 1000)
        #expect(send(&book, at: 0) == ["state=1"])
        book.state(message("state", "2"), spacing: 1000)
        #expect(send(&book, at: 10).isEmpty)
        book.state(message("state", "3"))
        #expect(send(&book, at: 20) == ["state=3"])
    }

    @Test func `what is gone is cleared once and forgotten`() {
        var book = RetainedTopicStore()
        book.state(message("thing", "1"))
        _ = send(&book, at: 0)
        book.clear("thing")
        #expect(send(&book, at: 1) == ["thing="])
        #expect(!book.holds("thing"))
        book.startAgain()
        #expect(send(&book, at: 2).isEmpty)
    }

    @Test func `what was not taken stays due`() {
        var book = RetainedTopicStore()
        book.state(message("a", "1"))
        #expect(book.due(at: 0).count == 1)
        book.state(message("a", "2"))
        book.sent(message("a", "1"), at: 0)
        #expect(send(&book, at: 0) == ["a=2"])
    }

    @Test func `a topic is repeated on request, unless it holds nothing`() {
        var book = RetainedTopicStore()
        book.repeatTopic("a")
        #expect(send(&book, at: 0).isEmpty)
        book.state(message("a", "1"), spacing: 1000)
        _ = send(&book, at: 0)
        book.repeatTopic("a")
        #expect(send(&book, at: 1) == ["a=1"])
    }
}
