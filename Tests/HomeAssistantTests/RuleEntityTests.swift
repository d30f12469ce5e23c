import Controller
import Flare
import HomeAssistant
import JSON
import Testing

/// A slice with rules, as the daemon has one.
private struct TestRules: Slice, AnnouncedRules {
    static let announcedChanges = "rules"

    var titles: [String: String] = [:]
    var isLoaded = true

    init() {}

    init(_ titles: [String: String], isLoaded: Bool = true) {
        (self.titles, self.isLoaded) = (titles, isLoaded)
    }

    var ruleSlugs: [String] { Array(titles.keys) }
    func title(ofRule slug: String) -> String? { titles[slug] }
}

/// The entities of rules.
struct RuleEntityTests {
    private func state(_ titles: [String: String], isLoaded: Bool = true) -> ControllerState {
        var state = House.state
        state.slices[TestRules.self] = TestRules(titles, isLoaded: isLoaded)
        return state
    }

    private func change(_ slugs: String...) -> Set<StateChange> {
        Set(slugs.map { .slice(TestRules.announcedChanges, part: $0) })
    }

    private func topic(_ slug: String) -> String {
        "homeassistant/device/trilateral_n1__rule_\(slug)/config"
    }

    private func desk(_ titles: [String: String]) -> Desk {
        var desk = Desk()
        desk.announce(state(titles))
        return desk
    }

    @Test func `a rule is a switch, an event and a button of the device of all rules`() throws {
        let desk = desk(["night": "Night", "too-warm": "Too warm"])
        let night = try #require(desk.held[topic("night")])
        #expect(PayloadCheck(night).problems == [])
        let device = try #require(night["device"])
        #expect(device["name"] == "Panel Rules" && device["via_device"] == "trilateral_0badcafe")
        #expect(device["identifiers"] == ["trilateral_0badcafe__rules"])
        #expect(desk.held[topic("too-warm")]?["device"] == device)
        #expect(night["availability"] == [["topic": "trilateral/n1/status"]])
        #expect(night["origin"]?["name"] == "Trilateral")
        #expect(night["components"]?.object?.keys.sorted() == ["button_run", "event_fired", "switch"])
    }

    @Test func `the switch reads the state of the rule, and sets it`() {
        let entity = desk(["night": "Night"]).held[topic("night")]?["components"]?["switch"]
        #expect(entity?["name"] == "Night" && entity?["unique_id"] == "0badcafe__rule_night_switch")
        #expect(entity?["default_entity_id"] == "switch.trilateral_n1_rule_night")
        #expect(entity?["state_topic"] == "trilateral/n1/rules/night")
        #expect(entity?["command_topic"] == "trilateral/n1/rules/night/set")
        #expect(entity?["value_template"]?.string?.contains("value_json.enabled") == true)
        // Without others, ON and OFF are sent and expected.
        #expect(entity?["payload_on"] == nil && entity?["state_on"] == nil)
        #expect(entity?["json_attributes_template"]?.string?.contains("'until': value_json.until") == true)
        #expect(entity?["json_attributes_topic"] == "trilateral/n1/rules/night")
    }

    @Test func `the event is fired, and the button is off at first`() {
        let components = desk(["night": "Night"]).held[topic("night")]?["components"]
        let event = components?["event_fired"]
        #expect(event?["state_topic"] == "trilateral/n1/rules/night/fired")
        #expect(event?["event_types"] == ["fired"] && event?["name"] == "Night fired")
        let button = components?["button_run"]
        #expect(button?["command_topic"] == "trilateral/n1/rules/night/run")
        #expect(button?["payload_press"] == "{}" && button?["enabled_by_default"] == false)
    }

    @Test func `the event has the members of the firing as attributes, and its time`() {
        let event = desk(["night": "Night"]).held[topic("night")]?["components"]?["event_fired"]
        let template = event?["value_template"]?.string ?? ""
        #expect(template.hasPrefix("{{ dict(value_json.rule, event_type='fired', ts=value_json.ts"))
        #expect(template.contains("value_json.rule is mapping"))
    }

    @Test func `the device of the rules has the name of the daemon's own device, which may change`() {
        var desk = desk(["night": "Night", "day": "Day"])
        #expect(desk.device()?["device"]?["name"] == "Panel")
        desk.forget()
        var state = state(["night": "Night", "day": "Day"])
        state.device?.name = "Tablet in the hall"
        let device = StateChange.object(ObjectReference(.device, FlareID(high: 4, low: 0)))
        desk.change(state, [device], at: 10)
        desk.tell(at: 10)
        for slug in ["night", "day"] {
            #expect(desk.held[topic(slug)]?["device"]?["name"] == "Tablet in the hall Rules")
        }
        desk.forget()
        desk.change(state, [device], at: 20)
        desk.tell(at: 20)
        #expect(desk.sent.allSatisfy { !$0.topic.contains("__rule_") })
    }

    @Test(arguments: [nil, ""])
    func `without a name of the device the rules are those of the node`(name: String?) {
        var state = state(["night": "Night"])
        if let name { state.device?.name = name } else { state.device = nil }
        var desk = Desk()
        desk.announce(state)
        #expect(desk.held[topic("night")]?["device"]?["name"] == "n1 Rules")
    }

    @Test func `the name of the rules' device ends with what it is, however long the device's is`() {
        var state = state(["night": "Night"])
        state.device?.name = String(repeating: "x", count: 300)
        var desk = Desk()
        desk.announce(state)
        let name = desk.held[topic("night")]?["device"]?["name"]?.string ?? ""
        #expect(name.hasSuffix(" Rules") && name.count <= 120)
    }

    @Test func `a new rule is announced, and a firing announces nothing`() {
        var desk = desk(["night": "Night"])
        desk.forget()
        #expect(desk.change(state(["night": "Night"]), change("night")) == [])
        desk.tell(at: 10)
        #expect(desk.sent.isEmpty)
        desk.change(state(["night": "Night", "day": "Day"]), change("day"), at: 20)
        desk.tell(at: 20)
        #expect(desk.sent.map(\.topic) == [topic("day")])
    }

    @Test func `another title renames its entities, and ids stay`() {
        var desk = desk(["night": "Night"])
        let before = desk.held[topic("night")]?["components"]?["switch"]
        desk.change(state(["night": "Late"]), change("night"), at: 10)
        desk.tell(at: 10)
        let after = desk.held[topic("night")]?["components"]?["switch"]
        #expect(after?["name"] == "Late" && after?["unique_id"] == before?["unique_id"])
        // A change that is taken back before it was announced is none.
        desk.forget()
        desk.change(state(["night": "Later"]), change("night"), at: 20)
        desk.change(state(["night": "Late"]), change("night"), at: 20)
        desk.tell(at: 20)
        #expect(desk.sent.isEmpty)
    }

    @Test func `a rule that goes is removed before its topics are cleared`() {
        var desk = desk(["night": "Night", "day": "Day"])
        #expect(desk.change(state(["day": "Day"]), change("night")) == ["-\(topic("night"))"])
        #expect(desk.held[topic("night")] == nil && desk.held[topic("day")] != nil)
        #expect(!desk.announcer.expects(topic("night")) && desk.announcer.expects(topic("day")))
    }

    @Test func `rules of earlier runs are removed only when those of this one are known`() {
        var first = desk(["night": "Night", "day": "Day"])
        let memory = first.announcer.drainAnnounced()
        #expect(memory[topic("night")] != nil)
        var desk = Desk(remembered: memory)
        desk.announce(state([:], isLoaded: false))
        #expect(desk.sent.allSatisfy { !$0.topic.contains("__rule_") })
        #expect(desk.announcer.expects(topic("night")))
        let urgent = desk.change(state(["day": "Day"]), change("day"), at: 10)
        #expect(urgent == ["-\(topic("night"))"])
        desk.tell(at: 10)
        #expect(desk.held[topic("day")] != nil)
    }

    @Test func `after a birth all rules are announced again`() {
        var desk = desk(["night": "Night"])
        desk.forget()
        desk.announcer.setOnline(true)
        desk.announce(state(["night": "Night"]), isBirth: true, at: 10)
        #expect(desk.sent.map(\.topic).contains(topic("night")))
    }

    @Test func `discovery of rules can be switched off, which removes them`() {
        var desk = desk(["night": "Night"])
        desk.announcer.use(House.configuration { $0.settings.rules = false })
        desk.announce(state(["night": "Night"]), at: 10)
        #expect(desk.held[topic("night")] == nil)
        desk.change(state(["night": "Night", "day": "Day"]), change("day"), at: 20)
        desk.tell(at: 20)
        #expect(desk.held[topic("day")] == nil)
        desk.announcer.use(House.configuration())
        desk.announce(state(["night": "Night"]), at: 30)
        #expect(desk.held[topic("night")] != nil)
    }

    @Test func `rules come after everything else, and many are announced in batches`() {
        let titles = Dictionary(uniqueKeysWithValues: (0..<200).map { ("rule-\($0)", "Rule \($0)") })
        let desk = desk(titles)
        let topics = desk.sent.map(\.topic)
        let first = topics.firstIndex { $0.contains("__rule_") } ?? 0
        #expect(topics[first...].allSatisfy { $0.contains("__rule_") })
        #expect(Set(topics[first...]).count == 200)
    }

    @Test func `a thing that is called like a rule has an id of its own`() {
        var state = state(["night": "Night"])
        var thing = FlareThing(id: FlareID(high: 7, low: 1))
        (thing.name, thing.data) = ("Rule night", ["on": true, "kind": "switch"])
        state.things[thing.id] = thing
        _ = state.slugs.assign(to: ObjectReference(.thing, thing.id), name: thing.name)
        var desk = Desk()
        desk.announce(state)
        let id = desk.component("switch", of: "rule-night")?["default_entity_id"]
        #expect(id == "switch.trilateral_n1_rule_night_thing")
    }
}
