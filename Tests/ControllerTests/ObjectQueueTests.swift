import CommandFixture
import Controller
import Flare
import JSON
import Testing
import Things

/// The order of changes to one object, and which changes supersede others.
@Suite struct ObjectQueueTests {
    private func values(_ effects: [ControllerEffect]) -> [JSONObject] {
        effects.requests.compactMap { if case .setData(_, let values, _, _) = $0 { values } else { nil } }
    }

    @Test func `rapid sets of one field send only the first and last, the others are superseded`() {
        var rig = Rig.atHome()
        var effects: [ControllerEffect] = []
        for value in 1...5 {
            effects += rig.set(["level": .number(Double(value) / 10)], tx: JSONValue(value))
        }
        #expect(effects.answers.map(\.tx) == [2, 3, 4])
        #expect(effects.codes == [.superseded, .superseded, .superseded])
        let served = rig.serve()
        #expect(served.answers.map(\.tx) == [1, 5])
        #expect(values(effects + served) == [["brightness": 0.1], ["brightness": 0.5]])
        #expect(rig.lamp("brightness") == 0.5)
    }

    @Test func `a waiting set is superseded only by one that covers all of its fields`() {
        var rig = Rig.atHome()
        rig.set(["level": 0.1])
        rig.set(["color": "green", "level": 0.2])
        rig.set(["color": "blue"])
        let third = rig.set(["level": 0.3])
        #expect(third.answers.isEmpty)
        #expect(rig.set(["level": 0.4, "color": "blue"]).codes == [.superseded, .superseded, .superseded])
        #expect(values(rig.serve()) == [["brightness": 0.4, "color": "blue"]])
    }

    @Test func `a toggle keeps its order with all other commands`() {
        var rig = Rig.atHome()
        rig.set(["level": 0.9])
        var effects = rig.set(["state": "OFF"], tx: 1)
        effects += rig.set(["state": "TOGGLE"], tx: 2)
        effects += rig.set(["state": "TOGGLE"], tx: 3)
        effects += rig.set(["state": "ON"], tx: 4)
        effects += rig.set(["state": "ON"], tx: 5)
        #expect(effects.answers.map(\.tx) == [4])
        let served = rig.serve()
        #expect(served.answers.map(\.tx) == [nil, 1, 2, 3, 5])
        #expect(values(served).map { $0["on"] } == [false, true, false, true])
    }

    @Test func `an action keeps its order with other commands`() {
        var rig = Rig.atHome()
        rig.set(["level": 0.1])
        rig.set(["level": 0.5])
        rig.command(.action(.thing("lamp"), name: "lighter"))
        #expect(rig.set(["level": 0.9]).answers.isEmpty)
        #expect(values(rig.serve()) == [["brightness": 0.5], ["brightness": 0.9]])
    }

    @Test func `ON with a colour takes effect after a pending OFF`() {
        var rig = Rig.atHome()
        rig.set(["state": "OFF"])
        rig.set(["state": "ON", "color": "green"])
        rig.serve()
        #expect(rig.lamp("on") == true)
        #expect(rig.lamp("color") == "green")
    }

    @Test func `commands for different things do not wait for each other`() {
        var rig = Rig.atHome()
        rig.set(["state": "OFF"])
        rig.set(["state": "ON"], of: "floor-lamp")
        #expect(rig.asked.count == 2)
    }

    @Test func `a reply that matches no request answers no command`() {
        var rig = Rig.atHome()
        rig.set(["level": 0.1])
        let stray: [FlareRequest] = [
            .setData(House.lampThing, values: ["brightness": 0.7], sender: House.homeDevice),
            .setData(House.floorLampThing, values: ["brightness": 0.1], sender: House.homeDevice),
            .performAction(House.lampThing, action: "lighter", sender: House.homeDevice),
            .renameDevice(House.homeDevice, environment: House.home, name: "x"),
            .setPosition(House.lampThing, .zero, sender: nil),
        ]
        for request in stray { #expect(rig.happens(.flare(.replied(request, .success(.done)))) == []) }
        #expect(rig.serve().codes == [nil])
    }

    @Test func `a reply to another request of the same object ends no job`() {
        var rig = Rig.atHome()
        rig.set(["level": 0.1], tx: "sent")
        rig.set(["level": 0.2], tx: "waiting")
        let others: [FlareRequest] = [
            // Of a job that waits, of another sender, and of another part of the lamp.
            .setData(House.lampThing, values: ["brightness": 0.2], sender: House.homeDevice),
            .setData(House.lampThing, values: ["brightness": 0.1], sender: nil),
            .setPosition(House.lampThing, Point3D(x: 1, y: 1), sender: House.homeDevice),
        ]
        for request in others { #expect(rig.happens(.flare(.replied(request, .success(.done)))) == []) }
        #expect(rig.asked.count == 1)
        #expect(rig.serve().answers.map(\.tx) == ["sent", "waiting"])
    }

    @Test(arguments: [
        (
            ObjectOrder.values(["on": true]),
            FlareRequest.setData(House.lampThing, values: ["on": true], sender: House.homeDevice)
        ),
        (
            .action("boil"),
            .performAction(House.lampThing, action: "boil", sender: House.homeDevice)
        ),
        (
            .position(Point3D(x: 1, y: 2)),
            .setPosition(House.lampThing, Point3D(x: 1, y: 2), sender: House.homeDevice)
        ),
        (
            .name("wall", environment: House.home),
            .renameDevice(House.lamp, environment: House.home, name: "wall")
        ),
    ]) func `each order becomes the request that the Flare server knows`(
        order: ObjectOrder,
        request: FlareRequest
    ) {
        #expect(FlareRequest(order, of: House.lampThing, sender: House.homeDevice) == request)
    }

    @Test func `a lost link refuses each running or waiting command once, and late replies change nothing`() {
        var rig = Rig.atHome()
        rig.set(["level": 0.1])
        rig.set(["color": "blue"])
        rig.set(["state": "ON"], of: "floor-lamp")
        let late = rig.asked
        #expect(rig.lose().codes == Array(repeating: .serverUnreachable, count: 3))
        for request in late { #expect(rig.happens(.flare(.replied(request, .success(.done)))) == []) }
        #expect(rig.lamp("brightness") == 0.5)
        rig.happens(.flare(.linkUp))
        rig.serve()
        rig.set(["level": 0.2])
        #expect(rig.serve().codes == [nil])
    }

    @Test func `leaving the environment refuses waiting commands, while sent ones still get their reply`() {
        var configuration = ControllerConfiguration()
        configuration.allowsDeviceSet = true
        var rig = Rig.atHome(configuration)
        rig.set(["level": 0.1], tx: "running")
        rig.set(["state": "TOGGLE"], tx: "waiting")
        rig.command(.setDevice(.init(position: Point3D(x: 1, y: 1), name: "wall")), tx: "device")
        let left = rig.happens(House.located(20))
        #expect(left.answers.map(\.tx) == ["waiting", "device"])
        #expect(left.codes == [.staleTarget, .staleTarget])
        let served = rig.serve()
        #expect(served.answers.map(\.tx) == ["running"])
        #expect(served.codes == [nil])
        #expect(!served.requests.contains { if case .setPosition = $0 { true } else { false } })
        #expect(rig.state.device?.id == House.officeDevice)
        #expect(rig.state.device?.position == .zero)
    }

    @Test func `a device move confirmed after leaving the environment moves no other device`() {
        var configuration = ControllerConfiguration()
        configuration.allowsDeviceSet = true
        var rig = Rig.atHome(configuration)
        rig.command(.setDevice(.init(position: Point3D(x: 1, y: 1))))
        let running = rig.asked.removeFirst()
        rig.happens(House.located(20))
        rig.serve()
        let effects = rig.happens(.flare(.replied(running, .success(.done))))
        #expect(effects.codes == [nil])
        #expect(rig.state.device?.position == .zero)
        #expect(rig.state.fix == nil)
    }

    @Test func `removing a thing refuses its waiting commands`() {
        var rig = Rig.atHome()
        rig.set(["level": 0.1])
        rig.set(["color": "blue"])
        rig.server.things.removeAll { $0.id == House.lamp }
        rig.notice(.modelChanged(House.lampThing, environment: House.home))
        #expect(rig.serve().codes == [.unknownThing, .unknownThing])
    }

    @Test func `commands are refused when a thousand wait for the same thing`() {
        var rig = Rig.atHome()
        var codes: [RefusalCode?] = []
        for _ in 0..<1003 { codes += rig.set(["state": "TOGGLE"]).codes }
        #expect(codes == [.rateLimited, .rateLimited])
        let answers = rig.serve().answers
        #expect(answers.count == 1001)
        #expect(answers.allSatisfy { $0.refusal == nil })
        #expect(rig.lamp("on") == false)
    }
}
