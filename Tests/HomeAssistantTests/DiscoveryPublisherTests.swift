import Controller
import Flare
import HomeAssistant
import JSON
import Testing

struct DiscoveryPublisherTests {
    private static let own = "homeassistant/device/trilateral_n1/config"

    private static func topic(_ slug: String) -> String {
        "homeassistant/device/trilateral_n1_\(slug)/config"
    }

    private func facet(_ id: FlareID, _ kind: FlareClass = .thing) -> Set<StateChange> {
        [.object(ObjectReference(kind, id))]
    }

    @Test func `everything is announced gradually with the daemon's own device first`() {
        var announcer = DiscoveryPublisher(House.configuration(), remembered: [:])
        #expect(announcer.announceAll(House.state, at: 0).isEmpty)
        #expect(announcer.hasWork)
        let first = announcer.next(5, at: 0)
        #expect(first.map(\.topic) == House.ownTopics + [Self.topic("lamp")])
        #expect(announcer.next(100, at: 0).map(\.topic) == ["plug", "strip", "tv-set"].map(Self.topic))
        #expect(!announcer.hasWork)
    }

    @Test func `announcing everything again repeats unchanged payloads`() {
        var desk = Desk.ofHouse()
        desk.forget()
        desk.announce(House.state)
        #expect(desk.sent.count == 8)
    }

    @Test func `values, positions and time announce nothing`() {
        var desk = Desk.ofHouse()
        var state = House.state
        state.things[House.lamp]?.data["color"] = "blue"
        state.things[House.lamp]?.data["brightness"] = 0.1
        state.things[House.television]?.data["volume"] = 3
        state.things[House.plug]?.position = Point3D(x: 1, y: 2)
        state.zoneID = House.attic
        #expect(
            desk.change(
                state,
                facet(House.lamp).union(facet(House.television)).union(facet(House.plug))
                    .union([.zone, .position, .angle, .device, .link, .sensor(.gps)])
            ) == []
        )
        #expect(!desk.announcer.hasWork)
    }

    @Test func `a refused removal is not forgotten, and is sent again`() throws {
        var desk = Desk.ofHouse()
        var state = House.state
        state.things[House.lamp] = nil
        #expect(desk.change(state, facet(House.lamp)).first == "-" + Self.topic("lamp"))
        #expect(desk.announcer.recordRefusal(of: Self.topic("lamp")) == true)
        #expect(desk.announcer.recordRefusal(of: Self.topic("plug")) == false)
        #expect(desk.announcer.drainRemoved() == [])
        desk.announcer.repeatRefusedRemovals()
        let again = desk.announcer.next(10, at: 0)
        #expect(again.contains { $0.topic == Self.topic("lamp") && $0.isRemoval })
        #expect(desk.announcer.drainRemoved() == [Self.topic("lamp")])
    }

    @Test func `a rename changes only the name and comes before the value`() throws {
        var desk = Desk.ofHouse()
        let before = try #require(desk.component("light", of: "lamp"))
        var state = House.state
        state.things[House.lamp]?.name = "Sun"
        #expect(desk.change(state, facet(House.lamp)) == [Self.topic("lamp")])
        #expect(desk.device("lamp")?["device"]?["name"] == "Sun")
        #expect(desk.device("lamp")?["device"]?["identifiers"] == ["trilateral_0badcafe_lamp"])
        #expect(desk.component("light", of: "lamp") == before)
        #expect(desk.change(state, facet(House.lamp)) == [])
    }

    @Test func `renaming the device, a zone or an environment keeps their ids`() throws {
        var desk = Desk.ofHouse()
        let group = desk.component("light_hall_lights")?["unique_id"]
        var state = House.state
        state.device?.name = "Tablet"
        state.zones[House.hall]?.name = "Foyer"
        let told = desk.change(state, facet(House.hall, .zone).union([.device]))
        let own = House.ownTopics.filter { !$0.contains("attic") }
        #expect(Set(told) == Set(own + [Self.topic("lamp"), Self.topic("strip")]))
        #expect(desk.device()?["device"]?["name"] == "Tablet")
        #expect(desk.held[House.zoneTopic("hall")]?["device"]?["name"] == "Foyer")
        #expect(desk.component("light_hall_lights")?["unique_id"] == group)
        #expect(desk.device("lamp")?["device"]?["suggested_area"] == "Foyer")
    }

    @Test func `a removed component is named by its platform and omitted later`() throws {
        var desk = Desk.ofHouse()
        var state = House.state
        state.things[House.lamp]?.data["color"] = nil
        #expect(desk.change(state, facet(House.lamp), at: 100).contains(Self.topic("lamp")))
        #expect(desk.component("select_palette", of: "lamp") == ["platform": "select"])
        #expect(desk.component("button_nextcolor", of: "lamp") == ["platform": "button"])
        #expect(desk.component("light", of: "lamp")?["supported_color_modes"] == ["brightness"])
        desk.tell(at: 2000)
        #expect(desk.component("select_palette", of: "lamp") == ["platform": "select"])
        desk.tell(at: 2100)
        #expect(desk.component("select_palette", of: "lamp") == nil)
        #expect(desk.component("light", of: "lamp") != nil)
        #expect(!desk.announcer.hasWork)
    }

    @Test func `a component that comes back in the meantime stays`() {
        var desk = Desk.ofHouse()
        var state = House.state
        state.things[House.lamp]?.data["color"] = nil
        desk.change(state, facet(House.lamp), at: 0)
        desk.change(House.state, facet(House.lamp), at: 10)
        desk.tell(at: 10_000)
        #expect(desk.component("select_palette", of: "lamp")?["options"] == ["red", "Ocean"])
    }

    @Test func `a removed thing is removed at once and from its zone's lights`() {
        var desk = Desk.ofHouse()
        var state = House.state
        state.things[House.strip] = nil
        #expect(
            desk.change(state, facet(House.strip)) == ["-\(Self.topic("strip"))", House.zoneTopic("hall")]
        )
        #expect(desk.device("strip") == nil)
        #expect(desk.component("light_hall_lights")?["group"] == ["0badcafe_lamp_light"])
        #expect(desk.announcer.drainRemoved() == [Self.topic("strip")])
    }

    @Test func `a new thing is announced after its availability`() {
        var desk = Desk.ofHouse()
        var state = House.state
        let id = FlareID(high: 3, low: 99)
        state.things[id] = FlareThing(id: id)
        state.things[id]?.data = ["on": true]
        _ = state.slugs.assign(to: ObjectReference(.thing, id), name: "New")
        #expect(desk.change(state, facet(id)) == [])
        desk.tell(at: 0)
        #expect(desk.component("light", of: "new") != nil)
    }

    @Test func `some of many simultaneous changes wait`() {
        var desk = Desk()
        var state = House.withHundredLamps
        desk.announce(state)
        var changes: Set<StateChange> = []
        for id in state.things.keys where id.high == 8 {
            state.things[id]?.name += "!"
            changes.formUnion(facet(id))
        }
        #expect(desk.change(state, changes).count < 40)
        desk.tell(at: 0)
        #expect(
            desk.held.values.filter { $0["device"]?["name"]?.string?.hasSuffix("!") == true }.count == 100
        )
    }

    @Test(
        arguments: [
            (.all, ["lamp", "plug", "strip", "tv-set"]), (.zone, ["lamp", "strip"]), (.nearby, ["plug"]),
            (.none, []),
        ] as [(DiscoverySettings.Things, [String])]
    )
    func `only the selected things are announced`(choice: DiscoverySettings.Things, slugs: [String]) {
        var desk = Desk(House.configuration { $0.settings.things = choice })
        var state = House.state
        state.nearbyID = House.plug
        desk.announce(state)
        #expect(Set(desk.held.keys) == Set(House.ownTopics + slugs.map(Self.topic)))
    }

    @Test func `changing the zone replaces the announced things of the zone`() {
        var desk = Desk.ofHouse { $0.settings.things = .zone }
        var state = House.state
        state.zoneID = House.attic
        let told = desk.change(state, [.zone])
        let zones = [House.zoneTopic("hall"), House.zoneTopic("attic")]
        #expect(Set(told) == Set(["-\(Self.topic("lamp"))", "-\(Self.topic("strip"))"] + zones))
        #expect(desk.component("light_hall_lights") == ["platform": "light"])
        desk.tell(at: 5000)
        #expect(Set(desk.held.keys) == Set(House.ownTopics + [Self.topic("plug"), Self.topic("tv-set")]))
        #expect(desk.component("light_attic_lights") != nil)
        state.zoneID = nil
        desk.change(state, [.zone])
        #expect(Set(desk.held.keys) == Set(House.ownTopics))
    }

    @Test func `the announced nearby thing follows the proximity`() {
        var desk = Desk.ofHouse { $0.settings.things = .nearby }
        var state = House.state
        for (thing, slug) in [(House.lamp, "lamp"), (House.plug, "plug"), (nil, nil)] {
            state.nearbyID = thing
            desk.change(state, [.nearby])
            desk.tell(at: 0)
            #expect(Set(desk.held.keys) == Set(House.ownTopics + [slug].compactMap { $0 }.map(Self.topic)))
        }
    }

    @Test func `payloads of earlier runs are removed under any prefix and node`() {
        let remembered = [
            Self.own: "light.gone_lights select.environment", Self.topic("lamp"): "light. select.palette",
            Self.topic("radio"): "light.", "hass/device/trilateral_n1_lamp/config": "light.",
            "homeassistant/device/trilateral_old/config": "light.nearby",
        ]
        var desk = Desk(House.configuration(), remembered: remembered)
        desk.announce(House.state)
        let cleared = Set(desk.sent.filter(\.payload.isEmpty).map(\.topic))
        #expect(
            cleared == [
                Self.topic("radio"), "hass/device/trilateral_n1_lamp/config",
                "homeassistant/device/trilateral_old/config",
            ]
        )
        #expect(desk.announcer.drainRemoved() == cleared)
        // Old names are removed before the new ones are announced.
        #expect(desk.sent.first?.payload.isEmpty == true)
        #expect(desk.component("light_gone_lights") == ["platform": "light"])
        desk.tell(at: 5000)
        #expect(desk.component("light_gone_lights") == nil)
    }

    @Test
    func `payloads with changed meaning come before the states and the rest after`() {
        var first = Desk.ofHouse()
        let remembered = first.announcer.drainAnnounced()
        func urgent(_ change: (inout ControllerState) -> Void) -> (topics: [String], others: Int) {
            var state = House.state
            change(&state)
            var announcer = DiscoveryPublisher(House.configuration(), remembered: remembered)
            let urgent = announcer.announceAll(state, at: 0)
            return (urgent.map { ($0.isRemoval ? "-" : "") + $0.topic }, announcer.next(100, at: 0).count)
        }
        #expect(urgent { _ in } == ([], 8))
        // Names and values do not affect the meaning.
        #expect(
            urgent {
                $0.things[House.lamp]?.name = "Sun"
                $0.things[House.lamp]?.data["color"] = "blue"
            } == ([], 8)
        )
        #expect(
            urgent { $0.things[House.plug]?.data["brightness"] = 1 }
                == ([House.zoneTopic("attic"), Self.topic("plug")], 6)
        )
        #expect(urgent { $0.things[House.statue]?.data["on"] = true } == ([], 9))
        #expect(urgent { $0.things[House.television] = nil } == (["-\(Self.topic("tv-set"))"], 7))
        let porch = FlareID(high: 1, low: 9)
        let changed = urgent {
            $0.environments[porch] = FlareEnvironment(id: porch)
            _ = $0.slugs.assign(to: ObjectReference(.environment, porch), name: "Porch")
        }
        #expect(changed == ([Self.own], 7))
    }

    @Test func `disabling discovery removes everything`() {
        let remembered = [Self.own: "light.nearby", Self.topic("lamp"): "light."]
        var desk = Desk(House.configuration { $0.settings.isEnabled = false }, remembered: remembered)
        desk.announce(House.state)
        #expect(Set(desk.sent.map(\.topic)) == Set(remembered.keys))
        #expect(desk.sent.allSatisfy { $0.payload.isEmpty })
        #expect(desk.change(House.state, facet(House.lamp)) == [])
        #expect(!desk.announcer.hasWork)
    }

    @Test func `withdrawing removes everything`() {
        var desk = Desk.ofHouse()
        let topics = Set(desk.held.keys)
        let messages = desk.announcer.withdrawAll()
        #expect(Set(messages.map(\.topic)) == topics && messages.allSatisfy { $0.isRemoval })
        #expect(desk.change(House.state, facet(House.lamp)) == [])
    }

    @Test func `while the place is unknown nothing is announced or removed`() {
        var desk = Desk(
            House.configuration(),
            remembered: [Self.own: "light.hall_lights", Self.topic("lamp"): "light."]
        )
        var state = House.state
        state.isPlaceKnown = false
        state.things = [:]
        state.zones = [:]
        desk.announce(state)
        #expect(desk.sent.isEmpty && desk.announcer.isOwnDue)
        // A second call announces our own device without the place.
        desk.announce(state)
        #expect(desk.sent.map(\.topic) == Array(House.ownTopics.prefix(2)))
        #expect(desk.component("light_hall_lights") == nil)
        // Once is enough, unless it changes.
        #expect(!desk.announcer.isOwnDue)
        desk.announcer.setLinks(["flare", "station"])
        #expect(desk.announcer.isOwnDue)
        desk.change(House.state, [.link])
        desk.tell(at: 5000)
        #expect(desk.component("light_hall_lights") != nil)
        #expect(desk.device("lamp") != nil)
        #expect(!desk.announcer.isOwnDue)
    }

    @Test func `announced topics are remembered with their components`() {
        var desk = Desk.ofHouse()
        let news = desk.announcer.drainAnnounced()
        #expect(news.keys.sorted() == desk.held.keys.sorted())
        #expect(news[Self.topic("plug")]?.hasPrefix("light. #") == true)
        #expect(desk.announcer.drainAnnounced().isEmpty)
    }

    @Test func `a message that could not be published is sent next`() {
        var announcer = DiscoveryPublisher(House.configuration(), remembered: [:])
        #expect(announcer.announceAll(House.state, at: 0).isEmpty)
        let first = announcer.next(3, at: 0)
        announcer.putBack(first[1...])
        #expect(announcer.next(2, at: 0) == Array(first[1...]))
    }

    @Test func `a new link is announced and a removed one is removed`() {
        var desk = Desk.ofHouse()
        desk.announcer.setLinks(["flare"])
        #expect(desk.change(House.state, []) == [Self.own])
        #expect(desk.component("binary_sensor_flare")?["device_class"] == "connectivity")
        desk.announcer.setLinks([])
        desk.change(House.state, [])
        #expect(desk.component("binary_sensor_flare") == ["platform": "binary_sensor"])
    }
}
