import CommandFixture
import Controller
import Flare
import JSON
import Testing
import Things

@Suite struct CommandTests {
    @Test func `a set command is sent, confirmed, published and answered`() {
        var rig = Rig.atHome()
        let asked = rig.set(["brightness": 255], tx: "a")
        #expect(
            asked == [.flare(.setData(House.lampThing, values: ["brightness": 1], sender: House.homeDevice))]
        )
        #expect(rig.lamp("brightness") == 0.5)
        let effects = rig.serve()
        #expect(rig.lamp("brightness") == 1)
        #expect(effects.eventNames == ["thing changed"])
        let event = effects.events.first
        #expect(event?.id == House.lamp)
        #expect(event?.slug == "lamp")
        #expect(event?.before == ["brightness": 0.5])
        #expect(event?.after == ["brightness": 1])
        #expect(event?.changed == ["brightness"])
        #expect(event?.cause == .init("command", tx: "a"))
        let answer = effects.answers.first
        #expect(answer?.subject == .set)
        #expect(answer?.target == .init(kind: "thing", slug: "lamp", object: House.lampThing))
        #expect(answer?.tx == "a")
        #expect(answer?.refusal == nil)
        #expect(answer?.accepted.keys == ["brightness"])
        #expect(rig.state.changedAt[House.lampThing] != nil)
    }

    @Test func `setting the same value again succeeds without an event`() {
        var rig = Rig.atHome()
        rig.set(["brightness": "50%"])
        let effects = rig.serve()
        #expect(effects.codes == [nil])
        #expect(effects.events.isEmpty)
    }

    @Test func `a thing is addressed by slug or by identifier in either case`() {
        var server = HouseServer()
        var odd = FlareThing(id: House.id(500))
        odd.name = "aaaaaaaaaaaaaaaaaaaaaaaa"
        odd.environment = House.home
        odd.data = ["on": true]
        server.things.append(odd)
        var rig = Rig.atHome(server: server)
        for name in ["lamp", "\(House.lamp)", "\(House.lamp)".uppercased(), odd.name] {
            rig.set(["state": "OFF"], of: name)
            #expect(rig.serve().codes == [nil], "\(name)")
        }
        let unknown = rig.set(["state": "OFF"], of: "lamb").answers.first
        #expect(unknown?.refusal?.code == .unknownThing)
        #expect(unknown?.refusal?.message.contains("\"lamb\"") == true)
        #expect(rig.set(["state": "OFF"], of: "screen").codes == [.unknownThing])
    }

    @Test func `before the server was reached nobody knows what there is`() {
        var rig = Rig()
        #expect(rig.set(["state": "OFF"]).codes == [.serverUnreachable])
        rig.lose()
        #expect(rig.set(["state": "OFF"]).codes == [.serverUnreachable])
        #expect(rig.command(.chooseEnvironment(.named("home"))).codes == [.serverUnreachable])
        rig.happens(.flare(.linkUp))
        rig.serve()
        #expect(rig.set(["state": "OFF"], of: "lamb").codes == [.unknownThing])
    }

    @Test func `one invalid field rejects the whole set unless the request is partial`() {
        var rig = Rig.atHome()
        let refused = rig.set(["brightness": 10, "colour": "red"])
        #expect(refused.requests.isEmpty)
        #expect(refused.answers.first?.refusal?.field == "colour")
        #expect(refused.answers.first?.rejected == ["colour": .unknownAttribute])
        rig.set(["brightness": 255, "colour": "red"], partial: true)
        let answer = rig.serve().answers.first
        #expect(answer?.refusal == nil)
        #expect(answer?.rejected == ["colour": .unknownAttribute])
        #expect(rig.lamp("brightness") == 1)
    }

    @Test(arguments: [
        (FlareLinkError.timedOut(seconds: 5), RefusalCode.timeout), (.rejected("no"), .serverRejected),
        (.unreachable("gone"), .serverUnreachable), (.unknownObject(House.lampThing), .unknownThing),
    ])
    func `a failed set changes nothing`(error: FlareLinkError, code: RefusalCode) {
        var rig = Rig.atHome()
        rig.set(["brightness": 255])
        let effects = rig.serveOne(.failure(error))
        #expect(effects.codes == [code])
        #expect(effects.answers.first?.accepted == [:])
        #expect(effects.events.isEmpty)
        #expect(rig.lamp("brightness") == 0.5)
        if code == .unknownThing {
            let message = effects.answers.first?.refusal?.message
            #expect(message == "the Flare server knows no thing \(House.lamp) (\"Lamp\")")
        }
        if code == .unknownThing { #expect(effects.requests == [.loadPlace(environment: House.home)]) }
    }

    @Test func `commands that need the server are refused while the link is down`() {
        var rig = Rig.atHome()
        rig.lose()
        #expect(rig.set(["brightness": 1]).codes == [.serverUnreachable])
        #expect(rig.command(.action(.thing("lamp"), name: "lighter")).codes == [.serverUnreachable])
        #expect(rig.command(.refresh).codes == [.serverUnreachable])
        #expect(rig.command(.get(.thing("lamp"))).codes == [nil])
        #expect(rig.command(.ping).codes == [nil])
        #expect(rig.asked.isEmpty)
    }

    @Test func `a command for the nearby thing is refused as stale when another thing is nearby`() {
        var rig = Rig.atHome()
        let request = ThingRequest(attributes: ["state": "OFF"])
        #expect(rig.command(.set(.nearby(ifID: nil), request)).codes == [.noNearbyThing])
        rig.notice(.near(thing: House.lamp, device: House.homeDevice, distance: 1))
        for name in [nil, "lamp", "\(House.lamp)"] {
            rig.command(.set(.nearby(ifID: name), request))
            #expect(rig.serve().answers.first?.target?.slug == "lamp")
        }
        let stale = rig.command(.set(.nearby(ifID: "kettle"), request)).answers.first?.refusal
        #expect(stale?.code == .staleTarget)
        #expect(stale?.field == "if_id")
        let byID = rig.command(.set(.nearby(ifID: "\(House.kettle)"), request)).answers.first?.refusal
        let names = #"lamp ("Lamp") by now, not \#(House.kettle) ("Kettle")"#
        #expect(byID?.message == "the nearby thing is \(names)")
        #expect(stale?.message == #"the nearby thing is lamp ("Lamp") by now, not kettle"#)
        rig.command(.set(.nearby(ifID: nil), ThingRequest(attributes: ["brightness": 3])))
        #expect(rig.serve().eventNames == ["thing changed", "nearby changed"])
    }

    @Test func `an action is performed, published and answered, and causes its changes`() {
        var rig = Rig.atHome()
        rig.command(.action(.thing("lamp"), name: "lighter"), tx: 7)
        let effects = rig.serve()
        #expect(effects.eventNames == ["thing changed", "thing action"])
        #expect(effects.events.allSatisfy { $0.cause == .init("command", tx: 7) })
        #expect(effects.events.last?.details == ["action": "lighter"])
        #expect(effects.answers.first?.accepted == ["action": "lighter", "brightness": 153])
        #expect(rig.lamp("brightness") == 0.6)
        #expect(rig.command(.action(.thing("lamp"), name: "boil")).codes == [.unknownAction])
        #expect(rig.command(.action(.thing("kettle"), name: "boil")).requests.count == 1)
    }

    @Test func `an action that the server would perform differently is stored as values`() {
        var rig = Rig.atHome()
        rig.set(["level": 0.1])
        rig.serve()
        rig.command(.action(.thing("lamp"), name: "darker"))
        #expect(
            rig.asked == [.setData(House.lampThing, values: ["brightness": 0.1], sender: House.homeDevice)]
        )
        let effects = rig.serve()
        #expect(effects.eventNames == ["thing action"])
        #expect(effects.answers.first?.accepted == ["action": "darker", "brightness": 26])
    }

    @Test(arguments: ["set", "toggle", "action"])
    func `switching on restores the last visible brightness after another client stored 0`(way: String) {
        var rig = Rig.atHome()
        rig.server.things[0].data["brightness"] = 0
        rig.notice(.data(House.lampThing, ["brightness": 0], sender: nil))
        #expect(rig.lamp("on") == true && rig.lamp("brightness") == 0)
        switch way {
        case "set": rig.set(["state": "ON"])
        case "toggle": rig.set(["state": "TOGGLE"])
        default: rig.command(.action(.thing("lamp"), name: "on"))
        }
        let answer = rig.serve().answers.first
        #expect(rig.lamp("on") == true && rig.lamp("brightness") == 0.5)
        #expect(answer?.accepted["state"] == "ON" && answer?.accepted["brightness"] == 128)
    }

    @Test func `a brightness of 0 switches off and keeps the brightness for the next on`() {
        var rig = Rig.atHome()
        rig.set(["brightness": 0])
        rig.serve()
        #expect(rig.lamp("on") == false && rig.lamp("brightness") == 0.5)
        rig.set(["state": "TOGGLE"])
        #expect(rig.serve().answers.first?.accepted == ["state": "ON"])
        #expect(rig.lamp("on") == true && rig.lamp("brightness") == 0.5)
    }

    @Test func `a device that is set without a height keeps its height`() {
        var configuration = ControllerConfiguration()
        configuration.allowsDeviceSet = true
        var rig = Rig.atHome(configuration)
        rig.command(.setDevice(.init(position: Point3D(x: 1, y: 1, z: 4))))
        rig.serve()
        rig.command(.setDevice(.init(position: Point3D(x: 6, y: 2), keepsHeight: true)))
        let answers = rig.serve().answers
        #expect(rig.state.device?.position == Point3D(x: 6, y: 2, z: 4))
        #expect(answers.first?.accepted["position"] == ["x": 6, "y": 2, "z": 4])
        rig.command(.setDevice(.init(position: Point3D(x: 6, y: 2))))
        rig.serve()
        #expect(rig.state.device?.position == Point3D(x: 6, y: 2))
    }

    @Test func `a device set sends name, angle and position in order and gets one answer`() {
        var configuration = ControllerConfiguration()
        configuration.allowsDeviceSet = true
        var rig = Rig.atHome(configuration)
        let change = SetDevice(position: Point3D(x: 6, y: 2), angle: 90, name: "wall")
        rig.command(.setDevice(change), tx: "d")
        let device = ObjectReference(.device, House.homeDevice)
        var requests = rig.asked
        var effects: [ControllerEffect] = []
        while !rig.asked.isEmpty {
            #expect(rig.asked.count == 1)
            let new = rig.serveOne()
            requests += new.requests
            effects += new
        }
        #expect(
            requests == [
                .renameDevice(House.homeDevice, environment: House.home, name: "wall"),
                .setData(device, values: ["angle": 90], sender: House.homeDevice),
                .setPosition(device, Point3D(x: 6, y: 2), sender: House.homeDevice),
            ]
        )
        #expect(
            effects.eventNames == [
                "device changed", "device turned", "nearby near", "zone exit", "zone enter", "device moved",
            ]
        )
        #expect(effects.codes == [nil])
        #expect(effects.answers.first?.accepted.keys.sorted() == ["angle", "name", "position"])
        #expect(rig.state.device?.name == "wall")
        #expect(rig.state.angle == 90)
        #expect(rig.state.device?.position == Point3D(x: 6, y: 2))
        #expect(rig.state.fix?.source == "command")
    }

    @Test func `a failure cancels the rest of a device set`() {
        var configuration = ControllerConfiguration()
        configuration.allowsDeviceSet = true
        var rig = Rig.atHome(configuration)
        rig.command(.setDevice(.init(position: .zero, angle: 90)))
        #expect(rig.serveOne(.failure(.rejected("no"))).codes == [.serverRejected])
        #expect(rig.asked.isEmpty)
    }

    @Test func `a device set is refused unless the configuration allows it`() {
        var rig = Rig.atHome()
        #expect(rig.command(.setDevice(.init(angle: 90))).codes == [.notAllowed])
    }

    @Test func `each request has its effect and is answered on its own topic`() {
        var rig = Rig.atHome()
        #expect(rig.command(.snapshot).first == .resendState)
        #expect(rig.command(.logLevel("debug")).first == .setLogLevel("debug"))
        #expect(rig.command(.logLevel("debug")).answers.first?.subject == .verb("loglevel"))
        #expect(rig.command(.ping).answers.first?.subject == .verb("ping"))
        #expect(rig.command(.get(.thing("lamp"))).answers.first?.subject == .get)
    }

    @Test func `concurrent reloads read the configuration once and are answered after that`() {
        var rig = Rig.atHome()
        #expect(rig.command(.reload) == [.readConfiguration])
        #expect(rig.command(.reload) == [])
        let bad = rig.happens(.configurationRead(problem: "no such key"))
        #expect(bad.codes == [.invalidValue, .invalidValue])
        #expect(rig.state.alerts["configuration"]?.message.contains("no such key") == true)
        rig.command(.reload)
        let good = rig.happens(.configurationRead(problem: nil))
        #expect(good.codes == [nil])
        #expect(good.last == .rebuild)
        #expect(rig.state.alerts.isEmpty)
    }

    @Test func `a restart is answered before the program ends`() {
        var rig = Rig.atHome()
        let effects = rig.command(.restart)
        #expect(effects.codes == [nil])
        #expect(effects.answers.first?.subject == .verb("restart"))
        #expect(effects.last == .restart)
    }

    @Test func `a refresh is answered only by a read that was requested after it`() {
        var rig = Rig.atHome()
        rig.notice(.modelChanged(House.lampThing, environment: House.home))
        rig.command(.refresh)
        rig.server.things[0].name = "Other"
        #expect(rig.asked.filter { $0 == .loadPlace(environment: House.home) }.count == 1)
        #expect(rig.serveOne().answers.isEmpty, "the read was requested before the refresh")
        #expect(rig.serve().codes == [nil])
        #expect(rig.state.things[House.lamp]?.name == "Other")
    }

    @Test func `pending commands are refused with a timeout when the daemon stops`() {
        var rig = Rig.atHome()
        rig.set(["brightness": 1])
        rig.set(["brightness": 2])
        rig.command(.chooseEnvironment(.next))
        rig.command(.refresh)
        rig.command(.reload)
        let effects = rig.happens(.stopBegun)
        #expect(effects.eventNames == ["bridge stopping"])
        #expect(effects.codes == Array(repeating: .timeout, count: 5))
        #expect(rig.serve().answers.isEmpty)
    }
}
