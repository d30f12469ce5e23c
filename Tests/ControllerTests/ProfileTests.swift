import CommandFixture
import Controller
import Flare
import JSON
import Testing
import Things

@Suite struct ProfileTests {
    private func values(_ effects: [ControllerEffect]) -> [JSONObject] {
        effects.requests.compactMap { if case .setData(_, let values, _, _) = $0 { values } else { nil } }
    }

    // MARK: What a thing is asked

    @Test func `an action of the profile sets its value and the answer shows it`() {
        var rig = Managed.atHome()
        let sent = rig.command(.action(.thing("kettle"), name: "heat_on"))
        #expect(values(sent) == [["heating": 1]])
        let done = rig.serve()
        #expect(done.answers.first?.accepted == ["action": "heat_on", "heating": 1])
        #expect(done.eventNames == ["thing changed"])
        #expect(rig.state.things[House.kettle]?.data["heating"] == 1)
    }

    @Test(
        arguments: [
            (["room_temp": 4], .notSettable), (["heating": "perhaps"], .invalidValue),
            (["profile": "spot"], .notSettable), (["state": "ON"], .unknownAttribute),
            (["target_temp": "warm"], .wrongType),
        ] as [(JSONObject, RefusalCode)]
    )
    func `what the profile does not allow is refused and nothing moves`(
        attributes: JSONObject,
        code: RefusalCode
    ) {
        var rig = Managed.atHome()
        let effects = rig.set(attributes, of: "kettle")
        #expect(effects.codes == [code])
        #expect(effects.requests.isEmpty)
        #expect(rig.command(.action(.thing("kettle"), name: "fan_high")).codes == [.unknownAction])
    }

    @Test func `a thing near the device is set in the same way`() {
        var rig = Managed.atHome()
        rig.notice(.near(thing: House.lamp, device: House.homeDevice, distance: 1))
        rig.serve()
        rig.command(.set(.nearby(ifID: nil), ThingRequest(attributes: ["dim": 20])))
        rig.serve()
        #expect(rig.lamp("dim") == 20)
    }

    @Test func `a switch of the thing itself and its lights are toggled at the time of writing`() {
        var rig = Managed.atHome()
        for _ in 0..<2 { rig.set(["heating": "TOGGLE"], of: "kettle") }
        let answers = rig.serve().answers
        #expect(answers.map(\.accepted) == [["heating": 1], ["heating": 0]])
        rig.set(["state": "TOGGLE"])
        #expect(rig.serve().answers.first?.accepted == ["state": "OFF", "relay": 0])
        #expect(rig.lamp("relay") == 0)
        #expect(rig.lamp("dim") == 50)
    }

    // MARK: Lights

    @Test func `a transition runs in the values of the properties`() {
        var rig = Managed.atHome()
        let begun = rig.set(["level": 1, "color": "blue"], over: 2)
        #expect(values(begun) == [["dim": 50, "tint": "#ff0000"]])
        rig.serve()
        let half = rig.happens(.timerFired(.transitionStep(House.lamp)), after: 1000)
        #expect(values(half) == [["dim": 75, "tint": "#800080"]])
        rig.serve()
        #expect(rig.lamp("dim") == 75)
        rig.happens(.timerFired(.transitionStep(House.lamp)), after: 1000)
        let last = rig.serve()
        #expect(last.events.last?.before == ["dim": 50, "tint": "red"])
        #expect(last.events.last?.after == ["dim": 100, "tint": "blue"])
        #expect(rig.state.goals.isEmpty)
    }

    @Test func `a light that fades out gets its brightness back`() {
        var rig = Managed.atHome()
        rig.set(["state": "OFF"], over: 1)
        rig.serve()
        rig.happens(.timerFired(.transitionStep(House.lamp)), after: 1000)
        rig.serve()
        #expect(rig.lamp("relay") == 0)
        #expect(rig.lamp("dim") == 50)
    }

    @Test func `a light that only has a dimmer comes back with its last brightness`() {
        var rig = Managed.atHome()
        var dim: JSONValue? { rig.state.things[House.floorLamp]?.data["dim"] }
        rig.set(["level": 0.3], of: "floor-lamp")
        rig.serve()
        for seconds in [nil, 1.0] {
            rig.set(["state": "OFF"], of: "floor-lamp", over: seconds)
            rig.serve()
            rig.happens(.timerFired(.transitionStep(House.floorLamp)), after: 1000)
            rig.serve()
            #expect(dim == 0)
            rig.set(["state": "ON"], of: "floor-lamp")
            rig.serve()
            #expect(dim == 30)
        }
        let redundant = rig.set(["state": "ON"], of: "floor-lamp")
        #expect(redundant.codes == [nil])
        #expect(redundant.requests.isEmpty)
    }

    @Test func `what the server would do to a plain light is done to the properties`() {
        var rig = Managed.atHome()
        for (action, key, value) in [
            ("lighter", "dim", 60), ("nextColor", "tint", "orange"), ("off", "relay", 0),
            ("turn_on", "relay", 1),
        ] as [(String, String, JSONValue)] {
            let effects = rig.command(.action(.thing("lamp"), name: action)) + rig.serve()
            #expect(effects.codes == [nil], "\(action)")
            #expect(rig.lamp(key) == value, "\(action)")
        }
        #expect(
            Set((rig.state.things[House.lamp]?.data ?? [:]).keys) == [
                "profile", "relay", "dim", "tint", "minor",
            ]
        )
    }

    @Test func `lights with profiles are lights of their zone`() {
        var rig = Managed.atHome()
        rig.command(.set(.zone("kitchen"), ThingRequest(attributes: ["brightness": "20%"])))
        #expect(rig.serve().codes == [nil])
        #expect(rig.lamp("dim") == 20)
        rig.command(.set(.zone("living-room"), ThingRequest(attributes: ["state": "TOGGLE"])))
        #expect(rig.serve().codes == [nil])
        #expect(rig.state.things[House.floorLamp]?.data["dim"] == 0)
    }

    // MARK: Profiles that come and go

    @Test func `a profile that nobody has raises an alert until that is mended`() throws {
        var rig = Managed.atHome()
        #expect(rig.state.alerts["profiles"] == nil)
        rig.notice(.data(House.lampThing, ["profile": "strop"], sender: "x"))
        let message = try #require(rig.state.alerts["profiles"]?.message)
        #expect(message.contains("\"Lamp\" names \"strop\"; did you mean \"strip\"?"))
        #expect(rig.state.things[House.lamp].flatMap { rig.state.kind(of: $0) } == nil)
        rig.notice(.data(House.lampThing, ["profile": "strip"], sender: "x"))
        #expect(rig.state.alerts["profiles"] == nil)
    }

    @Test func `the alert names three things and counts the others`() throws {
        var server = HouseServer()
        for number in UInt32(500)..<1500 {
            var thing = FlareThing(id: House.id(number))
            thing.name = "Thing"
            thing.environment = House.home
            thing.data = ["profile": .string("none\(number)" + String(repeating: "x", count: 500))]
            server.things.append(thing)
        }
        let rig = Rig.atHome(Managed.configuration, server: server)
        let message = try #require(rig.state.alerts["profiles"]?.message)
        #expect(message.contains("and 997 more"))
        #expect(message.utf8.count < 600)
    }

    @Test func `what was meant for another profile is not written`() {
        var rig = Managed.atHome()
        rig.set(["level": 1], over: 2)
        rig.serve()
        rig.set(["dim": 10])
        rig.set(["tint": "blue"])
        rig.notice(.data(House.lampThing, ["profile": "valve"], sender: "x"))
        #expect(rig.state.goals.isEmpty)
        let answers = rig.serve().answers
        #expect(answers.count == 1)
        #expect(rig.happens(.timerFired(.transitionStep(House.lamp)), after: 5000).requests.isEmpty)
        #expect(rig.lamp("tint") == "red")
    }

    @Test func `other profiles end what was meant for those before, and change nothing else`() {
        var rig = Managed.atHome()
        rig.set(["level": 1], over: 2)
        rig.serve()
        rig.set(["dim": 10])
        _ = rig.controller.removeChanges()
        var other = Managed.configuration
        rig.happens(.configurationApplied(other))
        #expect(!rig.controller.removeChanges().contains(.object(House.lampThing)), "the same profiles")
        other.catalog = .none
        rig.happens(.configurationApplied(other))
        #expect(rig.state.goals.isEmpty)
        #expect(rig.state.things[House.lamp].flatMap { rig.state.kind(of: $0) } == nil)
        #expect(rig.controller.removeChanges().contains(.object(House.lampThing)))
        #expect(rig.serve().answers.count == 1)
        #expect(rig.happens(.timerFired(.transitionStep(House.lamp)), after: 5000).requests.isEmpty)
        rig.happens(.configurationApplied(Managed.configuration))
        #expect(rig.state.things[House.lamp].flatMap { rig.state.kind(of: $0) } != nil)
    }

    @Test func `the power of a socket is no matter of beacons`() {
        var rig = Managed.atHome()
        let object = ObjectReference(.thing, House.kettle)
        #expect(!rig.notice(.data(object, ["power": 3.5], sender: "x")).contains { $0.isTracking })
        #expect(rig.notice(.data(House.lampThing, ["power": -59], sender: "x")).contains { $0.isTracking })
    }
}

extension ControllerEffect {
    fileprivate var isTracking: Bool { if case .trackBeacons = self { true } else { false } }
}
