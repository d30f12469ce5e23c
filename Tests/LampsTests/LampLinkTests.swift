import Flare
import Lamps
import Testing
import Things

struct LampLinkTests {
    private static let lit: [String: JSONValue] = ["on": true, "brightness": 0.5, "color": "orange"]

    @Test func `at the start the lamp is asked, and what it says goes to the thing`() {
        var world = LinkWorld(thing: Self.lit, lamp: ["state": "ON", "brightness": 254])
        world.start()
        #expect(world.orders.map(\.topic) == ["zigbee2mqtt/lamp/get"])
        #expect(world.requests == [ThingRequest(attributes: ["level": 1])])
        #expect(world.isEqual)
    }

    @Test func `a lamp that is as the thing is left alone`() {
        #expect(LinkWorld.inAgreement().requests.isEmpty)
        let other = LinkWorld(
            thing: ["on": false, "brightness": 1],
            lamp: ["state": "OFF", "brightness": 3]
        )
        var dark = other
        dark.start()
        #expect(dark.requests.isEmpty && dark.sets.isEmpty)
    }

    @Test func `a change of the thing is one order, and its echo nothing`() {
        var world = LinkWorld.inAgreement()
        world.setThing(["brightness": 0.8])
        world.settle()
        #expect(world.sets.map(\.payload) == [#"{"brightness":203,"state":"ON"}"#])
        #expect(world.requests.isEmpty && world.isEqual && world.conditions.isEmpty)
    }

    @Test func `a change of the lamp is one request, and its echo nothing`() {
        var world = LinkWorld.inAgreement()
        world.pressLamp(["brightness": 25])
        world.settle()
        #expect(world.requests.count == 1 && world.sets.isEmpty && world.isEqual)
        #expect(world.thing.data["color"] == "orange", "the name of what did not change survives")
    }

    @Test func `a lamp that is switched on is told everything`() {
        let blue: JSONValue = ["x": 0.1355, "y": 0.0399]
        for lamp: [String: JSONValue] in [
            ["state": "OFF"], ["state": "OFF", "brightness": 127, "color": blue],
        ] {
            var world = LinkWorld.inAgreement(
                thing: ["on": false, "brightness": 0.5, "color": "blue"],
                lamp: lamp
            )
            world.setThing(["on": true])
            world.settle()
            #expect(
                world.sets.map(\.payload) == [
                    #"{"brightness":127,"color":{"x":0.1355,"y":0.0399},"state":"ON"}"#
                ]
            )
        }
    }

    @Test func `what is changed in the dark is said when there is light`() {
        var world = LinkWorld.inAgreement(
            thing: ["on": false, "brightness": 0.5],
            lamp: ["state": "OFF", "brightness": 127]
        )
        world.setThing(["brightness": 0.9])
        world.settle()
        #expect(world.sets.isEmpty)
        world.setThing(["on": true])
        world.settle()
        #expect(world.isEqual && world.sets.count == 1)
    }

    @Test func `a thing without on gets it from its lamp, and keeps its brightness`() {
        var world = LinkWorld.inAgreement(
            thing: ["brightness": 0.5],
            lamp: ["state": "ON", "brightness": 127]
        )
        world.pressLamp(["state": "OFF"])
        world.settle()
        #expect(world.thing.data == ["on": false, "brightness": 0.5])
        world.pressLamp(["state": "ON"])
        world.settle()
        #expect(world.thing.data == ["on": true, "brightness": 0.5] && world.sets.isEmpty)
    }

    @Test func `a lamp that never says how bright it is lights a dark thing fully`() {
        var world = LinkWorld.inAgreement(thing: ["on": true, "brightness": 0], lamp: ["state": "OFF"])
        world.pressLamp(["state": "ON"])
        world.settle()
        #expect(world.thing.data == ["on": true, "brightness": 1])
    }

    @Test func `what a thing only reports is not told to its lamp, nor taken from it`() {
        var world = LinkWorld(
            thing: [
                "on": true, "brightness": 0, "color": "blue", "readonly": ["brightness", "color"],
            ],
            lamp: ["state": "ON", "brightness": 127, "color": ["r": 255, "g": 0, "b": 0]]
        )
        world.start()
        #expect(world.requests.isEmpty && world.sets.isEmpty)
        world.setThing(["on": false, "brightness": 0.3])
        world.settle()
        #expect(world.sets.map(\.payload) == [#"{"state":"OFF"}"#])
        world.pressLamp(["state": "ON", "brightness": 20])
        world.settle()
        #expect(world.requests == [ThingRequest(attributes: ["state": "ON"])])
        #expect(world.thing.data["on"] == true && world.thing.data["brightness"] == 0.3)
    }

    @Test(arguments: [400, 1000, 2500] as [Int64])
    func `a lamp that is switched to and fro quickly follows within a few seconds`(pause: Int64) {
        var longest: Int64 = 0
        for seed in 0..<50 as Range<UInt64> {
            var world = LinkWorld(seed: seed, thing: ["on": true], lamp: ["state": "ON"])
            world.start()
            for press in 1...8 {
                world.setThing(["on": .bool(press.isMultiple(of: 2))])
                world.pass(pause)
            }
            var waited: Int64 = 0
            while !world.isEqual, waited < 20_000 {
                world.pass(100)
                waited += 100
            }
            longest = max(longest, waited)
        }
        #expect(longest < 3500, "\(longest) ms")
    }

    @Test func `late echoes of older orders change nothing`() {
        var world = LinkWorld.inAgreement { $0.delays.report = 400...800 }
        for brightness in [0.2, 0.4, 0.6, 0.9] {
            world.setThing(["brightness": .number(brightness)])
            world.pass(50)
        }
        world.settle()
        #expect(world.requests.isEmpty && world.isEqual && world.sets.count == 4)
    }

    @Test func `an echo that happens to be right does not make the next one news`() {
        var world = LinkWorld.inAgreement { $0.delays.report = 300...400 }
        for brightness in [0.2, 0.8, 0.2] {
            world.setThing(["brightness": .number(brightness)])
            world.pass(150)
        }
        world.settle()
        #expect(world.requests.isEmpty && world.isEqual && world.sets.count == 3)
    }

    @Test func `back to what it was before the lamp could answer is an order too`() {
        var world = LinkWorld.inAgreement { $0.delays.order = 200...300 }
        world.setThing(["on": false])
        world.pass(100)
        world.setThing(["on": true])
        world.settle()
        #expect(world.sets.count == 2 && world.isEqual && world.requests.isEmpty)
    }

    @Test func `a lamp with a nature of its own is not driven further, nor the thing`() {
        var world = LinkWorld.inAgreement { $0.isCoarse = true }
        world.setThing(["brightness": 0.01])
        world.settle()
        #expect(world.sets.count <= 2 && world.requests.isEmpty)
        #expect(world.thing.data["brightness"] == 0.01)
        let orders = world.sets.count
        world.pressLamp([:])
        world.settle()
        #expect(world.sets.count == orders && world.requests.isEmpty, "the same word again is no news")
        world.pressLamp(["brightness": 80])
        world.settle()
        #expect(world.isEqual)
    }

    @Test func `a lamp that does something else is believed`() {
        var world = LinkWorld.inAgreement()
        world.isMute = true
        world.setThing(["brightness": 1])
        world.pass(1000)
        world.isMute = false
        world.pressLamp(["state": "OFF"])
        world.settle()
        #expect(world.thing.data["on"] == false && world.isEqual)
    }

    @Test func `a lamp that does not answer the first question is told of, with nothing to be confirmed`() {
        var world = LinkWorld(thing: Self.lit)
        world.isDeaf = true
        world.start()
        var silent = LampLink.Condition()
        silent.isSilent = true
        #expect(world.conditions == [silent] && world.sets.isEmpty)
    }

    @Test func `an order for a lamp that is away waits until it is back`() {
        var world = LinkWorld.inAgreement()
        world.setAvailable(false)
        world.settle()
        world.setThing(["on": false])
        world.settle()
        #expect(world.sets.isEmpty && world.conditions.map(\.isUnconfirmed) == [false, true])
        world.setAvailable(true)
        world.settle()
        #expect(world.sets.map(\.payload) == [#"{"state":"OFF"}"#] && world.isEqual)
        #expect(world.conditions.last == LampLink.Condition())
    }

    @Test func `a lamp that comes back as it likes is believed`() {
        var world = LinkWorld.inAgreement(thing: ["on": false], lamp: ["state": "OFF"])
        world.setAvailable(false)
        world.settle()
        world.pressLamp(["state": "ON"])
        world.setAvailable(true)
        world.settle()
        #expect(world.thing.data["on"] == true && world.sets.isEmpty)
    }

    @Test func `availability that flaps is told now and then, and rightly in the end`() {
        var world = LinkWorld.inAgreement()
        for count in 0..<501 {
            world.setAvailable(count.isMultiple(of: 2))
            world.pass(20)
        }
        world.setAvailable(false)
        world.settle()
        #expect(world.conditions.count < 16 && world.conditions.last?.isOnline == false)
        #expect(world.orders.count < 8, "questions")
    }

    @Test func `a lamp that flaps sets the thing now and then, and rightly in the end`() {
        var world = LinkWorld.inAgreement()
        for count in 0..<1000 {
            world.pressLamp(["state": count.isMultiple(of: 2) ? "OFF" : "ON"])
            world.pass(10)
        }
        world.settle()
        #expect(world.requests.count < 35 && world.sets.isEmpty && world.isEqual)
    }

    @Test func `a slider that is dragged is a few orders, and the last one counts`() {
        var world = LinkWorld.inAgreement()
        for step in 0..<300 {
            world.setThing(["brightness": .number(Double(step % 100 + 1) / 100)])
            world.pass(10)
        }
        world.settle()
        #expect(world.sets.count < 30 && world.isEqual && world.requests.isEmpty)
    }

    @Test func `a transition is the lamp's own, and what it says on the way is its own matter`() {
        var world = LinkWorld.inAgreement { $0.isGradual = true }
        world.setThing(["brightness": 1], over: 4)
        world.pass(2000)
        world.pressLamp(["brightness": 200])
        world.pressLamp(["brightness": 254])
        world.settle()
        #expect(world.sets.map(\.payload) == [#"{"brightness":254,"state":"ON","transition":4}"#])
        #expect(world.requests.isEmpty && world.isEqual)
    }

    @Test func `who switches the lamp off in the middle of a transition is believed at once`() {
        var world = LinkWorld.inAgreement()
        world.setThing(["brightness": 1], over: 60)
        world.pass(10_000)
        world.pressLamp(["state": "OFF"])
        world.pass(1000)
        #expect(world.requests == [ThingRequest(attributes: ["state": "OFF"])])
        world.settle()
        #expect(world.isEqual && world.sets.count == 1)
    }

    @Test func `a lamp without transitions is led step by step`() throws {
        var settings = TemplateLamp.Settings(
            commandTopic: "c",
            command: try CommandTemplate("{state} {percent}")
        )
        settings.stateTopic = "s"
        var link = LampLink(TemplateLamp(settings))
        var thing = FlareThing(id: FlareID(high: 1, low: 1))
        thing.data = ["on": true, "brightness": 0]
        _ = link.brokerChanged(isUp: true, at: 0)
        _ = link.thingSeen(LinkedThing(thing), at: 0)
        _ = link.lampSaid(.state(LampState(isOn: false)), on: "s", at: 0)
        var actions = link.thingSeen(LinkedThing(thing, goal: ["brightness": 1], seconds: 2), at: 1000)
        while let due = link.nextDue(after: 0), due < 3200 {
            actions += link.timePassed(at: due)
            if actions.count > 50 { break }
        }
        let texts = actions.flatMap { action -> [String] in
            guard case .publish(let messages) = action else { return [] }
            return messages.map(\.payload)
        }
        #expect(texts.first == "OFF 0" && texts.last == "ON 100" && (8...10).contains(texts.count))
        let percents = texts.compactMap { Int($0.split(separator: " ").last ?? "") }
        #expect(percents == percents.sorted())
    }

    @Test func `a lamp that never says anything is taken to be as it was told`() throws {
        let command = try CommandTemplate("{state}")
        var link = LampLink(TemplateLamp(TemplateLamp.Settings(commandTopic: "c", command: command)))
        var thing = FlareThing(id: FlareID(high: 1, low: 1))
        thing.data = ["on": true]
        #expect(link.thingSeen(LinkedThing(thing), at: 0).isEmpty)
        #expect(link.brokerChanged(isUp: true, at: 0).isEmpty, "nobody knows what it is like")
        thing.data = ["on": false]
        #expect(link.thingSeen(LinkedThing(thing), at: 10) == [.publish([LampMessage("c", "OFF")])])
        #expect(link.nextDue(after: 10) == nil)
        thing.data = ["on": true]
        #expect(link.thingSeen(LinkedThing(thing), at: 20) == [.publish([LampMessage("c", "ON")])])
    }

    @Test func `while the server is away the lamp's change waits, and is not asked for without end`() {
        var world = LinkWorld.inAgreement()
        world.isServerAway = true
        world.pressLamp(["state": "OFF"])
        world.pass(60_000)
        #expect((5...14).contains(world.requests.count))
        world.isServerAway = false
        world.settle()
        #expect(world.isEqual)
    }

    @Test func `a thing that does not take it is left as it is, and that is said once`() {
        var link = LampLink(ZigbeeLamp(topic: "z/l"))
        var thing = FlareThing(id: FlareID(high: 1, low: 1))
        thing.data = ["on": true]
        _ = link.brokerChanged(isUp: true, at: 0)
        _ = link.thingSeen(LinkedThing(thing), at: 0)
        let actions = link.lampSaid(.state(LampState(isOn: false)), on: "z/l", at: 0)
        #expect(actions == [.set(ThingRequest(attributes: ["state": "OFF"]))])
        let answers = link.answered(Refusal(.notSettable, "no"), at: 10)
        #expect(answers == [.note("the thing does not take what its lamp says: no")])
        #expect(link.lampSaid(.state(LampState(isOn: false)), on: "z/l", at: 20).isEmpty)
        #expect(link.nextDue(after: 20) == nil)
    }

    @Test func `a thing that was put back before that was seen is told to the lamp`() {
        var link = LampLink(ZigbeeLamp(topic: "z/l"))
        var thing = FlareThing(id: FlareID(high: 1, low: 1))
        thing.data = ["on": true]
        _ = link.brokerChanged(isUp: true, at: 0)
        _ = link.lampSaid(.state(LampState(isOn: true)), on: "z/l", at: 0)
        _ = link.thingSeen(LinkedThing(thing), at: 0)
        let off = ThingRequest(attributes: ["state": "OFF"])
        #expect(link.lampSaid(.state(LampState(isOn: false)), on: "z/l", at: 10) == [.set(off)])
        #expect(link.thingSeen(LinkedThing(thing), at: 20).isEmpty)
        #expect(
            link.answered(nil, at: 20) == [.publish([LampMessage("z/l/set", #"{"state":"ON"}"#)])]
        )
    }

    @Test func `a link without its thing rests`() {
        var link = LampLink(ZigbeeLamp(topic: "z/l"))
        var thing = FlareThing(id: FlareID(high: 1, low: 1))
        thing.data = ["on": true]
        _ = link.brokerChanged(isUp: true, at: 0)
        _ = link.lampSaid(.state(LampState(isOn: true)), on: "z/l", at: 0)
        _ = link.thingSeen(LinkedThing(thing), at: 0)
        #expect(link.thingSeen(nil, at: 10).isEmpty)
        #expect(link.lampSaid(.state(LampState(isOn: false)), on: "z/l", at: 20).isEmpty)
        #expect(link.lampSaid(.available(false), on: "z/l/availability", at: 20).isEmpty)
        #expect(link.nextDue(after: 20) == nil)
        // Back again, it is what the lamp says by then.
        _ = link.lampSaid(.available(true), on: "z/l/availability", at: 30)
        _ = link.lampSaid(.state(LampState(isOn: false)), on: "z/l", at: 30)
        #expect(
            link.thingSeen(LinkedThing(thing), at: 40) == [.set(ThingRequest(attributes: ["state": "OFF"]))]
        )
        thing.data = ["temperature": 6]
        #expect(LinkedThing(thing) == nil, "what is no light has no lamp")
    }
}
