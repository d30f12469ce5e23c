import Bridge
import MQTT
import Messages
import Testing

struct StaleTopicsTests {
    private func kept(_ topic: String, _ payload: String = "{}", isRetained: Bool = true) -> MQTTMessage {
        MQTTMessage(topic: "t/n/\(topic)", payload: Array(payload.utf8), isRetained: isRetained)
    }

    private func leftovers(_ messages: [MQTTMessage]) -> StaleTopics {
        var leftovers = StaleTopics(Topics(root: "t/n"))
        for message in messages { leftovers.record(message) }
        return leftovers
    }

    @Test func `what nobody tells any more is left, once`() {
        var left = leftovers([kept("things/radio"), kept("things/lamp"), kept("alert/fire")])
        #expect(left.take { $0 == "t/n/things/lamp" } == ["t/n/alert/fire", "t/n/things/radio"])
        #expect(left.take { _ in false } == [])
    }

    @Test func `what is told meanwhile counts as well, and what is cleared is not left`() {
        var left = leftovers([
            kept("things/radio"), kept("things/radio", ""), kept("things/lamp", isRetained: false),
        ])
        #expect(left.take { _ in false } == ["t/n/things/lamp"])
    }

    @Test func `other topics are none of its business`() {
        var left = leftovers([MQTTMessage(topic: "t/nn/things/radio", payload: [1], isRetained: true)])
        #expect(left.take { _ in false } == [])
    }

    @Test func `the status tells whether somebody is there`() {
        #expect(!leftovers([]).isInhabited)
        #expect(leftovers([kept("status", "online")]).isInhabited)
        #expect(!leftovers([kept("status", "offline")]).isInhabited)
        #expect(!leftovers([kept("status", "online"), kept("status", "")]).isInhabited)
    }

    @Test func `of an own run before it asks for what passes only`() {
        let filters = StaleTopics(Topics(root: "t/n"), isKnown: true).filters
        #expect(filters.contains("t/n/alert/+") && filters.contains("t/n/map"))
        #expect(!filters.contains { $0.hasPrefix("t/n/things") || $0.hasPrefix("t/n/zones") })
    }

    @Test func `it asks for every topic that a node keeps, and for no command`() {
        let filters = StaleTopics(Topics(root: "t/n")).filters
        #expect(filters.contains("t/n/things/+/availability") && filters.contains("t/n/alert/+"))
        #expect(Set(filters).isDisjoint(with: Topics(root: "t/n").commands))
        #expect(filters.allSatisfy { !$0.hasSuffix("#") && !$0.hasSuffix("/set") })
    }
}
