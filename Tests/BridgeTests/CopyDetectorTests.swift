import Bridge
import Controller
import MQTT
import Messages
import Testing

struct CopyDetectorTests {
    private var copies = CopyDetector(topics: Topics(root: "home/flat/hall"), installation: "i1")

    init() { _ = copies.linkUp() }

    private mutating func shown(
        _ node: String,
        _ installation: String = "i1",
        isRetained: Bool = false,
        at now: Int64 = 0
    ) -> [TopicOwnership.Action] {
        let topic = "home/flat/\(node)/installation/\(installation)"
        let message = MQTTMessage(
            topic: topic,
            payload: Array(#"{"epoch":"9"}"#.utf8),
            isRetained: isRetained
        )
        return copies.receive(message, at: now)
    }

    private mutating func status(
        _ node: String,
        _ text: String,
        isRetained: Bool = false
    ) -> [TopicOwnership.Action] {
        let payload = Array(text.utf8)
        return copies.receive(
            MQTTMessage(topic: "home/flat/\(node)/status", payload: payload, isRetained: isRetained),
            at: 0
        )
    }

    private func alert(_ actions: [TopicOwnership.Action]) -> String? {
        guard case .send(.alertRaised(CopyDetector.alert, .error, let message))? = actions.first else {
            return nil
        }
        return message
    }

    private static let end = [TopicOwnership.Action.send(.alertCleared(CopyDetector.alert))]

    @Test mutating func `a daemon of another node with our installation is an alert and is answered`() {
        let actions = shown("porch")
        #expect(alert(actions)?.contains("porch") == true)
        #expect(actions.last == .showInstallation)
        #expect(shown("porch", at: 4999) == [], "they do not answer each other for ever")
        #expect(shown("porch", at: 5000) == [.showInstallation])
        #expect(alert(shown("attic"))?.contains("attic and 1 more") == true)
        #expect(copies.statuses == ["home/flat/attic/status", "home/flat/porch/status"])
    }

    @Test mutating func `the alert ends when the copy goes, or the link is lost`() {
        _ = shown("porch")
        #expect(status("porch", "online", isRetained: true) == [])
        #expect(
            status("porch", "offline") == [.duplicatesGone] + Self.end,
            "our entities are announced again"
        )
        _ = shown("porch")
        #expect(
            status("porch", "offline", isRetained: true) == [.duplicatesGone] + Self.end,
            "it went before its status was read"
        )
        #expect(copies.statuses.isEmpty)
        _ = shown("porch")
        #expect(copies.linkDown() == Self.end)
        #expect(copies.linkDown() == [])
        #expect(shown("porch") == [], "without a link nobody knows whether it is still there")
    }

    @Test(arguments: [
        "home/flat/hall/installation/i1", "home/porch/installation/i1", "home/flat/porch/x/installation/i1",
        "home/flat/porch/info", "other/flat/porch/installation/i1", "home/flat/porch/installation",
    ])
    mutating func `what we show ourselves, and what is of other places, is no copy`(_ topic: String) {
        #expect(copies.receive(MQTTMessage(topic: topic), at: 0) == [])
    }

    @Test mutating func `what a broker retains, and other installations, are no copies`() {
        #expect(shown("porch", isRetained: true) == [])
        #expect(shown("porch", "i2") == [])
        #expect(status("porch", "offline") == [])
    }

    @Test mutating func `a copy that does not answer when it is asked is forgotten`() {
        #expect(copies.intervalPassed(at: 0) == [], "there is nobody to ask")
        _ = shown("porch")
        #expect(copies.intervalPassed(at: 0) == [.showInstallation])
        _ = shown("porch", at: 60_000)
        #expect(copies.intervalPassed(at: 60_000) == [.showInstallation], "it has answered")
        #expect(copies.intervalPassed(at: 120_000) == [.duplicatesGone] + Self.end)
        #expect(copies.intervalPassed(at: 180_000) == [])
    }

    @Test mutating func `copies that show themselves at the same time get one answer, as each hears it`() {
        #expect(shown("porch").last == .showInstallation)
        #expect(alert(shown("attic", at: 10)) != nil)
        #expect(!shown("cellar", at: 20).contains(.showInstallation))
        #expect(shown("attic", at: 5000) == [.showInstallation])
        #expect(
            copies.intervalPassed(at: 5000) == [.showInstallation],
            "who came in between learns of us then"
        )
    }

    @Test mutating func `copies on many machines are rarely asked, and also go by their status`() {
        for number in 0..<30 { _ = shown("n\(number)") }
        #expect(copies.intervalPassed(at: 0) == [.showInstallation])
        for number in 0..<30 { _ = shown("n\(number)", at: 1000) }
        #expect(copies.intervalPassed(at: 60_000) == [], "all have answered, and there are many")
        #expect(copies.intervalPassed(at: 3_599_999) == [])
        #expect(copies.statuses.count == 30)
        #expect(alert(status("n0", "offline"))?.contains("28 more") == true)
        for number in 30..<200 { _ = shown("n\(number)") }
        #expect(copies.statuses.count == 100, "more are not remembered")
    }

    @Test mutating func `one of many copies asks for all: the others hear the answers`() {
        for number in 0..<30 { _ = shown("n\(number)") }
        #expect(copies.intervalPassed(at: 0) == [.showInstallation])
        for number in 0..<30 { _ = shown("n\(number)", at: 1000) }
        #expect(copies.intervalPassed(at: 3_600_000) == [], "they have all shown themselves since")
        #expect(copies.intervalPassed(at: 7_199_999) == [])
        #expect(copies.intervalPassed(at: 7_200_000) == [.showInstallation])
    }

    @Test mutating func `many forged messages neither keep the alert nor a true copy out of it`() {
        for number in 0..<200 { _ = shown("forged\(number)") }
        #expect(alert(shown("porch")) == nil, "there is no room for it yet")
        #expect(copies.intervalPassed(at: 0) == [.showInstallation])
        let actions = copies.intervalPassed(at: 60_000)
        #expect(actions == [.duplicatesGone] + Self.end)
        #expect(alert(shown("porch", at: 60_001))?.contains("node porch runs") == true)
        #expect(copies.intervalPassed(at: 120_000) == [.showInstallation])
        for number in 0..<20 { _ = shown("forged\(number)", at: 120_001) }
        for hour in 0...2 as ClosedRange<Int64> {
            _ = shown("porch", at: 180_000 + hour * 3_600_000)
            _ = copies.intervalPassed(at: 180_000 + hour * 3_600_000)
        }
        _ = shown("porch", at: 7_400_000)
        #expect(alert(copies.intervalPassed(at: 7_440_000))?.contains("node porch runs") == true)
        #expect(copies.statuses.count == 1)
    }

    @Test mutating func `a name that no node can have counts as none`() {
        #expect(shown(String(repeating: "x", count: 129)) == [])
    }

    @Test mutating func `only copies of this installation are read, and a daemon shows itself at each link`()
    {
        #expect(copies.filters == ["home/flat/+/installation/i1"])
        #expect(copies.linkUp() == [.showInstallation])
        var unknown = CopyDetector(topics: Topics(root: "home/flat/hall"), installation: "")
        #expect(unknown.filters.isEmpty && unknown.linkUp() == [])
        #expect(
            Topics(root: "home/flat/hall").neighbours
                == ["home/flat/+/installation/+", "home/flat/+/status"]
        )
    }
}
