import CommandFixture
import Controller
import Flare
import JSON
import Testing
import Things

@Suite struct TransitionTests {
    private let step = ControllerTimer.transitionStep(House.lamp)

    private func values(_ effects: [ControllerEffect]) -> [JSONObject] {
        effects.requests.compactMap { if case .setData(_, let values, _, _) = $0 { values } else { nil } }
    }

    /// The lamp in a transition from 0.5 to 1 over two seconds, with the first step stored.
    private func underWay() -> Rig {
        var rig = Rig.atHome()
        rig.set(["level": 1], over: 2, tx: "t")
        rig.serve()
        return rig
    }

    @Test func `a transition is sent in steps, published less often, and causes one event at the end`() {
        var rig = Rig.atHome()
        let begun = rig.set(["level": 1], over: 2, tx: "t")
        #expect(values(begun) == [["brightness": 0.5]])
        #expect(rig.state.goals == [House.lamp: ThingPatch(level: 1)])
        #expect(rig.controller.removeChanges().contains(.object(House.lampThing)))
        let first = rig.serve()
        #expect(first.codes == [nil])
        #expect(first.answers.first?.tx == "t")
        #expect(first.contains(.startTimer(step, milliseconds: 100)))
        var sent: [JSONValue?] = []
        var eventNames: [String] = []
        var shown: [JSONValue?] = []
        for _ in 1...20 {
            let effects = rig.happens(.timerFired(step), after: 100)
            sent += values(effects).map { $0["brightness"] }
            eventNames += (effects + rig.serve()).eventNames
            if rig.controller.removeChanges().contains(.object(House.lampThing)) {
                shown.append(rig.lamp("brightness"))
            }
        }
        #expect(shown == [0.5, 0.575, 0.65, 0.725, 0.8, 0.875, 0.95, 1])
        #expect(sent.count == 20)
        #expect(sent.first == 0.525)
        #expect(sent.last == 1)
        #expect(eventNames == ["thing changed"])
        #expect(rig.effects.events.last?.before == ["brightness": 0.5])
        #expect(rig.effects.events.last?.after == ["brightness": 1])
        #expect(rig.effects.events.last?.cause == .init("command", tx: "t"))
        #expect(rig.state.goals.isEmpty)
        #expect(rig.lamp("brightness") == 1)
        #expect(rig.happens(.timerFired(step), after: 100) == [])
    }

    @Test func `late timers do not prolong a transition`() {
        var rig = underWay()
        let last = rig.happens(.timerFired(step), after: 5000)
        #expect(values(last) == [["brightness": 1]])
        rig.serve()
        #expect(rig.state.goals.isEmpty)
    }

    @Test func `a step that changes nothing is not sent`() {
        var rig = Rig.atHome()
        rig.set(["level": 0.5], over: 1)
        rig.serve()
        #expect(rig.happens(.timerFired(step), after: 100) == [.startTimer(step, milliseconds: 100)])
        #expect(values(rig.happens(.timerFired(step), after: 900)) == [["brightness": 0.5]])
        #expect(rig.serve().events.isEmpty)
        #expect(rig.state.goals.isEmpty)
    }

    @Test func `a light that fades in is on at once and starts dark`() {
        var rig = Rig.atHome()
        rig.set(["state": "ON", "level": 0.1], of: "floor-lamp", over: 2)
        let floorStep = ControllerTimer.transitionStep(House.floorLamp)
        var lamp: JSONObject { rig.state.things[House.floorLamp]?.data ?? [:] }
        #expect(rig.serve().eventNames == ["thing changed"])
        #expect(lamp["on"] == true && lamp["brightness"] == 0.0039)
        rig.happens(.timerFired(floorStep), after: 1000)
        #expect(rig.serve().eventNames == [])
        #expect(lamp["on"] == true && lamp["brightness"] == 0.05)
        rig.happens(.timerFired(floorStep), after: 1000)
        #expect(rig.serve().eventNames == ["thing changed"])
        #expect(rig.effects.events.last?.before == ["brightness": 1])
        #expect(lamp["brightness"] == 0.1)
        #expect(rig.state.goals.isEmpty)
    }

    @Test(arguments: [["state": "OFF"], ["brightness": 0], ["state": "TOGGLE"]] as [JSONObject])
    func `a light that fades out goes off at the end and keeps its brightness`(request: JSONObject) {
        var rig = Rig.atHome()
        rig.set(request, over: 1)
        #expect(rig.serve().codes == [nil])
        #expect(rig.state.goals == [House.lamp: ThingPatch(state: .off, level: 0.5)])
        #expect(values(rig.happens(.timerFired(step), after: 500)) == [["brightness": 0.25]])
        #expect(rig.serve().eventNames == [])
        #expect(rig.lamp("on") == true && rig.lamp("brightness") == 0.25)
        var sent = values(rig.happens(.timerFired(step), after: 500))
        let last = rig.serve()
        sent += values(last)
        #expect(sent == [["on": false], ["brightness": 0.5]], "restored only after the light is off")
        #expect(last.eventNames == ["thing changed"])
        #expect(last.events.last?.changed == ["on"])
        #expect(rig.lamp("on") == false && rig.lamp("brightness") == 0.5)
        #expect(rig.server.things.first { $0.id == House.lamp }?.data["brightness"] == 0.5)
    }

    @Test func `a light whose fade-out lost its final write gets its brightness back when switched on`() {
        var rig = Rig.atHome()
        rig.set(["state": "OFF"], over: 1)
        rig.serve()
        rig.happens(.timerFired(step), after: 900)
        rig.serve()
        rig.happens(.timerFired(step), after: 100)
        rig.serveOne()
        // The write of the brightness is pending when the link is lost.
        #expect(values(rig.asked.map { .flare($0) }) == [["brightness": 0.5]])
        rig.lose()
        rig.happens(.flare(.linkUp))
        rig.serve()
        #expect(rig.lamp("on") == false && rig.lamp("brightness") == 0.05)
        #expect(values(rig.set(["state": "ON"])) == [["on": true, "brightness": 0.5]])
        rig.serve()
        rig.set(["state": "OFF"])
        rig.serve()
        rig.set(["state": "ON"])
        rig.serve()
        #expect(rig.lamp("brightness") == 0.5)
    }

    @Test func `a brightness set during a fade-out is kept for the next on`() {
        var rig = Rig.atHome()
        rig.set(["state": "OFF"], over: 1)
        rig.serve()
        rig.happens(.timerFired(step), after: 500)
        rig.serve()
        #expect(rig.lamp("brightness") == 0.25)
        rig.set(["level": 0.25])
        rig.serve()
        rig.set(["state": "OFF"])
        rig.serve()
        rig.set(["state": "ON"])
        rig.serve()
        #expect(rig.lamp("on") == true && rig.lamp("brightness") == 0.25)
    }

    @Test func `a transition does not change read-only attributes`() {
        var server = HouseServer()
        server.things[0].data["readonly"] = ["brightness", "color"]
        var rig = Rig.atHome(server: server)
        rig.set(["state": "OFF"], over: 1)
        rig.serve()
        #expect(rig.state.goals == [House.lamp: ThingPatch(state: .off)])
        #expect(values(rig.happens(.timerFired(step), after: 1000)) == [["on": false]])
        rig.serve()
        #expect(rig.lamp("on") == false && rig.lamp("brightness") == 0.5)
    }

    @Test func `a light without brightness goes off at the end of the transition`() {
        var server = HouseServer()
        server.things[0].data["brightness"] = nil
        var rig = Rig.atHome(server: server)
        #expect(rig.set(["state": "OFF"], over: 1).requests.isEmpty)
        #expect(rig.happens(.timerFired(step), after: 100) == [.startTimer(step, milliseconds: 100)])
        #expect(values(rig.happens(.timerFired(step), after: 900)) == [["on": false]])
        #expect(rig.serve().eventNames == ["thing changed"])
    }

    @Test func `switching on during a fade-out restores the brightness`() {
        var rig = Rig.atHome()
        rig.set(["state": "OFF"], over: 1)
        rig.serve()
        rig.happens(.timerFired(step), after: 500)
        rig.serve()
        #expect(values(rig.set(["state": "ON"])) == [["on": true, "brightness": 0.5]])
        #expect(rig.serve().answers.first?.accepted == ["state": "ON", "brightness": 128])
        #expect(rig.lamp("brightness") == 0.5)
    }

    @Test func `switching off during a fade-in keeps the requested brightness`() {
        var rig = Rig.atHome()
        rig.set(["state": "ON", "level": 0.8], of: "floor-lamp", over: 2)
        rig.serve()
        rig.happens(.timerFired(.transitionStep(House.floorLamp)), after: 1000)
        rig.serve()
        rig.set(["state": "OFF"], of: "floor-lamp")
        #expect(rig.serve().codes == [nil])
        let data = rig.state.things[House.floorLamp]?.data
        #expect(data?["on"] == false && data?["brightness"] == 0.8)
    }

    @Test func `a new command stops a transition at its current value and publishes that value`() {
        var rig = underWay()
        rig.happens(.timerFired(step), after: 1000)
        rig.serve()
        let effects = rig.set(["color": "green"], tx: "new")
        #expect(effects.contains(.stopTimer(step)))
        #expect(rig.state.goals.isEmpty)
        #expect(rig.lamp("brightness") == 0.75)
        let all = effects + rig.serve()
        #expect(all.eventNames == ["thing changed", "thing changed"])
        #expect(all.events.map(\.cause) == [.init("command", tx: "t"), .init("command", tx: "new")])
        #expect(rig.happens(.timerFired(step), after: 100) == [])
    }

    @Test func `a new command waits for the running step`() {
        var rig = underWay()
        rig.happens(.timerFired(step), after: 1000)
        #expect(rig.set(["level": 0.2]).requests.isEmpty)
        #expect(rig.serve().codes == [nil])
        #expect(rig.lamp("brightness") == 0.2)
        #expect(rig.state.goals.isEmpty)
    }

    @Test func `a second transition starts at the current value of the first`() {
        var rig = underWay()
        rig.happens(.timerFired(step), after: 1000)
        rig.serve()
        #expect(values(rig.set(["level": 0.25], over: 1)) == [["brightness": 0.75]])
        rig.serve()
        #expect(values(rig.happens(.timerFired(step), after: 500)) == [["brightness": 0.5]])
    }

    @Test func `a toggle during a transition inverts the current state`() {
        var rig = Rig.atHome()
        rig.set(["state": "ON", "level": 0.1], of: "floor-lamp", over: 2)
        rig.serve()
        #expect(rig.state.things[House.floorLamp]?.data["on"] == true)
        #expect(values(rig.set(["state": "TOGGLE"], of: "floor-lamp")) == [["on": false]])
        #expect(rig.serve().answers.first?.accepted["state"] == "OFF")
    }

    @Test func `an action ends a transition`() {
        var rig = underWay()
        rig.command(.action(.thing("lamp"), name: "off"))
        rig.serve()
        #expect(rig.state.goals.isEmpty)
        #expect(rig.lamp("on") == false)
    }

    @Test func `a lost link ends a transition, and the server's values apply afterwards`() {
        var rig = underWay()
        rig.happens(.timerFired(step), after: 1000)
        rig.serve()
        #expect(rig.lose().contains(.stopTimer(step)))
        #expect(rig.state.goals.isEmpty)
        #expect(rig.happens(.timerFired(step), after: 100) == [])
        rig.happens(.flare(.linkUp))
        rig.serve()
        #expect(rig.lamp("brightness") == 0.75)
    }

    @Test func `a failed step ends a transition and reads the environment again`() {
        var rig = underWay()
        rig.happens(.timerFired(step), after: 1000)
        let effects = rig.serveOne(.failure(.rejected("no")))
        #expect(effects.requests == [.loadPlace(environment: House.home)])
        #expect(effects.answers.isEmpty)
        rig.serve()
        #expect(rig.state.goals.isEmpty)
        #expect(rig.lamp("brightness") == 0.5)
    }

    @Test func `a failed first step refuses the command`() {
        var rig = Rig.atHome()
        rig.set(["level": 1], over: 2)
        #expect(rig.serveOne(.failure(.timedOut(seconds: 5))).codes == [.timeout])
        #expect(rig.state.goals.isEmpty)
    }

    @Test func `reading the environment during a transition causes no event`() {
        var rig = underWay()
        rig.happens(.timerFired(step), after: 1000)
        rig.serve()
        rig.command(.refresh)
        #expect(rig.serve().events.isEmpty)
        #expect(rig.lamp("brightness") == 0.75)
        rig.happens(.timerFired(step), after: 1000)
        #expect(rig.serve().eventNames == ["thing changed"])
    }

    @Test func `a change of the same value by another client ends a transition`() {
        var rig = underWay()
        rig.happens(.timerFired(step), after: 1000)
        rig.serve()
        let effects = rig.notice(
            .data(House.lampThing, ["brightness": 0.1], sender: .string("\(House.stranger)"))
        )
        #expect(effects.contains(.stopTimer(step)))
        #expect(rig.state.goals.isEmpty)
        #expect(rig.lamp("brightness") == 0.1)
        #expect(rig.happens(.timerFired(step), after: 100) == [])
    }

    @Test func `a change of another value does not end a transition`() {
        var rig = underWay()
        #expect(
            rig.notice(.data(House.lampThing, ["color": "blue"], sender: nil)).eventNames == ["thing changed"]
        )
        rig.notice(.data(House.lampThing, ["brightness": 0.5], sender: .string("\(House.homeDevice)")))
        #expect(rig.state.goals.count == 1)
    }

    @Test func `leaving the environment ends a transition`() {
        var rig = underWay()
        rig.happens(.timerFired(step), after: 100)
        #expect(rig.happens(House.located(20)).contains(.stopTimer(step)))
        #expect(rig.state.goals.isEmpty)
        #expect(rig.serve().answers.isEmpty)
        #expect(rig.happens(.timerFired(step), after: 100) == [])
    }

    @Test func `removing the thing ends its transition`() {
        var rig = underWay()
        rig.server.things.removeAll { $0.id == House.lamp }
        rig.notice(.modelChanged(House.lampThing, environment: House.home))
        #expect(rig.serve().contains(.stopTimer(step)))
        #expect(rig.state.goals.isEmpty)
        #expect(rig.happens(.timerFired(step), after: 100) == [])
    }
}
