import Controller
import Flare
import HomeAssistant
import Messages
import Testing

/// Two daemons that announce the same things.
struct OtherThingsTests {
    /// What another panel of the same place announces.
    private func other(_ change: (inout DiscoveryConfiguration) -> Void = { _ in }) -> Desk {
        var configuration = DiscoveryConfiguration(
            node: "n2",
            installation: "0ther",
            topics: Topics(root: "trilateral/n2")
        )
        change(&configuration)
        var desk = Desk(configuration)
        desk.announce(House.state)
        return desk
    }

    private func tell(_ desk: inout Desk, _ messages: [(topic: String, payload: String)]) {
        for message in messages {
            _ = desk.announcer.record(other: message.topic, Array(message.payload.utf8))
        }
    }

    @Test func `both are told, until one stops`() throws {
        var (first, second) = (Desk.ofHouse(), other())
        #expect(first.announcer.doubled == nil)
        tell(&first, second.sent)
        tell(&second, first.sent)
        let message = try #require(first.announcer.doubled)
        #expect(
            message.hasPrefix(
                "trilateral/n2 announces the same things to Home Assistant as this daemon, so each is there twice."
            )
        )
        #expect(message.hasSuffix("Set discovery.things: none on all but one."))
        #expect(second.announcer.doubled?.hasPrefix("trilateral/n1 announces") == true)
        second.forget()
        second.take(second.announcer.withdrawAll())
        tell(&first, second.sent)
        #expect(first.announcer.doubled == nil)
    }

    @Test func `a copy on another Flare server is another thing`() {
        func state(_ created: String) -> ControllerState {
            var state = House.state
            for id in state.things.keys { state.things[id]?.created = created }
            return state
        }
        for (time, isSame) in [("2026-01-01T00:00:00.000Z", true), ("2026-01-01T00:00:00.001Z", false)] {
            var first = Desk()
            first.announce(state("2026-01-01T00:00:00.000Z"))
            var second = Desk(
                DiscoveryConfiguration(node: "n2", installation: "0", topics: Topics(root: "a/n2"))
            )
            second.announce(state(time))
            tell(&first, second.sent)
            #expect((first.announcer.doubled != nil) == isSame)
        }
    }

    @Test func `what we announced ourselves, now or as another node, is not another daemon's`() {
        var desk = Desk.ofHouse()
        tell(&desk, desk.sent)
        tell(&desk, other { $0 = House.configuration("former") }.sent)
        #expect(desk.announcer.doubled == nil)
    }

    @Test func `topics that are too long are nobody's, and the message stays the same with more panels`() {
        var desk = Desk.ofHouse()
        tell(&desk, other { $0 = Self.panel(String(repeating: "x", count: 200)) }.sent)
        #expect(desk.announcer.doubled == nil)
        for name in ["p1", "p2", "p3", "p4"] { tell(&desk, other { $0 = Self.panel(name) }.sent) }
        let message = desk.announcer.doubled
        #expect(message?.contains("and others announce") == true, "\(message ?? "none")")
        tell(&desk, other { $0 = Self.panel("p5") }.sent)
        #expect(desk.announcer.doubled == message)
    }

    private static func panel(_ name: String) -> DiscoveryConfiguration {
        DiscoveryConfiguration(node: name, installation: "0badbeef\(name)", topics: Topics(root: "a/\(name)"))
    }

    @Test func `a panel with things of its own, or none, disturbs nobody`() {
        var desk = Desk.ofHouse()
        tell(&desk, other { $0.settings.things = .none }.sent)
        #expect(desk.announcer.doubled == nil)
        var state = House.state
        state.things = state.things.filter { $0.key == House.strip }
        var second = Desk(DiscoveryConfiguration(node: "n2", installation: "0", topics: Topics(root: "a/n2")))
        second.announce(state)
        var silent = Desk.ofHouse { $0.settings.things = .none }
        tell(&silent, second.sent)
        #expect(silent.announcer.doubled == nil && silent.announcer.otherDevices.isEmpty)
        tell(&desk, second.sent)
        #expect(desk.announcer.doubled?.hasPrefix("a/n2 announces") == true)
    }

    @Test(arguments: [
        "", "{", "[]", "7", #"{"components":{}}"#, #"{"origin":{"name":"Trilateral"},"components":5}"#,
    ])
    func `what is no announcement of ours is not read`(payload: String) {
        var desk = Desk.ofHouse()
        let topic = "homeassistant/device/trilateral_n2_lamp/config"
        let isNews = desk.announcer.record(other: topic, Array(payload.utf8))
        let isOther = desk.announcer.record(other: "homeassistant/device/zigbee/config", Array(payload.utf8))
        #expect(!isNews && !isOther)
        #expect(desk.announcer.doubled == nil)
    }
}
