import Flare
import JSON
import Lamps
import Testing
import Things

/// Commands that a lamp did not receive, or may not have received.
struct UnheardOrderTests {
    /// A thing and a lamp that agree, before any message.
    private func world() -> LinkWorld {
        var world = LinkWorld(
            thing: ["on": true, "brightness": 0.5, "color": "orange"],
            lamp: ["state": "ON", "brightness": 127, "color": ["r": 255, "g": 165, "b": 0]]
        )
        world.start()
        world.forget()
        return world
    }

    @Test func `a lamp that never answers is reported after the second command and retried once a minute`() {
        var world = world()
        world.isDeaf = true
        world.setThing(["on": false])
        world.pass(6000)
        var silent = LampLink.Condition()
        silent.isSilent = true
        silent.isUnconfirmed = true
        #expect(world.sets.count == 3 && world.conditions == [silent])
        world.settle()
        #expect(world.sets.count == 7 && world.conditions == [silent])
        world.pass(600_000)
        #expect((16...18).contains(world.sets.count), "\(world.sets.count)")
        world.isDeaf = false
        world.pressLamp(["state": "OFF"])
        world.settle()
        #expect(world.conditions == [silent, LampLink.Condition()])
    }

    @Test func `a lamp without power is still detected when it is back after changes`() {
        var world = LinkWorld(thing: ["on": false], lamp: ["state": "OFF"])
        world.start()
        world.forget()
        world.isDeaf = true
        world.setThing(["on": true])
        world.pass(10_000)
        #expect(world.conditions.last?.isSilent == true)
        // The same state as before: no report can differ.
        world.setThing(["on": false])
        world.pass(600_000)
        #expect(world.conditions.last?.isSilent == true)
        world.isDeaf = false
        world.settle()
        #expect(world.conditions.last == LampLink.Condition())
        #expect(world.thing.data["on"] == false && world.isEqual)
    }

    @Test func `the last value of a slider does not wait for reports about earlier ones`() {
        var world = world()
        world.delays.report = 5000...5000
        for step in 1...20 {
            world.setThing(["brightness": .number(Double(step) / 100)])
            world.pass(20)
        }
        world.pass(400)
        #expect(world.sets.last?.payload.contains(#""brightness":51,"#) == true, "\(world.sets)")
    }

    @Test(arguments: [500, 4000, 30_000] as [Int64])
    func `a lamp that missed a command receives it again`(milliseconds: Int64) {
        var world = world()
        world.isDeaf = true
        world.setThing(["on": false])
        world.pass(milliseconds)
        world.isDeaf = false
        // It is back, with its earlier state.
        world.pressLamp([:])
        world.pass(4000)
        #expect(world.thing.data["on"] == false && world.lamp["state"] == "OFF" && world.isEqual)
        #expect(world.conditions.last ?? LampLink.Condition() == LampLink.Condition())
    }

    @Test func `an unanswered first state request is repeated once a minute`() {
        var world = LinkWorld(thing: ["on": true, "brightness": 0.5])
        world.isDeaf = true
        world.start()
        world.pass(600_000)
        #expect((11...13).contains(world.orders.count) && world.sets.isEmpty)
        #expect(world.conditions.last?.isSilent == true)
        world.isDeaf = false
        world.settle()
        #expect(world.conditions.last?.isSilent == false && world.isEqual)
    }

    @Test func `reports during a long transition are not adopted`() {
        var world = world()
        // The test answers for it.
        world.isDeaf = true
        world.setThing(["brightness": 1], over: 10)
        for brightness in [140, 170, 200, 230, 254] as [JSONValue] {
            world.pass(2000)
            world.pressLamp(["brightness": brightness])
        }
        world.settle()
        #expect(world.sets.count == 1 && world.requests.isEmpty)
        #expect(world.thing.data["brightness"] == 1)
    }

    @Test func `a lamp that does not change after two commands is adopted`() {
        var world = world()
        world.isDeaf = true
        world.setThing(["on": false])
        world.pass(1000)
        world.pressLamp([:])
        world.settle()
        #expect(world.sets.count == 2 && world.thing.data["on"] == true && world.isEqual)
    }
}
