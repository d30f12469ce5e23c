import Controller
import Flare
import HomeAssistant
import JSON
import Testing

/// Devices that come back: Home Assistant itself empties the topics of what it removed, up to some seconds later.
struct ReturnTests {
    /// The house after the strip went and came back.
    private var returned: Desk {
        var desk = Desk.ofHouse()
        desk.announcer.setOnline(true)
        desk.change(House.withoutStrip, House.facet(House.strip))
        desk.change(House.state, House.facet(House.strip))
        desk.tell(at: 0)
        return desk
    }

    @Test func `a thing that came back is there, although Home Assistant empties its topic late`() {
        var desk = returned
        let strip = desk.device("strip")
        #expect(strip?["components"]?["light"]?["state_topic"] != nil)
        desk.empty(House.stripTopic)
        desk.tell(at: 7000)
        #expect(desk.device("strip") == strip)
        // Because it removed the thing a second time.
        desk.empty(House.stripTopic)
        desk.tell(at: 21_000)
        #expect(desk.device("strip") == strip)
        #expect(!desk.announcer.hasWork)
    }

    @Test func `until it is announced again there is nothing to do`() {
        var desk = returned
        _ = desk.announcer.drainRemoved()
        #expect(desk.announcer.hasWork && desk.announcer.rest(at: 1000) == 5000)
        desk.tell(at: 7000)
        #expect(desk.announcer.rest(at: 7000) == 13_000)
        desk.change(House.withoutStrip, House.facet(House.strip), at: 8000)
        #expect(desk.announcer.rest(at: 8000) == 0)
    }

    @Test func `it is as it is then, also if it changed meanwhile`() {
        var desk = returned
        var state = House.state
        state.things[House.strip]?.name = "Long strip"
        desk.change(state, House.facet(House.strip), at: 1000)
        desk.empty(House.stripTopic)
        desk.tell(at: 7000)
        #expect(desk.device("strip")?["device"]?["name"] == "Long strip")
    }

    @Test func `one that went again stays away, and one that is new is announced once`() {
        var desk = returned
        desk.change(House.withoutStrip, House.facet(House.strip), at: 1000)
        desk.forget()
        desk.tell(at: 30_000)
        #expect(desk.sent.isEmpty && !desk.announcer.hasWork)
    }

    @Test func `a further device that is listed again at once is there, too`() {
        let topic = "homeassistant/device/trilateral_cat/config"
        let configuration = House.configuration("cat") {
            $0.installation = "0badcafe-cat"
            $0.publishesPlace = false
            ($0.settings.things, $0.settings.rules) = (.none, false)
        }
        var desk = Desk(configuration)
        desk.announce(House.state)
        desk.announcer.setOnline(true)
        desk.take(desk.announcer.withdrawAll())
        desk = Desk(configuration, remembered: desk.announcer.memories)
        desk.announce(House.state)
        let cat = desk.held[topic]
        #expect(cat != nil)
        desk.empty(topic)
        desk.tell(at: 7000)
        #expect(desk.held[topic] == cat)
    }
}
