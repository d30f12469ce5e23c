import CommandFixture
import Controller
import Flare
import JSON
import Testing
import Things

/// What things at the edge report.
@Suite struct EdgeReportTests {
    private func rig(settable: Set<String>? = nil) -> Rig {
        var rig = Rig.atHome()
        rig.happens(.edge(House.lamp, .routed(EdgeRoute(commandSeconds: 60, settable: settable))))
        return rig
    }

    private func stored(_ effects: [ControllerEffect]) -> [JSONObject] {
        effects.requests.compactMap { if case .setData(_, let values, _, _) = $0 { values } else { nil } }
    }

    @Test func `what a thing reports and is new becomes its data, and is no order for it`() {
        var rig = rig()
        let reported = rig.happens(.reported(House.lamp, ["on": true, "brightness": 0.75, "color": "red"]))
        #expect(stored(reported) == [["brightness": 0.75]])
        let served = rig.serve()
        #expect(reported.orders.isEmpty && served.orders.isEmpty)
        #expect(served.events.map(\.cause) == [.init("link")])
        #expect(rig.lamp("brightness") == 0.75)
        #expect(rig.happens(.reported(House.lamp, ["brightness": 0.75])) == [])
    }

    @Test func `only what a thing reports may be stored later, and nothing that somebody has set`() {
        func mayWait(_ effects: [ControllerEffect]) -> [Bool] {
            effects.requests.compactMap {
                if case .setData(_, _, _, let isReport) = $0 { isReport } else { nil }
            }
        }
        var rig = rig()
        #expect(mayWait(rig.happens(.reported(House.lamp, ["brightness": 0.75]))) == [true])
        var other = Rig.atHome()
        #expect(mayWait(other.set(["brightness": 0.5])) == [false])
    }

    @Test func `what may not be set is only reported`() {
        var rig = rig()
        let first = rig.happens(.reported(House.lamp, ["temperature": 21, "humidity": 40, "on": true]))
        #expect(
            stored(first) == [["temperature": 21, "humidity": 40, "readonly": ["humidity", "temperature"]]]
        )
        rig.serve()
        #expect(rig.set(["temperature": 25]).codes == [.notSettable])
        #expect(stored(rig.happens(.reported(House.lamp, ["temperature": 22]))) == [["temperature": 22]])
        rig.serve()
        let more = rig.happens(.reported(House.lamp, ["pressure": 1000]))
        let list: JSONValue = ["humidity", "temperature", "pressure"]
        #expect(stored(more) == [["pressure": 1000, "readonly": list]])
    }

    @Test func `a thing says itself what may be set`() {
        var rig = rig(settable: ["on", "target"])
        let reported = rig.happens(.reported(House.lamp, ["target": 20, "temperature": 19]))
        #expect(stored(reported) == [["target": 20, "temperature": 19, "readonly": ["temperature"]]])
        rig.serve()
        #expect(rig.set(["target": 21]).orders.map(\.orders) == [[.values(["target": 21])]])
    }

    /// With the kettle at the edge, which has nothing but what links it.
    private func unreported(settable: Set<String>? = nil) -> Rig {
        var server = HouseServer()
        for index in server.things.indices where server.things[index].id == House.kettle {
            server.things[index].data = ["vendorThingID": "v-1", "thingID": "th.0"]
            server.things[index].actions = []
        }
        var rig = Rig.atHome(server: server)
        rig.happens(.edge(House.kettle, .routed(EdgeRoute(commandSeconds: 60, settable: settable))))
        return rig
    }

    @Test(
        arguments: [
            (["on": true], ["on": true]), (["state": "ON"], ["on": true]),
            (["level": 0.4], ["brightness": 0.4]),
        ] as [(JSONObject, JSONObject)]
    )
    func `what may be set is set before the thing has reported it`(
        attributes: JSONObject,
        values: JSONObject
    ) {
        var rig = unreported()
        #expect(rig.set(attributes, of: "kettle").orders.map(\.orders) == [[.values(values)]])
    }

    @Test func `what a thing says may be set takes the type of its first value`() {
        var rig = unreported(settable: ["goal", "thingID"])
        let asked = rig.set(["goal": 21], of: "kettle")
        #expect(asked.orders.map(\.orders) == [[.values(["goal": 21])]])
        #expect(rig.set(["on": true], of: "kettle").codes == [.unknownAttribute])
        #expect(rig.set(["thingID": "th.1"], of: "kettle").codes == [.notSettable])
        rig.answer(asked.orders)
        rig.serve()
        #expect(rig.set(["goal": "warm"], of: "kettle").codes != [nil])
    }

    @Test func `the refusal of a thing that has reported nothing says so`() {
        var rig = unreported()
        let refusal = rig.set(["speed": 1], of: "kettle").answers.first?.refusal
        #expect(refusal?.code == .unknownAttribute)
        #expect(refusal?.message.hasSuffix("the thing has not reported anything yet") == true)
        let lamp = rig.set(["speed": 1]).answers.first?.refusal
        #expect(lamp?.message.contains("reported anything") == false)
    }

    @Test func `a new thing begins with what it has reported before`() {
        let reported: JSONObject = [
            "on": true, "temperature": 21, "thingID": "x", "readonly": [], "a.b": 1,
            "list": [["$set": 1]], "more": ["b.c": 1],
        ]
        let route = EdgeRoute(commandSeconds: 60)
        #expect(
            route.firstData(of: reported, hasKind: false)
                == ["on": true, "temperature": 21, "readonly": ["temperature"]]
        )
        #expect(route.firstData(of: reported, hasKind: true) == ["on": true, "temperature": 21])
    }

    @Test func `of a thing with a profile nothing becomes read-only by a report`() {
        var rig = Managed.atHome()
        rig.happens(.edge(House.kettle, .routed(EdgeRoute(commandSeconds: 60))))
        let reported = rig.happens(.reported(House.kettle, ["room_temp": 19.5, "more": 1]))
        #expect(stored(reported) == [["room_temp": 19.5, "more": 1]])
    }

    @Test func `a report changes nothing that says what or where a thing is`() {
        var rig = rig()
        let values: JSONObject = [
            "minor": 9, "uuid": "x", "profile": "strip", "model": "m", "readonly": [], "kind": "k",
            "options": ["red"], "vendorThingID": "v-7", "thingID": "th.7", "a.b": 1, "$set": 1, "": 1,
            "power": 3, "on": .null,
        ]
        #expect(rig.happens(.reported(House.lamp, values)) == [])
        #expect(rig.lamp("minor") == 1)
    }

    @Test func `a report does not wait for the answer to a set`() {
        var rig = rig()
        let asked = rig.set(["level": 0.25])
        rig.happens(.reported(House.lamp, ["color": "blue"]))
        rig.serve()
        #expect(rig.lamp("color") == "blue")
        #expect(rig.state.goals[House.lamp]?.level == 0.25)
        rig.answer(asked.orders)
        #expect(rig.serve().codes == [nil])
    }

    @Test func `a report that agrees with the target ends it, and the answer is still to come`() {
        var rig = rig()
        let asked = rig.set(["level": 0.25])
        rig.happens(.reported(House.lamp, ["brightness": 0.25]))
        #expect(rig.serve().answers.isEmpty)
        #expect(rig.state.goals.isEmpty && rig.lamp("brightness") == 0.25)
        // The server has it already.
        let answered = rig.answer(asked.orders)
        #expect(answered.codes == [nil] && answered.requests.isEmpty)
    }

    @Test func `a report of another value ends the target of what was not answered in time`() {
        var rig = rig()
        let late = rig.set(["level": 0.25]).orders
        rig.happens(.reported(House.lamp, ["brightness": 0.5]))
        #expect(rig.state.goals[House.lamp] != nil)
        rig.happens(.timerFired(.edgeDue(House.lamp)), after: 8000)
        rig.happens(.reported(House.lamp, ["brightness": 0.5]))
        #expect(rig.state.goals.isEmpty)
        #expect(rig.answer(late) == [])
    }

    @Test func `of reports that wait for the server, the newest of the same values counts`() {
        var rig = rig()
        rig.happens(.reported(House.lamp, ["brightness": 0.1]))
        for level in 2...9 {
            rig.happens(.reported(House.lamp, ["brightness": .number(Double(level) / 10)]))
        }
        #expect(stored(rig.serve()) == [["brightness": 0.9]])
        #expect(rig.lamp("brightness") == 0.9)
    }

    @Test
    func `what a thing reports while the server is not connected is stored when the place is read again`() {
        var rig = rig()
        rig.lose()
        #expect(rig.happens(.reported(House.lamp, ["brightness": 0.1, "color": "blue"])) == [])
        #expect(rig.happens(.reported(House.lamp, ["brightness": 0.2, "temperature": 21])) == [])
        #expect(stored(rig.happens(.flare(.linkUp))).isEmpty)
        // What is newer is not overtaken by what was kept.
        #expect(rig.happens(.reported(House.lamp, ["brightness": 0.3])) == [])
        let values: JSONObject = [
            "brightness": 0.3, "color": "blue", "temperature": 21, "readonly": ["temperature"],
        ]
        #expect(stored(rig.serve()) == [values])
        #expect(rig.lamp("brightness") == 0.3)
        #expect(stored(rig.happens(.reported(House.lamp, ["brightness": 0.4]))) == [["brightness": 0.4]])
    }

    @Test func `what a thing reports before the place is read for the first time is stored then`() {
        var rig = Rig(memory: PersistedState())
        rig.happens(.edge(House.lamp, .routed(EdgeRoute(commandSeconds: 60))))
        rig.happens(.reported(House.lamp, ["brightness": 0.1]))
        rig.happens(.flare(.linkUp))
        #expect(stored(rig.serve()).contains(["brightness": 0.1]))
        #expect(rig.lamp("brightness") == 0.1)
    }

    @Test func `a report that the server was about to store when it was lost is stored later`() {
        var rig = rig()
        rig.happens(.reported(House.lamp, ["brightness": 0.1]))
        rig.happens(.reported(House.lamp, ["color": "blue"]))
        rig.lose()
        rig.happens(.flare(.linkUp))
        #expect(stored(rig.serve()) == [["brightness": 0.1, "color": "blue"]])
    }

    @Test func `what a thing has done while the server is not connected becomes its data later`() {
        var rig = rig()
        let asked = rig.set(["level": 0.25])
        rig.lose()
        #expect(rig.answer(asked.orders) == [])
        rig.happens(.flare(.linkUp))
        let served = rig.serve()
        #expect(stored(served) == [["brightness": 0.25]] && served.answers.isEmpty)
    }

    @Test func `what a thing has reported is stored although its environment is left`() {
        var rig = rig()
        rig.happens(.reported(House.lamp, ["brightness": 0.1]))
        rig.happens(.reported(House.lamp, ["color": "blue"]))
        rig.happens(House.located(20))
        rig.serve()
        #expect(rig.state.environmentID == House.office)
        let lamp = rig.server.things.first { $0.id == House.lamp }
        #expect(lamp?.data["brightness"] == 0.1 && lamp?.data["color"] == "blue")
    }

    @Test func `a report that the server did not confirm in time is stored when the place is read again`() {
        var rig = rig()
        rig.happens(.reported(House.lamp, ["brightness": 0.1]))
        rig.serveOne(.failure(.timedOut(seconds: 5)))
        #expect(stored(rig.serve()) == [["brightness": 0.1]])
    }

    @Test func `nothing is kept of a thing that leaves the edge`() {
        var rig = rig()
        rig.lose()
        rig.happens(.reported(House.lamp, ["brightness": 0.1]))
        rig.happens(.edge(House.lamp, .routed(nil)))
        rig.happens(.flare(.linkUp))
        #expect(stored(rig.serve()).isEmpty)
    }

    @Test func `a thing in another environment reports as well`() {
        var rig = rig()
        let reported = rig.happens(.reported(House.screen, ["brightness": 0.1]))
        #expect(stored(reported) == [["brightness": 0.1]])
        rig.serve()
        let screen = rig.server.things.first { $0.id == House.screen }
        #expect(screen?.data["brightness"] == 0.1)
    }
}
