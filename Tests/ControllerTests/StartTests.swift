import CommandFixture
import Controller
import Flare
import JSON
import Testing

@Suite struct StartTests {
    private let draft = DeviceDraft(name: "trilateral", description: "", data: [:])

    @Test func `the first start selects an environment, subscribes, reads and creates a device, in order`() {
        var rig = Rig()
        #expect(rig.happens(.flare(.linkUp)).besidesLifecycle == [.flare(.loadEnvironments(near: nil))])
        #expect(
            rig.serveOne() == [
                .remember(.slug("home", ObjectReference(.environment, House.home), home: nil)),
                .remember(.slug("office", ObjectReference(.environment, House.office), home: nil)),
                .remember(.slug("studio", ObjectReference(.environment, House.studio), home: nil)),
                .trackBeacons(nil),
                .remember(.environment(House.home)),
                .flare(.subscribe(environment: House.home)),
                .flare(.loadPlace(environment: House.home)),
                .flare(.createDevice(draft, environment: House.home)),
            ]
        )
        #expect(rig.serveOne() == [])
        let place = rig.serveOne()
        let slugs = ["kitchen", "living-room", "lamp", "floor-lamp", "kettle"]
        #expect(
            place.prefix(5).map {
                if case .remember(.slug(let slug, _, House.home)) = $0 { slug } else { "" }
            } == slugs
        )
        guard place.count == 7, case .trackBeacons(let tracked?) = place[5] else {
            Issue.record("beacons are not tracked: \(place)")
            return
        }
        #expect(place[6] == .flare(.loadPlace(environment: House.office)))
        #expect(tracked.environment.id == House.home)
        #expect(tracked.zones.map(\.id) == [House.kitchen, House.living])
        #expect(tracked.things.map(\.id) == [House.lamp, House.floorLamp, House.kettle])
        let made = House.id(1001)
        #expect(
            rig.serveOne().besidesLifecycle == [
                .remember(.device(made, environment: House.home)),
                .flare(.loadPresence(device: made, environment: House.home, position: .zero)),
            ]
        )
        let elsewhere = ["meeting", "screen"]
        #expect(
            rig.serveOne().map {
                if case .remember(.slug(let slug, _, House.office)) = $0 { slug } else { "" }
            }.prefix(2) == elsewhere[...]
        )
        rig.serve()
        #expect(rig.state.zoneID == House.kitchen)
        #expect(rig.state.nearbyID == nil)
        #expect(rig.state.device?.id == made)
        #expect(rig.effects.events.isEmpty, "the start causes no event")
    }

    @Test func `a restart with saved state saves nothing and creates nothing`() {
        var first = Rig()
        first.happens(.flare(.linkUp))
        first.serve()
        var memory = PersistedState()
        for effect in first.effects {
            switch effect {
            case .remember(.environment(let id)): memory.environment = id
            case .remember(.device(let id, let environment)): memory.devices[environment] = id
            case .remember(.slug(let slug, let object, let home)):
                memory.slugs.restore(slug, for: object, home: home)
            case .remember(.slugForgotten(let object)): memory.slugs.forget(object)
            case .remember(.sensor(let kind, let on)): memory.sensors[kind] = on
            case .remember(.position(let position, let environment)): memory.positions[environment] = position
            default: break
            }
        }
        var rig = Rig(memory: memory, server: first.server)
        rig.happens(.flare(.linkUp))
        let effects = rig.serve()
        #expect(!effects.besidesLifecycle.contains { if case .remember = $0 { true } else { false } })
        #expect(effects.requests.contains(.loadDevice(House.id(1001), environment: House.home)))
        #expect(rig.server.devices.count == 3)
        #expect(rig.state.device?.id == House.id(1001))
        #expect(effects.events.isEmpty)
    }

    @Test func `the presence at the start is not an event, later differences are`() {
        var server = HouseServer()
        server.devices[0].position = Point3D(x: 2, y: 2)
        server.devices[0].nearest = House.lamp
        var rig = Rig.atHome(server: server)
        #expect(rig.state.nearbyID == House.lamp)
        #expect(rig.state.zoneID == House.kitchen)
        #expect(rig.state.zoneSince == Rig.moment(0))
        rig.server.devices[0].nearest = nil
        rig.server.devices[0].position = House.outside
        let effects = rig.command(.refresh) + rig.serve()
        #expect(effects.eventNames == ["device moved", "zone exit", "nearby far"])
    }

    @Test func `a server without an environment raises an alert until there is one`() {
        var server = HouseServer()
        server.environments = []
        var rig = Rig(server: server)
        rig.happens(.flare(.linkUp))
        rig.serve()
        #expect(rig.state.alerts["no-environment"] != nil)
        #expect(rig.state.environmentID == nil)
        rig.server.environments = House.environments
        rig.notice(.modelChanged(ObjectReference(.environment, House.home), environment: House.home))
        rig.serve()
        #expect(rig.state.alerts.isEmpty)
        #expect(rig.state.environmentID == House.home)
        #expect(rig.state.isPlaceKnown)
    }

    @Test func `a failed read raises an alert and is retried until it succeeds`() {
        var rig = Rig()
        rig.happens(.flare(.linkUp))
        let failed = rig.serveOne(.failure(.timedOut(seconds: 5)))
        #expect(failed == [.startTimer(.readAgain, milliseconds: 10_000)])
        #expect(rig.state.alerts["flare-load"]?.message.contains("within 5.0 s") == true)
        rig.happens(.timerFired(.readAgain), after: 10_000)
        #expect(rig.state.alerts["flare-load"] != nil)
        let read = rig.serve()
        #expect(rig.state.alerts.isEmpty)
        #expect(read.contains(.stopTimer(.readAgain)))
        #expect(rig.state.isPlaceKnown)
    }

    @Test(arguments: [1, 2, 3, 5]) func `a failure of any read is recovered by the retry`(index: Int) {
        var rig = Rig()
        rig.happens(.flare(.linkUp))
        for _ in 0..<index { rig.serveOne() }
        rig.serveOne(.failure(.rejected("no")))
        rig.serve()
        #expect(rig.state.alerts["flare-load"] != nil)
        rig.happens(.timerFired(.readAgain), after: 10_000)
        rig.serve()
        #expect(rig.state.alerts.isEmpty)
        #expect(rig.state.isPlaceKnown)
        #expect(rig.state.device != nil)
        #expect(rig.state.zoneID == House.kitchen)
    }

    @Test func `a reply of the wrong kind is a failure`() {
        var rig = Rig()
        rig.happens(.flare(.linkUp))
        rig.serveOne(.success(.done))
        #expect(rig.state.alerts["flare-load"] != nil)
    }

    @Test func `a restored link reads everything again and publishes the differences`() {
        var rig = Rig.atHome()
        let lost = rig.lose()
        #expect(lost.eventNames == ["bridge link"])
        #expect(lost.events.last?.details == ["link": "flare", "up": false])
        #expect(
            rig.state.alerts["flare-link"]?.message
                == "The Flare server cannot be reached: gone. Trying again."
        )
        #expect(rig.controller.removeChanges() == [.link, .lifecycle, .alert("flare-link")])
        rig.lose()
        rig.server.things[0].data["brightness"] = 0.9
        let found = rig.happens(.flare(.linkUp), after: 5000)
        #expect(
            found.requests == [
                .loadEnvironments(near: nil), .subscribe(environment: House.home),
                .loadPlace(environment: House.home), .loadDevice(House.homeDevice, environment: House.home),
            ]
        )
        #expect(rig.state.alerts.isEmpty)
        let served = rig.serve()
        #expect(found.eventNames + served.eventNames == ["bridge link", "thing changed"])
        #expect(served.events.last?.before == ["data": ["brightness": 0.5]])
        #expect(served.events.last?.after == ["data": ["brightness": 0.9]])
        #expect(served.events.last?.changed == ["data"])
    }

    @Test func `a link that was never up raises an alert without an event`() {
        var rig = Rig()
        #expect(rig.lose().besidesLifecycle == [])
        #expect(rig.state.alerts["flare-link"] != nil)
        #expect(rig.happens(.flare(.linkUp)).events.isEmpty)
    }
}
