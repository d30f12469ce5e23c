import Flare
import JSON
import Lamps
import Testing
import Things

struct LampLinkTests {
    private static let lit: JSONObject = ["on": true, "brightness": 0.5, "color": "orange"]

    @Test func `at the start the lamp's state is requested and adopted by the thing`() {
        var world = LinkWorld(thing: Self.lit, lamp: ["state": "ON", "brightness": 254])
        world.start()
        #expect(world.orders.map(\.topic) == ["zigbee2mqtt/lamp/get"])
        #expect(world.requests == [ThingRequest(attributes: ["level": 1])])
        #expect(world.isEqual)
    }

    @Test func `a lamp that matches its thing receives no command`() {
        #expect(LinkWorld.inAgreement().requests.isEmpty)
        let other = LinkWorld(
            thing: ["on": false, "brightness": 1],
            lamp: ["state": "OFF", "brightness": 3]
        )
        var dark = other
        dark.start()
        #expect(dark.requests.isEmpty && dark.sets.isEmpty)
    }

    @Test func `a change of the thing sends one command and its echo causes nothing`() {
        var world = LinkWorld.inAgreement()
        world.setThing(["brightness": 0.8])
        world.settle()
        #expect(world.sets.map(\.payload) == [#"{"brightness":203,"state":"ON"}"#])
        #expect(world.requests.isEmpty && world.isEqual && world.conditions.isEmpty)
    }

    @Test func `a change of the lamp sends one request and its echo causes nothing`() {
        var world = LinkWorld.inAgreement()
        world.pressLamp(["brightness": 25])
        world.settle()
        #expect(world.requests.count == 1 && world.sets.isEmpty && world.isEqual)
        #expect(world.thing.data["color"] == "orange", "the name of what did not change survives")
    }

    @Test func `a lamp that is switched on receives its complete state`() {
        let blue: JSONValue = ["x": 0.1355, "y": 0.0399]
        for lamp: JSONObject in [
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

    @Test func `changes while off are sent when the lamp is switched on`() {
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

    @Test func `a thing without on gets it from its lamp and keeps its brightness`() {
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

    @Test func `a lamp without brightness sets a thing that was off to full brightness`() {
        var world = LinkWorld.inAgreement(thing: ["on": true, "brightness": 0], lamp: ["state": "OFF"])
        world.pressLamp(["state": "ON"])
        world.settle()
        #expect(world.thing.data == ["on": true, "brightness": 1])
    }

    @Test func `read-only attributes are neither sent to the lamp nor adopted from it`() {
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
    func `a lamp that is toggled quickly follows within a few seconds`(pause: Int64) {
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

    @Test func `late echoes of earlier commands are ignored`() {
        var world = LinkWorld.inAgreement { $0.delays.report = 400...800 }
        for brightness in [0.2, 0.4, 0.6, 0.9] {
            world.setThing(["brightness": .number(brightness)])
            world.pass(50)
        }
        world.settle()
        #expect(world.requests.isEmpty && world.isEqual && world.sets.count == 4)
    }

    @Test func `a matching echo does not make the next one a change`() {
        var world = LinkWorld.inAgreement { $0.delays.report = 300...400 }
        for brightness in [0.2, 0.8, 0.2] {
            world.setThing(["brightness": .number(brightness)])
            world.pass(150)
        }
        world.settle()
        #expect(world.requests.isEmpty && world.isEqual && world.sets.count == 3)
    }

    @Test func `a change back before the lamp answers is sent too`() {
        var world = LinkWorld.inAgreement { $0.delays.order = 200...300 }
        world.setThing(["on": false])
        world.pass(100)
        world.setThing(["on": true])
        world.settle()
        #expect(world.sets.count == 2 && world.isEqual && world.requests.isEmpty)
    }

    @Test func `a lamp that cannot match exactly is accepted on both sides`() {
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

    @Test func `a lamp that settles on another state is adopted`() {
        var world = LinkWorld.inAgreement()
        world.isMute = true
        world.setThing(["brightness": 1])
        world.pass(1000)
        world.isMute = false
        world.pressLamp(["state": "OFF"])
        world.settle()
        #expect(world.thing.data["on"] == false && world.isEqual)
    }

    @Test func `a lamp that does not answer the first state request is reported as silent`() {
        var world = LinkWorld(thing: Self.lit)
        world.isDeaf = true
        world.start()
        var silent = LampLink.Condition()
        silent.isSilent = true
        #expect(world.conditions == [silent] && world.sets.isEmpty)
    }

    @Test func `a command for an offline lamp is sent when it is back`() {
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

    @Test func `a lamp that comes back with another state is adopted`() {
        var world = LinkWorld.inAgreement(thing: ["on": false], lamp: ["state": "OFF"])
        world.setAvailable(false)
        world.settle()
        world.pressLamp(["state": "ON"])
        world.setAvailable(true)
        world.settle()
        #expect(world.thing.data["on"] == true && world.sets.isEmpty)
    }

    @Test func `flapping availability is reported rarely and correctly in the end`() {
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

    @Test func `a flapping lamp changes its thing rarely and correctly in the end`() {
        var world = LinkWorld.inAgreement()
        for count in 0..<1000 {
            world.pressLamp(["state": count.isMultiple(of: 2) ? "OFF" : "ON"])
            world.pass(10)
        }
        world.settle()
        #expect(world.requests.count < 35 && world.sets.isEmpty && world.isEqual)
    }

    @Test func `dragging a slider sends few commands and ends with the last value`() {
        var world = LinkWorld.inAgreement()
        for step in 0..<300 {
            world.setThing(["brightness": .number(Double(step % 100 + 1) / 100)])
            world.pass(10)
        }
        world.settle()
        #expect(world.sets.count < 30 && world.isEqual && world.requests.isEmpty)
    }

    @Test func `reports during the lamp's own transition are not adopted`() {
        var world = LinkWorld.inAgreement { $0.isGradual = true }
        world.setThing(["brightness": 1], over: 4)
        world.pass(2000)
        world.pressLamp(["brightness": 200])
        world.pressLamp(["brightness": 254])
        world.settle()
        #expect(world.sets.map(\.payload) == [#"{"brightness":254,"state":"ON","transition":4}"#])
        #expect(world.requests.isEmpty && world.isEqual)
    }

    @Test func `switching the lamp off during a transition is adopted at once`() {
        var world = LinkWorld.inAgreement()
        world.setThing(["brightness": 1], over: 60)
        world.pass(10_000)
        world.pressLamp(["state": "OFF"])
        world.pass(1000)
        #expect(world.requests == [ThingRequest(attributes: ["state": "OFF"])])
        world.settle()
        #expect(world.isEqual && world.sets.count == 1)
    }

    @Test func `a lamp without transitions receives steps`() throws {
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
        var actions = link.thingSeen(LinkedThing(thing, goal: ThingPatch(level: 1), seconds: 2), at: 1000)
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

    @Test func `a lamp without state reports is assumed to follow its commands`() throws {
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

    @Test func `while the server is away a change of the lamp waits with few requests`() {
        var world = LinkWorld.inAgreement()
        world.isServerAway = true
        world.pressLamp(["state": "OFF"])
        world.pass(60_000)
        #expect((5...14).contains(world.requests.count))
        world.isServerAway = false
        world.settle()
        #expect(world.isEqual)
    }

    @Test func `a thing that refuses its lamp's change is left alone and that is logged once`() {
        var link = LampLink(ZigbeeLamp(topic: "z/l"))
        var thing = FlareThing(id: FlareID(high: 1, low: 1))
        thing.data = ["on": true]
        _ = link.brokerChanged(isUp: true, at: 0)
        _ = link.thingSeen(LinkedThing(thing), at: 0)
        let actions = link.lampSaid(.state(LampState(isOn: false)), on: "z/l", at: 0)
        #expect(actions == [.set(ThingRequest(attributes: ["state": "OFF"]))])
        let answers = link.answered(Refusal(.notSettable, "no"), at: 10)
        #expect(answers == [.log("the thing refused a change of its lamp: no")])
        #expect(link.lampSaid(.state(LampState(isOn: false)), on: "z/l", at: 20).isEmpty)
        #expect(link.nextDue(after: 20) == nil)
    }

    @Test func `a thing that was changed back in the meantime is sent to the lamp`() {
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

    @Test func `a link without its thing does nothing`() {
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
        // When it is back, it adopts the lamp's current state.
        _ = link.lampSaid(.available(true), on: "z/l/availability", at: 30)
        _ = link.lampSaid(.state(LampState(isOn: false)), on: "z/l", at: 30)
        #expect(
            link.thingSeen(LinkedThing(thing), at: 40) == [.set(ThingRequest(attributes: ["state": "OFF"]))]
        )
        thing.data = ["temperature": 6]
        #expect(LinkedThing(thing) == nil, "what is no light has no lamp")
    }
}
