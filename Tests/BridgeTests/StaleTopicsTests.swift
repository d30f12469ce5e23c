import Bridge
import MQTT
import Messages
import Testing

struct StaleTopicsTests {
    private func kept(_ topic: String, _ payload: String = "{}", isRetained: Bool = true) -> MQTTMessage {
        MQTTMessage(topic: "t/n/\(topic)", payload: Array(payload.utf8), isRetained: isRetained)
    }

    private func stale(_ messages: [MQTTMessage]) -> StaleTopics {
        var stale = StaleTopics(Topics(root: "t/n"))
        for message in messages { stale.record(message) }
        return stale
    }

    @Test func `topics that this run does not publish are stale, once`() {
        var left = stale([kept("things/radio"), kept("things/lamp"), kept("alert/fire")])
        #expect(left.drain { $0 == "t/n/things/lamp" } == ["t/n/alert/fire", "t/n/things/radio"])
        #expect(left.drain { _ in false } == [])
    }

    @Test func `messages published meanwhile count, cleared topics do not`() {
        var left = stale([
            kept("things/radio"), kept("things/radio", ""), kept("things/lamp", isRetained: false),
        ])
        #expect(left.drain { _ in false } == ["t/n/things/lamp"])
    }

    @Test func `topics of other nodes are ignored`() {
        var left = stale([MQTTMessage(topic: "t/nn/things/radio", payload: [1], isRetained: true)])
        #expect(left.drain { _ in false } == [])
    }

    @Test func `an online status means that a daemon uses the topics`() {
        #expect(!stale([]).isInhabited)
        #expect(stale([kept("status", "online")]).isInhabited)
        #expect(!stale([kept("status", "offline")]).isInhabited)
        #expect(!stale([kept("status", "online"), kept("status", "")]).isInhabited)
    }

    @Test func `after a run of ours only topics that come and go are read`() {
        let filters = StaleTopics(Topics(root: "t/n"), isKnown: true).filters
        #expect(filters.contains("t/n/alert/+") && filters.contains("t/n/map"))
        #expect(!filters.contains { $0.hasPrefix("t/n/things") || $0.hasPrefix("t/n/zones") })
    }

    @Test func `all retained topics of a node are read, and no command topic`() {
        let filters = StaleTopics(Topics(root: "t/n")).filters
        #expect(filters.contains("t/n/things/+/availability") && filters.contains("t/n/alert/+"))
        #expect(Set(filters).isDisjoint(with: Topics(root: "t/n").commands(.tested)))
        #expect(filters.allSatisfy { !$0.hasSuffix("#") && !$0.hasSuffix("/set") })
    }
}
