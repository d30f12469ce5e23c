import CommandFixture
import Controller
import Flare
import JSON
import Testing
import Things

@Suite struct ZoneLightTests {
    private static let strip = House.id(501)
    private static let plug = House.id(502)

    private static let television = House.id(503)

    /// A controller whose kitchen has three lights and a switch.
    ///
    /// A lamp (on, half bright), a strip with brightness only, a plug (off) and a television, which is a switch.
    private func rig() -> Rig {
        var server = HouseServer()
        for (id, name, data) in [
            (Self.strip, "Strip", ["brightness": 0.2]), (Self.plug, "Plug", ["on": false]),
            (Self.television, "Television", ["on": false, "brightness": 0.3, "kind": "switch"]),
        ] as [(FlareID, String, JSONObject)] {
            var thing = FlareThing(id: id)
            thing.name = name
            thing.environment = House.home
            thing.zone = House.kitchen
            thing.data = data
            server.things.append(thing)
        }
        return Rig.atHome(server: server)
    }

    @discardableResult
    private func set(
        _ rig: inout Rig,
        _ attributes: JSONObject,
        of zone: String = "kitchen",
        partial: Bool = false,
        ticket: Int = 7
    ) -> [ControllerEffect] {
        let request = ThingRequest(attributes: attributes, isPartial: partial)
        return rig.happens(
            .commandReceived(Command(ticket: ticket, operation: .set(.zone(zone), request), tx: "z"))
        )
    }

    @Test func `each light applies what it supports, with one answer after the last light`() {
        var rig = rig()
        let asked = set(&rig, ["state": "ON", "brightness": 255])
        #expect(asked.requests.count == 3 && asked.answers.isEmpty)
        #expect(rig.serveOne().answers.isEmpty)
        #expect(rig.serveOne().answers.isEmpty)
        let answers = rig.serveOne().answers
        #expect(answers.map(\.refusal) == [nil])
        #expect(answers.first?.target?.slug == "kitchen" && answers.first?.target?.kind == "zone")
        #expect(answers.first?.tx == "z" && answers.first?.ticket == 7)
        #expect(answers.first?.accepted["brightness"] == 255)
        #expect(rig.state.things[House.lamp]?.data["brightness"] == 1)
        #expect(rig.state.things[Self.strip]?.data == ["brightness": 1])
        #expect(rig.state.things[Self.plug]?.data == ["on": true])
        // Other things in the zone and lights elsewhere stay as they were.
        #expect(rig.state.things[House.floorLamp]?.data["on"] == false)
        #expect(rig.state.things[Self.television]?.data["brightness"] == 0.3)
    }

    @Test(arguments: [0, "0%"] as [JSONValue])
    func `a brightness of 0 switches all lights of a zone off`(value: JSONValue) {
        var rig = rig()
        set(&rig, ["state": "ON"])
        rig.serve()
        set(&rig, ["brightness": value])
        #expect(rig.serve().answers.first?.accepted == ["state": "OFF"])
        for id in [House.lamp, Self.strip, Self.plug] { #expect(rig.state.things[id]?.data["on"] == false) }
        #expect(rig.state.things[House.lamp]?.data["brightness"] == 0.5)
    }

    @Test(arguments: ["ON", "TOGGLE"] as [JSONValue], ["brightness", "level"])
    func `a brightness of 0 with a state is refused for a zone as for a single light`(
        state: JSONValue,
        name: String
    ) {
        var rig = rig()
        let one = rig.set(["state": state, name: 0]).answers.first?.refusal
        let all = set(&rig, ["state": state, name: 0]).answers.first?.refusal
        #expect(all?.code == .invalidValue && all?.code == one?.code)
        #expect(all?.message == one?.message)
    }

    @Test(arguments: [false, "OFF", "TOGGLE"] as [JSONValue])
    func `on of a zone means the state of all its lights`(value: JSONValue) {
        var rig = rig()
        // The strip has no key of its own for on and off.
        set(&rig, ["on": value])
        #expect(rig.serve().codes == [nil])
        for id in [House.lamp, Self.strip, Self.plug] { #expect(rig.state.things[id]?.data["on"] == false) }
        set(&rig, ["on": true])
        #expect(rig.serve().answers.first?.accepted["state"] == "ON")
        for id in [House.lamp, Self.strip, Self.plug] { #expect(rig.state.things[id]?.data["on"] == true) }
    }

    @Test func `a toggle switches all lights off if any is on`() {
        var rig = rig()
        set(&rig, ["state": "TOGGLE"])
        #expect(rig.serve().codes == [nil])
        #expect(rig.state.things[Self.plug]?.data["on"] == false)
        #expect(rig.state.things[House.lamp]?.data["on"] == false)
        set(&rig, ["state": "TOGGLE"])
        #expect(rig.serve().codes == [nil])
        #expect(rig.state.things[Self.plug]?.data["on"] == true)
        #expect(rig.state.things[House.lamp]?.data["on"] == true)
    }

    @Test(
        arguments: [
            (["warmth": 3], "kitchen", .unknownAttribute, "no light of this zone has"),
            (["brightness": 300], "kitchen", .outOfRange, "0 to 255"),
            ([:], "kitchen", .invalidValue, "no attribute"),
            (["state": "ON"], "cellar", .unknownThing, "there are kitchen, living-room"),
            (["state": "ON"], "kitchn", .unknownThing, "did you mean \"kitchen\""),
        ] as [(JSONObject, String, RefusalCode, String)]
    )
    func `an unsupported attribute, an invalid value or an unknown zone is refused`(
        attributes: JSONObject,
        zone: String,
        code: RefusalCode,
        part: String
    ) {
        var rig = rig()
        let effects = set(&rig, attributes, of: zone)
        #expect(effects.requests.isEmpty)
        #expect(effects.codes == [code])
        #expect(effects.answers.first?.refusal?.message.contains(part) == true)
    }

    @Test func `the answer reports the failure of a single light`() {
        var rig = rig()
        set(&rig, ["state": "OFF"])
        rig.serveOne()
        rig.serveOne(.failure(.rejected("no")))
        #expect(rig.serveOne().codes == [.serverRejected])
    }

    @Test func `a command is refused for a zone without lights or without a server link`() {
        var server = HouseServer()
        server.things.removeAll { $0.id == House.floorLamp }
        var empty = Rig.atHome(server: server)
        #expect(set(&empty, ["state": "ON"], of: "living-room").codes == [.unknownThing])
        var rig = rig()
        rig.lose()
        #expect(set(&rig, ["state": "OFF"]).codes == [.serverUnreachable])
    }

    @Test func `a partial request applies only the attributes the lights support`() {
        var rig = rig()
        let effects = set(&rig, ["color": "red", "state": "ON"], of: "\(House.kitchen)", partial: true)
        #expect(effects.requests.count == 3)
        #expect(rig.serve().codes == [nil])
    }

    @Test func `a discovery request publishes discovery again unless it is disabled`() {
        func answer(_ announces: Bool) -> ([ControllerEffect], RefusalCode?) {
            var configuration = ControllerConfiguration()
            configuration.announces = announces
            var rig = Rig.atHome(configuration)
            let effects = rig.happens(.commandReceived(Command(ticket: 1, operation: .discovery)))
            return (effects, effects.answers.first?.refusal?.code)
        }
        #expect(answer(true).0.first == .announce && answer(true).1 == nil)
        #expect(answer(false).1 == .notAllowed && answer(false).0.count == 1)
        var rig = Rig.atHome()
        #expect(rig.happens(.announcementWanted) == [.announce])
    }
}
