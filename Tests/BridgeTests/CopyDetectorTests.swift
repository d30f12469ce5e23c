import Bridge
import Controller
import MQTT
import Messages
import Testing

struct CopyDetectorTests {
    private var copies = CopyDetector(topics: Topics(root: "home/flat/hall"), installation: "i1")

    init() { copies.linkUp() }

    private mutating func info(
        _ topic: String,
        _ installation: String? = "i1",
        isRetained: Bool = false,
        at now: Int64 = 0
    ) -> [TopicOwnership.Action] {
        let payload = installation.map { #"{"epoch":"9","installation":"\#($0)"}"# } ?? #"{"epoch":"9"}"#
        let message = MQTTMessage(topic: topic, payload: Array(payload.utf8), isRetained: isRetained)
        return copies.receive(message, at: now)
    }

    private mutating func status(_ node: String, _ text: String) -> [TopicOwnership.Action] {
        copies.receive(MQTTMessage(topic: "home/flat/\(node)/status", payload: Array(text.utf8)), at: 0)
    }

    private func alert(_ actions: [TopicOwnership.Action]) -> String? {
        guard case .send(.alertRaised(CopyDetector.alert, .error, let message))? = actions.first else {
            return nil
        }
        return message
    }

    private static let end = [TopicOwnership.Action.send(.alertCleared(CopyDetector.alert))]

    @Test mutating func `a daemon of another node with our installation is an alert and is answered`() {
        let actions = info("home/flat/porch/info")
        #expect(alert(actions)?.contains("porch") == true)
        #expect(actions.last == .resendInfo)
        #expect(info("home/flat/porch/info", at: 4999) == [], "they do not answer each other for ever")
        #expect(info("home/flat/porch/info", at: 5000) == [.resendInfo])
        #expect(alert(info("home/flat/attic/info"))?.contains("attic and 1 more") == true)
    }

    @Test mutating func `an info that is far too long is not read`() {
        #expect(info("home/flat/porch/info", "i1" + String(repeating: " ", count: 20_000)) == [])
        let padding = String(repeating: "x", count: 20_000)
        let long = #"{"installation":"i1","padding":"\#(padding)"}"#
        #expect(
            copies.receive(MQTTMessage(topic: "home/flat/porch/info", payload: Array(long.utf8)), at: 0) == []
        )
    }

    @Test
    mutating func `the alert ends when the copy goes, gets a state folder of its own, or the link is lost`() {
        _ = info("home/flat/porch/info")
        #expect(status("porch", "online") == [])
        #expect(
            status("porch", "offline") == [.duplicatesGone] + Self.end,
            "our entities are announced again"
        )
        _ = info("home/flat/porch/info")
        #expect(info("home/flat/porch/info", "i2") == [.duplicatesGone] + Self.end)
        _ = info("home/flat/porch/info")
        #expect(copies.linkDown() == Self.end)
        #expect(copies.linkDown() == [])
        #expect(info("home/flat/porch/info") == [], "without a link nobody knows whether it is still there")
    }

    @Test(arguments: [
        "home/flat/hall/info", "home/porch/info", "home/flat/porch/x/info", "other/flat/porch/info",
    ])
    mutating func `our own info and that of other places is no copy`(_ topic: String) {
        #expect(info(topic) == [])
    }

    @Test mutating func `what the broker retains of a former node, and other installations, are no copies`() {
        #expect(info("home/flat/porch/info", isRetained: true) == [])
        #expect(info("home/flat/porch/info", "i2") == [])
        #expect(info("home/flat/porch/info", nil) == [])
        #expect(status("porch", "offline") == [])
    }

    @Test mutating func `a copy that does not answer when it is asked is forgotten`() {
        #expect(copies.intervalPassed() == [], "there is nobody to ask")
        _ = info("home/flat/porch/info")
        #expect(copies.intervalPassed() == [.resendInfo])
        _ = info("home/flat/porch/info", at: 60_000)
        #expect(copies.intervalPassed() == [.resendInfo], "it has answered")
        #expect(copies.intervalPassed() == [.duplicatesGone] + Self.end)
        #expect(copies.intervalPassed() == [])
    }

    @Test mutating func `a name that no node can have counts as none`() {
        #expect(info("home/flat/\(String(repeating: "x", count: 129))/info") == [])
    }

    @Test func `all nodes of the base are read`() {
        #expect(Topics(root: "home/flat/hall").neighbours == ["home/flat/+/info", "home/flat/+/status"])
    }
}
