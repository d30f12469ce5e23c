import CommandFixture
import Controller
import Flare
import JSON
import Testing
import Things

/// Things at the edge: orders go to them, and what they do and report goes to the server.
@Suite struct EdgeTests {
    /// At home with the lamp at the edge.
    private func rig() -> Rig {
        var rig = Rig.atHome()
        rig.happens(.edge(House.lamp, .routed(EdgeRoute(commandSeconds: 60))))
        return rig
    }

    private func values(_ orders: [EdgeOrder]) -> [JSONObject] {
        orders.flatMap(\.orders).compactMap { if case .values(let values) = $0 { values } else { nil } }
    }

    // MARK: Orders

    @Test func `a set goes to the thing, and is answered once the server has what the thing has done`() {
        var rig = rig()
        let asked = rig.set(["level": 0.25], tx: 1)
        #expect(asked.requests.isEmpty && asked.answers.isEmpty)
        #expect(values(asked.orders) == [["brightness": 0.25]])
        #expect(asked.orders.map(\.thing) == [House.lamp] && asked.orders.map(\.caller) == [.owner])
        let answered = rig.answer(asked.orders)
        #expect(answered.answers.isEmpty && rig.lamp("brightness") == 0.5)
        #expect(
            answered.requests == [
                .setData(House.lampThing, values: ["brightness": 0.25], sender: House.homeDevice)
            ]
        )
        let served = rig.serve()
        #expect(served.answers.map(\.tx) == [1] && served.codes == [nil])
        #expect(served.events.map(\.cause) == [.init("command", tx: 1)])
        #expect(rig.lamp("brightness") == 0.25)
    }

    @Test func `what a thing was asked for is its target until it has done it`() {
        var rig = rig()
        let asked = rig.set(["level": 0.25])
        #expect(rig.state.goals[House.lamp]?.level == 0.25)
        #expect(rig.state.goalSeconds.isEmpty)
        rig.answer(asked.orders)
        #expect(rig.state.goals[House.lamp]?.level == 0.25)
        rig.serve()
        #expect(rig.state.goals.isEmpty)
    }

    @Test func `what a thing is like already is no target`() {
        var rig = rig()
        #expect(rig.set(["level": 0.5]).orders.count == 1)
        #expect(rig.state.goals.isEmpty)
    }

    @Test func `an answer that was there before, or of another thing, changes nothing`() {
        var rig = rig()
        let orders = rig.set(["level": 0.25]).orders
        let number = orders.first?.number ?? 0
        #expect(rig.happens(.edge(House.floorLamp, .answered(number, [.success(nil)]))) == [])
        #expect(rig.happens(.edge(House.lamp, .answered(number + 1, [.success(nil)]))) == [])
        rig.answer(orders)
        #expect(rig.answer(orders) == [])
        #expect(rig.answer(orders, .failure(Refusal(.timeout, "late"))) == [])
        #expect(rig.serve().codes == [nil])
    }

    @Test func `what the thing refuses is refused, and is no target`() {
        var rig = rig()
        let asked = rig.set(["level": 0.25])
        let refusal = Refusal(.invalidValue, "too dark")
        #expect(rig.answer(asked.orders, .failure(refusal)).answers.map(\.refusal) == [refusal])
        #expect(rig.state.goals.isEmpty && rig.asked.isEmpty)
        #expect(rig.lamp("brightness") == 0.5)
    }

    @Test func `what the thing says besides is in the answer`() {
        var rig = rig()
        rig.answer(rig.set(["level": 0.25]).orders, .success(["took_ms": 12]))
        #expect(rig.serve().answers.map(\.data) == [["took_ms": 12]])
    }

    @Test func `of sets that wait, a newer one of the same field takes the place of the others`() {
        var rig = rig()
        var orders = rig.set(["level": 0.1], tx: 1).orders
        #expect(rig.set(["level": 0.2], tx: 2) == [])
        #expect(rig.set(["level": 0.3], tx: 3).codes == [.superseded])
        let next = rig.answer(orders)
        orders = next.orders
        #expect(values(orders) == [["brightness": 0.3]])
        rig.answer(orders)
        #expect(rig.serve().answers.map(\.tx) == [1, 3])
    }

    @Test func `a toggle counts what the thing has done, whether or not the server has stored it`() {
        var rig = rig()
        let first = rig.set(["state": "OFF"]).orders
        rig.set(["state": "TOGGLE"])
        #expect(values(first) == [["on": false]])
        #expect(values(rig.answer(first).orders) == [["on": true]])
    }

    @Test func `an action of the thing's own is an order, and an event once it is done`() {
        var server = HouseServer()
        for index in server.things.indices { server.things[index].actions = ["boil"] }
        var rig = Rig.atHome(server: server)
        rig.happens(.edge(House.kettle, .routed(EdgeRoute(commandSeconds: 60))))
        let asked = rig.command(.action(.thing("kettle"), name: "boil"), tx: 1)
        #expect(asked.orders.map(\.orders) == [[.action("boil")]] && asked.requests.isEmpty)
        let done = rig.answer(asked.orders)
        #expect(done.eventNames == ["thing action"] && done.codes == [nil])
        #expect(rig.asked.isEmpty)
    }

    @Test func `a built-in action is sent as the values that it leads to`() {
        var rig = rig()
        let asked = rig.command(.action(.thing("lamp"), name: "lighter"))
        #expect(values(asked.orders) == [["brightness": 0.6]])
        #expect(rig.state.goals[House.lamp]?.level == 0.6)
    }

    @Test func `where a thing at the edge is goes to the server`() {
        var rig = rig()
        let moved = rig.command(.action(.thing("lamp"), name: "north"))
        #expect(moved.orders.isEmpty)
        #expect(
            moved.requests == [
                .performAction(House.lampThing, action: "north", sender: House.homeDevice)
            ]
        )
    }

    @Test func `a transition is carried out at once, with a warning in the answer`() {
        var rig = rig()
        let asked = rig.set(["level": 0.25], over: 5)
        #expect(values(asked.orders) == [["brightness": 0.25]])
        rig.answer(asked.orders)
        let answers = rig.serve().answers
        #expect(answers.flatMap(\.warnings).map(\.field) == ["transition"])
    }

    @Test func `a light that goes off is not sent its brightness again`() {
        var rig = rig()
        // Another client makes it dark, which is an order, too.
        let dark = rig.notice(.data(House.lampThing, ["brightness": 0], sender: "x")).orders
        #expect(values(dark) == [["brightness": 0]])
        rig.answer(dark)
        rig.serve()
        let off = rig.set(["state": "OFF"]).orders
        #expect(values(off) == [["on": false]])
        let stored = rig.answer(off).requests + rig.serve().requests
        #expect(
            stored == [.setData(House.lampThing, values: ["on": false], sender: House.homeDevice)]
        )
    }

    @Test func `all lights of a zone are answered together, those at the edge too`() {
        var rig = Rig.atHome()
        rig.happens(.edge(House.floorLamp, .routed(EdgeRoute(commandSeconds: 60))))
        let request = ThingRequest(attributes: ["state": "ON"], transition: 2)
        let asked = rig.command(.set(.zone("living-room"), request))
        #expect(values(asked.orders) == [["on": true]])
        rig.answer(asked.orders)
        let answers = rig.serve().answers
        #expect(answers.count == 1 && answers.first?.refusal == nil)
        #expect(answers.flatMap(\.warnings).map(\.field) == ["transition"])
    }

    // MARK: Time

    @Test func `a set of a thing that is offline is refused at once, and nothing is sent`() {
        var rig = rig()
        rig.happens(.edge(House.lamp, .status(isOnline: false)))
        let asked = rig.set(["level": 0.25])
        #expect(asked.codes == [.thingOffline] && asked.orders.isEmpty)
        rig.happens(.edge(House.lamp, .status(isOnline: true)))
        #expect(rig.set(["level": 0.25]).orders.count == 1)
    }

    @Test
    func `a thing that goes offline refuses what was sent and what waits, and a late answer still counts`() {
        var rig = rig()
        let asked = rig.set(["level": 0.25])
        rig.set(["color": "blue"])
        let offline = rig.happens(.edge(House.lamp, .status(isOnline: false)))
        #expect(offline.codes == [.thingOffline, .thingOffline] && offline.orders.isEmpty)
        #expect(rig.state.conditions[House.lamp] == ThingCondition(isOnline: false))
        rig.happens(.edge(House.lamp, .status(isOnline: true)))
        rig.answer(asked.orders)
        rig.serve()
        #expect(rig.lamp("brightness") == 0.25 && rig.state.goals.isEmpty)
    }

    @Test func `a thing that has said nothing of it counts as reachable, and one that leaves the edge too`() {
        var rig = rig()
        rig.happens(.edge(House.lamp, .status(isOnline: false)))
        rig.happens(.edge(House.lamp, .status(isOnline: nil)))
        #expect(rig.state.conditions.isEmpty)
        #expect(rig.set(["level": 0.25]).orders.count == 1)
        rig.happens(.edge(House.lamp, .status(isOnline: false)))
        rig.happens(.edge(House.lamp, .routed(nil)))
        #expect(rig.state.conditions.isEmpty)
    }

    @Test(arguments: [(60.0, 8000), (8.0, 8000), (2.5, 2500), (.infinity, 8000), (-1, 0)])
    func `a set waits for as long as a command may take, and 8 seconds at most`(seconds: Double, wait: Int64)
    {
        var rig = Rig.atHome()
        rig.happens(.edge(House.lamp, .routed(EdgeRoute(commandSeconds: seconds))))
        let effects = rig.set(["level": 0.25])
        #expect(effects.contains(.startTimer(.edgeDue(House.lamp), milliseconds: wait)))
        let deadline = Rig.moment(rig.time).wallMilliseconds + wait
        #expect(effects.orders.map(\.deadline) == [deadline])
    }

    @Test func `a set that is not answered in time is refused, and a late answer confirms it all the same`() {
        var rig = rig()
        let asked = rig.set(["level": 0.25])
        #expect(rig.happens(.timerFired(.edgeDue(House.lamp)), after: 7999) == [])
        #expect(rig.happens(.timerFired(.edgeDue(House.lamp)), after: 1).codes == [.thingOffline])
        #expect(rig.state.goals[House.lamp]?.level == 0.25)
        #expect(rig.answer(asked.orders).answers.isEmpty)
        #expect(rig.serve().answers.isEmpty)
        #expect(rig.lamp("brightness") == 0.25 && rig.state.goals.isEmpty)
    }

    @Test func `a set that waits is sent when the one before it is late`() {
        var rig = rig()
        rig.set(["level": 0.1])
        rig.set(["color": "blue"])
        let due = rig.happens(.timerFired(.edgeDue(House.lamp)), after: 8000)
        #expect(due.codes == [.thingOffline] && values(due.orders) == [["color": "blue"]])
    }

    @Test func `a late answer to what a newer set has replaced changes nothing`() {
        var rig = rig()
        let late = rig.set(["level": 0.1]).orders
        rig.happens(.timerFired(.edgeDue(House.lamp)), after: 8000)
        rig.answer(rig.set(["level": 0.9]).orders)
        rig.serve()
        #expect(rig.answer(late) == [])
        #expect(rig.lamp("brightness") == 0.9 && rig.state.goals.isEmpty)
    }

    @Test func `twenty orders that were not answered are remembered`() {
        var rig = rig()
        var orders: [EdgeOrder] = []
        for step in 1...21 {
            orders += rig.set(["level": .number(Double(step) / 100)]).orders
            rig.happens(.timerFired(.edgeDue(House.lamp)), after: 8000)
        }
        #expect(orders.count == 21)
        #expect(rig.answer(Array(orders.prefix(1))) == [])
        #expect(rig.answer(Array(orders.dropFirst().prefix(1))).requests.count == 1)
    }

    @Test func `numbers of orders grow, and those of a later run are larger`() {
        var first = rig()
        var numbers = first.set(["level": 0.1]).orders.map(\.number)
        first.happens(.timerFired(.edgeDue(House.lamp)), after: 8000)
        numbers += first.set(["level": 0.2]).orders.map(\.number)
        var second = rig()
        second.time = first.time + 1
        numbers += second.set(["level": 0.1]).orders.map(\.number)
        #expect(numbers.count == 3 && numbers == numbers.sorted() && Set(numbers).count == 3)
    }

    // MARK: The server and the place

    @Test func `without the server a set is refused, whether or not it was sent`() {
        var rig = rig()
        let asked = rig.set(["level": 0.25])
        rig.set(["color": "blue"])
        let lost = rig.lose()
        #expect(lost.codes == [.serverUnreachable, .serverUnreachable])
        #expect(lost.contains(.stopTimer(.edgeDue(House.lamp))))
        #expect(rig.set(["level": 0.75]).codes == [.serverUnreachable])
        #expect(rig.answer(asked.orders) == [])
        #expect(rig.state.goals.isEmpty)
    }

    @Test func `what a client of the server sets is an order for the thing, and what we stored is none`() {
        var rig = rig()
        let theirs = rig.notice(.data(House.lampThing, ["color": "blue", "minor": 4], sender: "x"))
        #expect(values(theirs.orders) == [["color": "blue"]])
        let own = JSONValue.string("\(House.homeDevice)")
        rig.answer(theirs.orders)
        #expect(rig.notice(.data(House.lampThing, ["color": "green"], sender: own)).orders.isEmpty)
    }

    @Test func `a thing that leaves the edge refuses what waits for it, and is kept by the server again`() {
        var rig = rig()
        let asked = rig.set(["level": 0.25])
        rig.set(["color": "blue"])
        let left = rig.happens(.edge(House.lamp, .routed(nil)))
        #expect(left.codes == [.staleTarget, .staleTarget] && rig.state.goals.isEmpty)
        #expect(rig.answer(asked.orders) == [])
        let set = rig.set(["level": 0.75])
        #expect(set.orders.isEmpty && set.requests.count == 1)
    }

    @Test func `a thing that comes to the edge ends its transition`() {
        var rig = Rig.atHome()
        rig.set(["level": 1], over: 10)
        rig.serve()
        #expect(rig.state.goals[House.lamp] != nil)
        rig.happens(.edge(House.lamp, .routed(EdgeRoute(commandSeconds: 60))))
        #expect(rig.state.goals.isEmpty)
        #expect(rig.happens(.timerFired(.transitionStep(House.lamp)), after: 100) == [])
    }

    @Test func `a thing that is removed has no target any more, and its order is answered nevertheless`() {
        var rig = rig()
        let asked = rig.set(["level": 0.25])
        rig.server.things.removeAll { $0.id == House.lamp }
        rig.notice(.thingChanged(House.lamp, nil, environment: House.home))
        #expect(rig.state.goals.isEmpty)
        rig.answer(asked.orders)
        #expect(rig.serve().codes == [.unknownThing])
    }

    @Test func `an order that waits for its thing is explained`() {
        var rig = rig()
        rig.set(["level": 0.25], tx: 7)
        let answers = rig.command(.explain(.command(tx: 7))).answers
        let text = answers.first?.data?["text"]?.string ?? ""
        #expect(text.contains("was sent to the thing itself, which has not confirmed it yet"))
    }
}
