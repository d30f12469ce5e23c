import Controller
import Flare
import HomeAssistant
import JSON
import Testing

/// Removals while Home Assistant is offline: it keeps what it did not see removed.
struct UnseenTests {
    @Test func `a removal that Home Assistant missed is repeated at its birth`() {
        var desk = Desk.ofHouse()
        desk.announcer.setOnline(false)
        #expect(desk.change(House.withoutStrip, House.facet(House.strip)).contains("-\(House.stripTopic)"))
        #expect(desk.held[House.stripTopic] == nil)
        #expect(desk.announcer.drainRemoved() == [House.stripTopic])
        #expect(desk.announcer.memory(of: House.stripTopic)?.hasPrefix("!") == true)
        desk.announcer.setOnline(true)
        desk.announce(House.withoutStrip, isBirth: true, at: 1000)
        let ghost = desk.held[House.stripTopic]
        #expect(ghost?["components"]?["light"]?["unique_id"] == "0badcafe_strip_light")
        #expect(ghost?["device"]?["identifiers"] == ["trilateral_0badcafe_strip"])
        #expect(ghost.map { PayloadCheck($0).problems } == [])
        desk.tell(at: 3000)
        #expect(desk.held[House.stripTopic] == nil)
        #expect(desk.announcer.drainRemoved() == [House.stripTopic])
        desk.forget()
        desk.announce(House.withoutStrip, isBirth: true, at: 9000)
        #expect(!desk.sent.contains { $0.topic == House.stripTopic }, "once is enough")
    }

    @Test func `a missed removal is remembered for the next run`() {
        var desk = Desk(House.configuration(), remembered: [House.stripTopic: "!light. button.on"])
        desk.announce(House.withoutStrip)
        #expect(desk.held[House.stripTopic] == nil)
        desk.announce(House.withoutStrip, isBirth: true)
        #expect(desk.held[House.stripTopic]?["components"]?.object?.keys.sorted() == ["button_on", "light"])
        desk.tell(at: 2000)
        #expect(desk.held[House.stripTopic] == nil)
    }

    @Test func `a thing that comes back is not removed`() {
        var desk = Desk(House.configuration(), remembered: [House.stripTopic: "!light."])
        desk.announce(House.state, isBirth: true)
        desk.tell(at: 9000)
        #expect(desk.component("light", of: "strip")?["state_topic"] != nil)
    }

    @Test func `a component removed unseen is restored, named by its platform and omitted`() {
        var desk = Desk.ofHouse()
        desk.announcer.setOnline(false)
        var state = House.state
        state.things[House.lamp]?.data["color"] = nil
        desk.change(state, House.facet(House.lamp))
        #expect(desk.component("select_palette", of: "lamp") == nil)
        desk.announcer.setOnline(true)
        desk.announce(state, isBirth: true, at: 1000)
        #expect(desk.component("select_palette", of: "lamp")?["unique_id"] == "0badcafe_lamp_select_palette")
        #expect(desk.device("lamp").map { PayloadCheck($0).problems } == [])
        desk.tell(at: 3000)
        #expect(desk.component("select_palette", of: "lamp") == ["platform": "select"])
        desk.tell(at: 5000)
        #expect(desk.component("select_palette", of: "lamp") == nil)
        #expect(!desk.announcer.hasWork)
    }

    @Test func `a removal that was seen says nothing about one that was missed`() {
        var desk = Desk.ofHouse()
        desk.announcer.setOnline(false)
        var state = House.state
        state.things[House.lamp]?.data["color"] = nil
        desk.change(state, House.facet(House.lamp))
        desk.announcer.setOnline(true)
        state.things[House.lamp]?.data["brightness"] = nil
        desk.change(state, House.facet(House.lamp), at: 1000)
        desk.tell(at: 9000)
        #expect(desk.component("button_lighter", of: "lamp") == nil && !desk.announcer.hasWork)
        let memory = desk.announcer.memory(of: "homeassistant/device/trilateral_n1_lamp/config") ?? ""
        let missed = memory.split(separator: "!").last?.split(separator: "~").first ?? ""
        #expect(missed.contains("select.palette") && !missed.contains("button.lighter"), "\(memory)")
    }

    @Test func `a restored component of every platform is valid for Home Assistant`() {
        let all =
            ["binary_sensor", "button", "device_tracker", "event", "image", "light", "number", "select"]
            + ["sensor", "switch", "text"]
        let list = all.map { "\($0).x" }.joined(separator: " ")
        var desk = Desk(House.configuration(), remembered: [House.stripTopic: "!\(list)"])
        desk.announce(House.withoutStrip, isBirth: true)
        #expect(desk.held[House.stripTopic]?["components"]?.object?.count == all.count)
        // Else Home Assistant restores a state that does not go with its colour mode.
        #expect(desk.component("light_x", of: "strip")?["state_topic"] != nil)
        #expect(desk.held[House.stripTopic].map { PayloadCheck($0).problems } == [])
    }
}
