import Controller
import Flare
import HomeAssistant
import JSON
import SeededRandom
import Testing

/// Which changes of a thing need an announcement, and which are mere values.
struct ChangedThingTests {
    @Test(
        arguments: [
            ("on", false), ("brightness", 0.25), ("brightness", .numeral("99999999999999999999")),
            ("color", "blue"), ("color", "no colour at all"),
        ] as [(String, JSONValue)]
    )
    func `a changed value announces nothing`(key: String, value: JSONValue) {
        var desk = Desk.ofHouse()
        var state = House.state
        state.nearbyID = House.lamp
        desk.change(state, [.nearby])
        state.things[House.lamp]?.data[key] = value
        #expect(desk.change(state, House.facet(House.lamp)) == [])
        // Also after reading it again in another order.
        let data = state.things[House.lamp]?.data ?? [:]
        state.things[House.lamp]?.data = JSONObject(data.shuffled().map { ($0.key, $0.value) })
        #expect(desk.change(state, House.facet(House.lamp)) == [])
        #expect(!desk.announcer.hasWork)
    }

    @Test(
        arguments: [
            ("on", .null), ("brightness", "none"), ("color", 5), ("options", ["red"]), ("options", "red"),
            ("new", true),
        ] as [(String, JSONValue)]
    )
    func `a new key, type or palette is announced`(key: String, value: JSONValue) {
        var desk = Desk.ofHouse()
        var state = House.state
        state.things[House.lamp]?.data[key] = value
        #expect(desk.change(state, House.facet(House.lamp)).first?.hasSuffix("_lamp/config") == true)
    }

    @Test func `a thing that becomes a switch or a light again is announced`() {
        var desk = Desk()
        var state = House.state
        state.things[House.lamp]?.data["kind"] = "ceiling"
        desk.announce(state)
        for (kind, key) in [("switch", "switch"), ("wall", "light")] {
            state.things[House.lamp]?.data["kind"] = .string(kind)
            desk.change(state, House.facet(House.lamp))
            desk.tell(at: 5000)
            #expect(desk.component(key, of: "lamp") != nil)
            #expect(desk.component(key == "light" ? "switch" : "light", of: "lamp") == nil)
        }
    }

    @Test func `a light that moves to another zone of the same name leaves the lights of the first`() {
        var desk = Desk()
        var state = House.state
        state.zones[House.attic]?.name = "Hall"
        desk.announce(state)
        let (before, after) = (House.zoneTopic("hall"), House.zoneTopic("attic"))
        #expect(desk.held[before]?["components"]?["light_hall_lights"] != nil)
        for lamp in [House.lamp, House.strip] { state.things[lamp]?.zone = House.attic }
        desk.change(state, House.facet(House.lamp).union(House.facet(House.strip)))
        desk.tell(at: 5000)
        #expect(desk.held[after]?["components"]?["light_attic_lights"] != nil)
        #expect(desk.held[before]?["components"]?["light_hall_lights"] == nil)
    }

    @Test func `a sensor that shows itself is announced with its thing, and nothing else is`() {
        var desk = Desk.ofHouse()
        var state = House.state
        state.things[House.lamp]?.data["temperature"] = 21.5
        #expect(desk.change(state, House.facet(House.lamp)).map { $0.hasSuffix("_lamp/config") } == [true])
        #expect(!desk.announcer.hasWork)
    }

    @Test func `numeric text may change to another number but not to a word`() {
        var desk = Desk()
        var state = House.state
        state.things[House.lamp]?.data["brightness"] = "0.5"
        desk.announce(state)
        state.things[House.lamp]?.data["brightness"] = "0.75"
        #expect(desk.change(state, House.facet(House.lamp)) == [])
        state.things[House.lamp]?.data["brightness"] = "bright"
        #expect(desk.change(state, House.facet(House.lamp)).first?.hasSuffix("_lamp/config") == true)
    }

    @Test func `a waiting device is announced in its current state`() {
        var desk = Desk()
        var state = House.withHundredLamps
        desk.announce(state)
        let before = state
        let ids = state.things.keys.filter { $0.high == 8 }
        let changes = ids.reduce(into: Set<StateChange>()) { $0.formUnion(House.facet($1)) }
        for id in ids { state.things[id]?.name = "Sun" }
        desk.change(state, changes)
        // Before most of them were announced, everything is changed back.
        desk.change(before, changes)
        desk.tell(at: 5000)
        #expect(desk.held.values.count { $0["device"]?["name"] == "Sun" } == 0)
    }

    @Test func `after any changes the broker has the same payloads as after a fresh start`() {
        var random = SplitMix64(seed: 31)
        var values = 0
        for _ in 0..<12 {
            var state = RandomPlace.state(&random)
            let other = RandomPlace.state(&random)
            var desk = Desk()
            desk.announce(state)
            for _ in 0..<10 {
                guard let id = state.things.keys.sorted().randomElement(using: &random) else { break }
                let model = other.things.values.sorted { $0.id < $1.id }.randomElement(using: &random)
                switch Int.random(in: 0..<6, using: &random) {
                case 0: state.things[id]?.name += "!"
                case 1: state.things[id]?.actions = model?.actions ?? []
                case 2: state.things[id]?.zone = state.zones.keys.sorted().randomElement(using: &random)
                case 3: state.things[id]?.data = model?.data ?? [:]
                default:
                    let key = state.things[id]?.data.keys.sorted().randomElement(using: &random) ?? "on"
                    state.things[id]?.data[key] = model?.data.values.randomElement(using: &random) ?? 1
                }
                if desk.change(state, House.facet(id)).isEmpty { values += 1 }
            }
            // What changed during a removal follows that, with a removal of its own.
            for now in [100_000, 200_000] as [Int64] { desk.tell(at: now) }
            var anew = Desk()
            anew.announce(state)
            #expect(desk.held.filter { $0.key != Self.own } == anew.held.filter { $0.key != Self.own })
        }
        #expect(values > 5)
    }

    @Test
    func `a thing whose keys change all the time is announced at intervals, and every entity is removed`() {
        var desk = Desk.ofHouse()
        desk.announcer.setOnline(true)
        desk.forget()
        var state = House.state
        for round in 0..<40 {
            let keys = (0..<60).map { ("round_\(round)_key_\($0)", JSONValue.bool(true)) }
            state.things[House.lamp]?.data = JSONObject(keys)
            desk.change(state, House.facet(House.lamp), at: Int64(round) * 500)
            desk.tell(at: Int64(round) * 500)
        }
        let topic = "homeassistant/device/trilateral_n1_lamp/config"
        #expect(desk.sent.count { $0.topic == topic } <= 20, "in 20 s")
        for step in 0..<60 { desk.tell(at: 20_000 + Int64(step) * 2000) }
        #expect(!desk.announcer.hasWork)
        var (announced, removed): (Set<String>, Set<String>) = ([], [])
        for (sent, payload) in desk.sent where sent == topic {
            #expect(payload.utf8.count < 16_384)
            let components = (try? JSONValue(parsing: payload))?["components"]?.object ?? [:]
            for (key, component) in components {
                if component.object?.count == 1 { removed.insert(key) } else { announced.insert(key) }
            }
        }
        let present = Set(desk.device("lamp")?["components"]?.object?.keys.map { $0 } ?? [])
        #expect(present.contains { $0.contains("round_39") } && announced.count > 2 * present.count)
        #expect(announced.subtracting(removed) == present)
    }

    private static let own = "homeassistant/device/trilateral_n1/config"
}
