import Controller
import Flare
import HomeAssistant
import Testing

struct DiscoveryPublisherTests {
    private static let own = "homeassistant/device/trilateral_n1/config"

    private static func topic(_ slug: String) -> String {
        "homeassistant/device/trilateral_n1_\(slug)/config"
    }

    private func facet(_ id: FlareID, _ kind: FlareClass = .thing) -> Set<StateChange> {
        [.object(ObjectReference(kind, id))]
    }

    @Test func `everything is told bit by bit, the daemon's own device first`() {
        var announcer = DiscoveryPublisher(House.configuration(), remembered: [:])
        #expect(announcer.announceAll(House.state, at: 0).isEmpty)
        #expect(announcer.hasWork)
        let first = announcer.next(5, at: 0)
        #expect(first.map(\.topic) == House.ownTopics + [Self.topic("lamp")])
        #expect(announcer.next(100, at: 0).map(\.topic) == ["plug", "strip", "tv-set"].map(Self.topic))
        #expect(!announcer.hasWork)
    }

    @Test func `told again, everything is sent again though nothing has changed`() {
        var desk = Desk.ofHouse()
        desk.forget()
        desk.announce(House.state)
        #expect(desk.sent.count == 8)
    }

    @Test func `values, positions and time are no matter of discovery`() {
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

    @Test func `a rename changes the name only, before the value`() throws {
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

    @Test func `renamed, the device, a zone and an environment keep their ids as well`() throws {
        var desk = Desk.ofHouse()
        let group = desk.component("light_hall_lights")?["unique_id"]
        var state = House.state
        state.device?.name = "Tablet"
        state.zones[House.hall]?.name = "Foyer"
        let told = desk.change(state, facet(House.hall, .zone).union([.device]))
        #expect(Set(told) == Set(House.ownTopics + [Self.topic("lamp"), Self.topic("strip")]))
        #expect(desk.device()?["device"]?["name"] == "Tablet")
        #expect(desk.component("light_hall_lights")?["name"] == "Foyer lights")
        #expect(desk.component("light_hall_lights")?["unique_id"] == group)
        #expect(desk.device("lamp")?["device"]?["suggested_area"] == "Foyer")
    }

    @Test func `a component that goes is named by its platform, and some time later not at all`() throws {
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

    @Test func `a component that comes back meanwhile stays`() {
        var desk = Desk.ofHouse()
        var state = House.state
        state.things[House.lamp]?.data["color"] = nil
        desk.change(state, facet(House.lamp), at: 0)
        desk.change(House.state, facet(House.lamp), at: 10)
        desk.tell(at: 10_000)
        #expect(desk.component("select_palette", of: "lamp")?["options"] == ["red", "Ocean"])
    }

    @Test func `a thing that goes is taken away at once, and out of its zone's lights`() {
        var desk = Desk.ofHouse()
        var state = House.state
        state.things[House.strip] = nil
        #expect(
            desk.change(state, facet(House.strip)) == ["-\(Self.topic("strip"))", House.zoneTopic("hall")]
        )
        #expect(desk.device("strip") == nil)
        #expect(desk.component("light_hall_lights")?["group"] == ["0badcafe_lamp_light"])
        #expect(desk.announcer.takeGone() == [Self.topic("strip")])
    }

    @Test func `a new thing waits for its availability to be told`() {
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

    @Test func `of many changes at once some wait`() {
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
    func `the choice of things is kept`(choice: DiscoverySettings.Things, slugs: [String]) {
        var desk = Desk(House.configuration { $0.settings.things = choice })
        var state = House.state
        state.nearbyID = House.plug
        desk.announce(state)
        #expect(Set(desk.held.keys) == Set(House.ownTopics + slugs.map(Self.topic)))
    }

    @Test func `with the things of the zone, a step into another one takes away and brings`() {
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

    @Test func `with the nearby thing, it follows what is near`() {
        var desk = Desk.ofHouse { $0.settings.things = .nearby }
        var state = House.state
        for (thing, slug) in [(House.lamp, "lamp"), (House.plug, "plug"), (nil, nil)] {
            state.nearbyID = thing
            desk.change(state, [.nearby])
            desk.tell(at: 0)
            #expect(Set(desk.held.keys) == Set(House.ownTopics + [slug].compactMap { $0 }.map(Self.topic)))
        }
    }

    @Test func `what earlier runs have left is taken away, under whatever name`() {
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
        #expect(desk.announcer.takeGone() == cleared)
        // Strangers are let go before we come under another name.
        #expect(desk.sent.first?.payload.isEmpty == true)
        #expect(desk.component("light_gone_lights") == ["platform": "light"])
        desk.tell(at: 5000)
        #expect(desk.component("light_gone_lights") == nil)
    }

    @Test
    func `what means something else than an earlier run has told comes before the states, the rest after`() {
        var first = Desk.ofHouse()
        let remembered = first.announcer.takeNews()
        func urgent(_ change: (inout ControllerState) -> Void) -> (topics: [String], others: Int) {
            var state = House.state
            change(&state)
            var announcer = DiscoveryPublisher(House.configuration(), remembered: remembered)
            let urgent = announcer.announceAll(state, at: 0)
            return (urgent.map { ($0.isRemoval ? "-" : "") + $0.topic }, announcer.next(100, at: 0).count)
        }
        #expect(urgent { _ in } == ([], 8))
        // Names and values are no matter of meaning.
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

    @Test func `switched off, everything is taken away and nothing told`() {
        let remembered = [Self.own: "light.nearby", Self.topic("lamp"): "light."]
        var desk = Desk(House.configuration { $0.settings.isEnabled = false }, remembered: remembered)
        desk.announce(House.state)
        #expect(Set(desk.sent.map(\.topic)) == Set(remembered.keys))
        #expect(desk.sent.allSatisfy { $0.payload.isEmpty })
        #expect(desk.change(House.state, facet(House.lamp)) == [])
        #expect(!desk.announcer.hasWork)
    }

    @Test func `leaving takes everything away`() {
        var desk = Desk.ofHouse()
        let topics = Set(desk.held.keys)
        let messages = desk.announcer.withdrawAll()
        #expect(Set(messages.map(\.topic)) == topics && messages.allSatisfy { $0.isRemoval })
        #expect(desk.change(House.state, facet(House.lamp)) == [])
    }

    @Test func `while the place is not known nothing is said, and what was is not taken away`() {
        var desk = Desk(
            House.configuration(),
            remembered: [Self.own: "light.hall_lights", Self.topic("lamp"): "light."]
        )
        var state = House.state
        state.isPlaceKnown = false
        state.things = [:]
        state.zones = [:]
        desk.announce(state)
        #expect(desk.sent.isEmpty && desk.announcer.isAwaitingPlace)
        // Asked again, our own device is told without the place.
        desk.announce(state)
        #expect(desk.sent.map(\.topic) == Array(House.ownTopics.prefix(2)))
        #expect(desk.component("light_hall_lights") == nil)
        desk.change(House.state, [.link])
        desk.tell(at: 5000)
        #expect(desk.component("light_hall_lights") != nil)
        #expect(desk.device("lamp") != nil)
        #expect(!desk.announcer.isAwaitingPlace)
    }

    @Test func `what is told is remembered with its components`() {
        var desk = Desk.ofHouse()
        let news = desk.announcer.takeNews()
        #expect(news.keys.sorted() == desk.held.keys.sorted())
        #expect(news[Self.topic("plug")]?.hasPrefix("light. #") == true)
        #expect(desk.announcer.takeNews().isEmpty)
    }

    @Test func `what could not be handed over is the next`() {
        var announcer = DiscoveryPublisher(House.configuration(), remembered: [:])
        #expect(announcer.announceAll(House.state, at: 0).isEmpty)
        let first = announcer.next(3, at: 0)
        announcer.putBack(first[1...])
        #expect(announcer.next(2, at: 0) == Array(first[1...]))
    }

    @Test func `a link that comes is told, one that goes is taken away`() {
        var desk = Desk.ofHouse()
        desk.announcer.note(links: ["flare"])
        #expect(desk.change(House.state, []) == [Self.own])
        #expect(desk.component("binary_sensor_flare")?["device_class"] == "connectivity")
        desk.announcer.note(links: [])
        desk.change(House.state, [])
        #expect(desk.component("binary_sensor_flare") == ["platform": "binary_sensor"])
    }
}
