import Controller
import Flare
import HomeAssistant
import JSON
import Testing

/// Components that come back: Home Assistant kept their entity ids, which its user may have changed.
struct FormerTests {
    private func id(_ desk: Desk, _ key: String = "light", of slug: String? = "strip") -> JSONValue? {
        desk.component(key, of: slug)?["default_entity_id"]
    }

    @Test func `a thing that comes back proposes no entity id, and the others still do`() {
        var desk = Desk.ofHouse()
        #expect(id(desk) == "light.trilateral_n1_strip")
        desk.change(House.withoutStrip, House.facet(House.strip))
        desk.change(House.state, House.facet(House.strip))
        desk.tell(at: 0)
        #expect(desk.component("light", of: "strip")?["state_topic"] != nil && id(desk) == nil)
        #expect(desk.device("strip").map { PayloadCheck($0).problems } == [])
        #expect(id(desk, of: "lamp") == "light.trilateral_n1_lamp")
        desk.announce(House.state, at: 9000)
        #expect(id(desk) == nil, "it is announced again, but still the same")
    }

    @Test func `so does a value that comes back`() {
        var desk = Desk.ofHouse()
        var state = House.state
        state.things[House.lamp]?.data["color"] = nil
        desk.change(state, House.facet(House.lamp))
        desk.tell(at: 5000)
        desk.change(House.state, House.facet(House.lamp), at: 6000)
        #expect(desk.component("select_palette", of: "lamp")?["options"] != nil)
        #expect(id(desk, "select_palette", of: "lamp") == nil)
        #expect(id(desk, of: "lamp") != nil)
    }

    @Test func `what went is remembered for later runs, also what came back`() {
        var desk = Desk.ofHouse()
        var remembered = desk.announcer.drainAnnounced()
        func save() {
            remembered.merge(desk.announcer.drainAnnounced()) { $1 }
            for topic in desk.announcer.drainRemoved() {
                remembered[topic] = desk.announcer.memory(of: topic)
            }
        }
        desk.change(House.withoutStrip, House.facet(House.strip))
        save()
        #expect(remembered[House.stripTopic]?.contains("light.") == true)
        for _ in 0..<2 {
            desk = Desk(House.configuration(), remembered: remembered)
            desk.announce(House.state)
            #expect(desk.component("light", of: "strip") != nil && id(desk) == nil)
            save()
        }
    }

    @Test func `after a birth ids are proposed again, for a Home Assistant that is installed anew`() {
        var desk = Desk.ofHouse()
        desk.change(House.withoutStrip, House.facet(House.strip))
        desk.change(House.state, House.facet(House.strip))
        desk.tell(at: 0)
        desk.announcer.setOnline(true)
        desk.announce(House.state, isBirth: true, at: 100)
        #expect(id(desk) == "light.trilateral_n1_strip")
    }

    @Test func `a birth does not settle what was not published before it`() {
        var desk = Desk.ofHouse()
        desk.change(House.withoutStrip, House.facet(House.strip))
        // It waits for its batch as Home Assistant is born.
        desk.change(House.state, House.facet(House.strip))
        desk.announcer.setOnline(true)
        desk.announce(House.state, isBirth: true, at: 100)
        #expect(desk.component("light", of: "strip")?["state_topic"] != nil && id(desk) == nil)
    }

    @Test func `entities of another node name or prefix come back without ids`() {
        let remembered = [
            "homeassistant/device/trilateral_old_strip/config": "light. #1",
            "ha/device/trilateral_n1/config": "sensor.zone light.nearby",
        ]
        var desk = Desk(House.configuration(), remembered: remembered)
        desk.announce(House.state)
        #expect(id(desk) == nil && id(desk, of: "lamp") != nil)
        #expect(id(desk, "sensor_zone", of: nil) == nil && id(desk, "sensor_nearby", of: nil) != nil)
    }

    @Test func `entities that were announced over another daemon's keep their ids when it has gone`() {
        var desk = Desk(House.configuration(), remembered: [House.stripTopic: "light. #1"])
        desk.announce(House.state)
        desk.announcer.setForeign(true)
        desk.take(desk.announcer.withdrawAll())
        desk.announcer.setForeign(false)
        desk.announce(House.state, at: 5000)
        #expect(id(desk, of: "lamp") == "light.trilateral_n1_lamp")
        #expect(id(desk) == nil, "Home Assistant knew it before")
    }

    @Test func `what Home Assistant may have missed is removed again at its birth`() {
        var desk = Desk.ofHouse()
        desk.change(House.withoutStrip, House.facet(House.strip))
        desk.forget()
        desk.announcer.setOnline(true)
        desk.announce(House.withoutStrip, isBirth: true, at: 100)
        #expect(desk.component("light", of: "strip")?["unique_id"] == "0badcafe_strip_light")
        #expect(id(desk) == nil)
        desk.tell(at: 5000)
        #expect(desk.held[House.stripTopic] == nil)
        desk.forget()
        desk.announce(House.withoutStrip, isBirth: true, at: 9000)
        #expect(!desk.sent.contains { $0.topic == House.stripTopic })
    }

    @Test func `what is remembered has a limit`() {
        let remembered = Dictionary(
            uniqueKeysWithValues: (0..<3000).map {
                ("homeassistant/device/trilateral_n1_t\($0)/config", "~light.")
            }
        )
        var desk = Desk(House.configuration(), remembered: remembered)
        desk.announce(House.state)
        let forgotten = desk.announcer.drainRemoved().filter { desk.announcer.memory(of: $0) == nil }
        #expect(forgotten.count >= 1000)
    }
}
