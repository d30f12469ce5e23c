import HomeAssistant
import JSON
import Messages
import Testing

/// Further nodes that are taken off the list: the daemon's own node looks after what they announced.
struct DepartedTests {
    private static let cat = "homeassistant/device/trilateral_cat/config"
    private static let light = "0badcafe-cat_light_nearby"

    /// The publisher of a further device, which has announced it.
    private func node(remembered: [String: String] = [:]) -> Desk {
        let configuration = House.configuration("cat") {
            $0.installation = "0badcafe-cat"
            $0.publishesPlace = false
            ($0.settings.things, $0.settings.rules) = (.none, false)
        }
        var desk = Desk(configuration, remembered: remembered)
        desk.announce(House.state)
        return desk
    }

    /// What is remembered of a device that was removed.
    private func memories(isOnline: Bool?) -> [String: String] {
        var desk = node()
        desk.announcer.setOnline(isOnline)
        desk.take(desk.announcer.withdrawAll())
        #expect(desk.held[Self.cat] == nil)
        return desk.announcer.memories
    }

    /// What a birth of Home Assistant brings on the device's topic: the first payload, and what is left in the end.
    private func birth(_ desk: inout Desk) -> (first: JSONValue?, last: JSONValue?) {
        desk.announcer.setOnline(true)
        desk.announce(House.state, isBirth: true, at: 10_000)
        let first = desk.held[Self.cat]
        desk.tell(at: 20_000)
        return (first, desk.held[Self.cat])
    }

    @Test func `a device that was removed while Home Assistant was off is removed there when it starts`() {
        var desk = Desk.ofHouse()
        desk.announcer.adopt(memories(isOnline: false), isCleared: true)
        let own = desk.device()
        let (first, last) = birth(&desk)
        #expect(first?["components"]?["light_nearby"]?["unique_id"]?.string == Self.light)
        #expect(first?["device"]?["identifiers"] == ["trilateral_0badcafe-cat"])
        #expect(first.map { PayloadCheck($0).problems } == [])
        #expect(last == nil && desk.device() == own)
        desk.forget()
        _ = birth(&desk)
        #expect(!desk.sent.contains { $0.topic == Self.cat }, "once is enough")
    }

    @Test func `the daemon's next run removes it, too, and takes it for no device of its own`() {
        let memories = memories(isOnline: false)
        var desk = Desk(House.configuration(), remembered: memories)
        desk.announce(House.state)
        #expect(desk.announcer.memory(of: Self.cat) == memories[Self.cat])
        let own = desk.ownComponents
        let (first, last) = birth(&desk)
        #expect(first?["components"]?["light_nearby"]?["unique_id"]?.string == Self.light)
        #expect(last == nil && desk.ownComponents == own)
        #expect(!desk.sent.contains { $0.topic.contains("trilateral_n1") && $0.payload.contains("/gone") })
    }

    @Test func `a device whose removal Home Assistant saw is not shown again`() {
        var desk = Desk.ofHouse()
        desk.announcer.adopt(memories(isOnline: true), isCleared: true)
        desk.forget()
        _ = birth(&desk)
        #expect(!desk.sent.contains { $0.topic == Self.cat })
    }

    @Test func `what could not be cleared is cleared with the next link, or by the next run`() throws {
        var desk = Desk.ofHouse()
        desk.announcer.adopt(memories(isOnline: true), isCleared: false)
        let remembered = desk.announcer.drainAnnounced()
        #expect(try #require(remembered[Self.cat]).hasSuffix(" @0badcafe-cat"))
        desk.forget()
        desk.announce(House.state)
        #expect(desk.sent.contains { $0.topic == Self.cat && $0.payload.isEmpty })
        var next = Desk(House.configuration(), remembered: remembered)
        next.announce(House.state)
        #expect(next.sent.contains { $0.topic == Self.cat && $0.payload.isEmpty })
    }

    @Test func `a device that comes back keeps the entity ids that it has in Home Assistant`() {
        let memories = memories(isOnline: true)
        let desk = node(remembered: memories)
        let light = desk.held[Self.cat]?["components"]?["light_nearby"]
        #expect(light?["unique_id"]?.string == Self.light && light?["default_entity_id"] == nil)
    }

    @Test func `a node that is listed again looks after its devices itself`() {
        var desk = Desk.ofHouse()
        desk.announcer.adopt(memories(isOnline: false), isCleared: false)
        desk.announcer.release("cat")
        #expect(desk.announcer.memory(of: Self.cat) == nil)
        #expect(desk.announcer.drainAnnounced()[Self.cat] == nil)
        desk.forget()
        _ = birth(&desk)
        #expect(!desk.sent.contains { $0.topic == Self.cat })
    }
}
