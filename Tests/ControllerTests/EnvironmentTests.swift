import CommandFixture
import Controller
import Flare
import JSON
import Testing
import Things

@Suite struct EnvironmentTests {
    private func started(saved: FlareID? = nil, at degrees: Double? = nil, gps: Bool = true) -> Rig {
        var memory = PersistedState()
        memory.environment = saved
        memory.sensors = [.gps: gps]
        var rig = Rig(memory: memory)
        if let degrees { rig.happens(House.located(degrees)) }
        rig.happens(.flare(.linkUp))
        rig.serve()
        return rig
    }

    @Test func `the first environment by name is selected by default`() {
        #expect(started().state.environmentID == House.home)
    }

    @Test func `the saved environment is selected unless it no longer exists`() {
        #expect(started(saved: House.office).state.environmentID == House.office)
        #expect(started(saved: House.id(9)).state.environmentID == House.home)
    }

    @Test func `a GPS location takes precedence over the saved environment while GPS is on`() {
        #expect(started(saved: House.office, at: 30).state.environmentID == House.studio)
        #expect(started(saved: House.office, at: 50).state.environmentID == House.office)
        #expect(started(saved: House.office, at: 30, gps: false).state.environmentID == House.office)
    }

    @Test func `the nearest of several matching geofences decides`() {
        var server = HouseServer()
        for index in server.environments.indices {
            server.environments[index].geofence?.centre = GeoPoint(
                latitude: 10 + Double(index) * 0.0001,
                longitude: 10
            )
            server.environments[index].geofence?.radiusMetres = 1000
        }
        var rig = Rig(server: server)
        rig.happens(.located(Location(point: GeoPoint(latitude: 10.0001, longitude: 10))))
        rig.happens(.flare(.linkUp))
        rig.serve()
        #expect(rig.state.environmentID == server.environments[1].id)
    }

    @Test func `entering another geofence selects its environment and causes an event`() {
        var rig = Rig.atHome()
        let effects = rig.happens(House.located(20))
        #expect(effects.eventNames == ["environment selected"])
        #expect(effects.events.first?.cause == .init("gps"))
        #expect(effects.events.first?.before == .string("\(House.home)"))
        #expect(effects.events.first?.after == .string("\(House.office)"))
        #expect(rig.state.environmentID == House.office)
    }

    @Test func `a manual selection holds until another geofence is entered`() {
        var rig = started(at: 10)
        rig.command(.chooseEnvironment(.named("studio")))
        rig.serve()
        rig.happens(.located(Location(point: GeoPoint(latitude: 10.0001, longitude: 10))))
        #expect(rig.state.environmentID == House.studio)
        rig.happens(House.located(20))
        #expect(rig.state.environmentID == House.office)
    }

    @Test func `leaving and re-entering a geofence selects its environment again`() {
        var rig = started(at: 10)
        rig.happens(House.located(50))
        rig.command(.chooseEnvironment(.named("studio")))
        rig.serve()
        rig.happens(House.located(10))
        #expect(rig.state.environmentID == House.home)
    }

    @Test func `an invalid location or a disabled GPS selects nothing`() {
        var rig = Rig.atHome()
        for degrees in [Double.nan, .infinity, 200] {
            #expect(rig.happens(House.located(degrees)).isEmpty)
        }
        rig.command(.switchSensor(.gps, on: false))
        rig.happens(House.located(20))
        #expect(rig.state.environmentID == House.home)
        #expect(rig.state.location == nil)
    }

    @Test func `next and previous cycle through the environments by name`() {
        var rig = Rig.atHome()
        var names: [String?] = []
        for choice: ChooseEnvironment in [.next, .next, .next, .previous, .previous, .previous] {
            rig.command(.chooseEnvironment(choice))
            rig.serve()
            names.append(rig.state.environment?.name)
        }
        #expect(names == ["Office", "Studio", "Home", "Studio", "Office", "Home"])
    }

    @Test func `a second next counts from the pending selection`() {
        var rig = Rig.atHome()
        rig.command(.chooseEnvironment(.next))
        let second = rig.command(.chooseEnvironment(.next))
        #expect(second.codes == [.superseded])
        let served = rig.serve()
        #expect(served.codes == [nil])
        #expect(rig.state.environmentID == House.studio)
    }

    @Test func `an environment is selected, saved and published once its zones and things are read`() {
        var rig = Rig.atHome()
        let asked = rig.command(.chooseEnvironment(.named("office")), tx: "t")
        #expect(asked == [.flare(.loadPlace(environment: House.office))])
        #expect(rig.state.environmentID == House.home)
        let effects = rig.serveOne()
        #expect(
            effects.requests == [
                .unsubscribe(environment: House.home), .subscribe(environment: House.office),
                .loadPlace(environment: House.office),
                .loadDevice(House.officeDevice, environment: House.office),
            ]
        )
        #expect(effects.contains(.remember(.environment(House.office))))
        #expect(effects.contains(.trackBeacons(nil)))
        #expect(effects.events.map(\.cause) == [.init("command", tx: "t")])
        #expect(effects.answers.first?.target == .init(kind: "environment", slug: "office"))
        #expect(effects.answers.first?.tx == "t")
        #expect(effects.codes == [nil])
        #expect(Set(rig.state.things.keys) == [House.screen])
        rig.serve()
        #expect(rig.state.device?.id == House.officeDevice)
    }

    @Test(arguments: [FlareLinkError.timedOut(seconds: 5), .rejected("no"), .unreachable("gone")])
    func `an environment whose zones and things cannot be read is not selected`(error: FlareLinkError) {
        var rig = Rig.atHome()
        let before = rig.state
        rig.command(.chooseEnvironment(.named("office")))
        let effects = rig.serveOne(.failure(error))
        #expect(effects.answers.count == 1)
        #expect(effects.answers.first?.refusal != nil)
        #expect(rig.state == before)
    }

    @Test func `selecting the current environment succeeds at once and cancels a pending selection`() {
        var rig = Rig.atHome()
        #expect(rig.command(.chooseEnvironment(.named("home"))).codes == [nil])
        rig.command(.chooseEnvironment(.named("\(House.office)")))
        #expect(rig.command(.chooseEnvironment(.named("\(House.home)"))).codes == [.superseded, nil])
        rig.serve()
        #expect(rig.state.environmentID == House.home)
    }

    @Test func `selecting an environment that was removed meanwhile is refused`() {
        var rig = Rig.atHome()
        rig.server.environments.removeAll { $0.id == House.office }
        rig.command(.chooseEnvironment(.named("office")))
        #expect(rig.serve().codes == [.unknownEnvironment])
        #expect(rig.state.environmentID == House.home)
    }

    @Test(arguments: ["Office", "OFFICE", "office"])
    func `an environment is selected by its name in any case`(name: String) {
        var rig = Rig.atHome()
        rig.command(.chooseEnvironment(.named(name)))
        #expect(rig.serve().answers.first?.accepted == ["environment": "office"])
        #expect(rig.state.environmentID == House.office)
    }

    @Test func `an ambiguous environment name is refused with the matching slugs`() {
        var server = HouseServer()
        for index in server.environments.indices where server.environments[index].id != House.home {
            server.environments[index].name = "Elsewhere"
        }
        var rig = Rig.atHome(server: server)
        let refusal = rig.command(.chooseEnvironment(.named("elsewhere"))).answers.first?.refusal
        #expect(refusal == nil, "it is a slug")
        let other = rig.command(.chooseEnvironment(.named("Elsewhere"))).answers.first?.refusal
        #expect(other?.code == .unknownEnvironment && other?.field == "environment")
        #expect(other?.message.hasSuffix("choose one by its short name: elsewhere, elsewhere-2") == true)
    }

    @Test func `an environment selection is refused for an unknown name or while the link is down`() {
        var rig = Rig.atHome()
        let unknown = rig.command(.chooseEnvironment(.named("moon"))).answers.first?.refusal
        #expect(unknown?.code == .unknownEnvironment)
        #expect(unknown?.message == "no environment \"moon\"; legal: next, previous, home, office, studio")
        rig.lose()
        #expect(rig.command(.chooseEnvironment(.next)).codes == [.serverUnreachable])
        #expect(rig.state.environmentID == House.home)
    }

    @Test func `replies for an environment that is no longer current are ignored`() {
        var rig = Rig.atHome()
        rig.happens(House.located(20))
        let late: [(FlareRequest, FlareReply)] = [
            (.loadPlace(environment: House.home), .place(zones: House.zones, things: House.things)),
            (
                .loadDevice(House.homeDevice, environment: House.home),
                .device(House.device(House.homeDevice, in: House.home))
            ),
            (.loadDevice(House.homeDevice, environment: House.home), .device(nil)),
            (
                .loadPresence(device: House.homeDevice, environment: House.home, position: .zero),
                .presence(zone: House.kitchen, nearest: House.lamp)
            ),
        ]
        let before = rig.state
        for (request, reply) in late {
            #expect(rig.happens(.flare(.replied(request, .success(reply)))) == [])
        }
        #expect(rig.state == before)
        rig.happens(.flare(.replied(.loadPlace(environment: House.home), .failure(.timedOut(seconds: 1)))))
        #expect(rig.state.alerts.isEmpty)
    }

    @Test func `the first environment by name replaces a removed one`() {
        var rig = Rig.atHome()
        rig.server.environments.removeAll { $0.id == House.home }
        rig.notice(.modelChanged(ObjectReference(.environment, House.home), environment: House.home))
        let effects = rig.serve()
        #expect(effects.eventNames == ["environment removed", "environment selected"])
        #expect(rig.state.environmentID == House.office)
        rig.server.environments = []
        rig.notice(.modelChanged(ObjectReference(.environment, House.office), environment: House.office))
        let last = rig.serve()
        #expect(last.eventNames == ["environment removed", "environment removed", "environment selected"])
        #expect(rig.state.environmentID == nil)
        #expect(rig.state.things.isEmpty)
        #expect(rig.state.device == nil)
    }

    @Test func `an environment that changed as a whole is read with its zones and things`() {
        var rig = Rig.atHome()
        for index in rig.server.things.indices { rig.server.things[index].name += " II" }
        rig.notice(.modelChanged(ObjectReference(.environment, House.home), environment: House.home))
        rig.serve()
        #expect(rig.state.things[House.lamp]?.name.hasSuffix(" II") == true)
        #expect(rig.state.alerts.isEmpty)
    }

    // MARK: Slugs of removed objects

    private static func cleared(_ kind: FlareClass, _ slugs: String...) -> ControllerEvent {
        .topicsCleared(slugs.map { ObjectName(kind, $0) })
    }

    @Test func `the slug of a removed object is released once its topics are empty`() {
        var rig = Rig.atHome()
        #expect(rig.happens(Self.cleared(.thing, "lamp", "nobody")) == [], "the thing still exists")
        rig.server.things.removeAll { $0.id == House.lamp }
        rig.notice(.modelChanged(House.lampThing, environment: House.home))
        #expect(rig.serve().eventNames == ["thing removed"])
        #expect(rig.state.slugs[.thing, House.lamp] == "lamp", "its topics are not empty yet")
        #expect(rig.happens(Self.cleared(.thing, "lamp")) == [.remember(.slugForgotten(House.lampThing))])
        #expect(rig.state.slugs[.thing, House.lamp] == nil)
    }

    @Test func `creating, changing or removing one thing does not reload its environment`()
        throws
    {
        var rig = Rig.atHome()
        var thing = try #require(rig.state.things[House.kettle])
        thing.name = "Tea kettle"
        let change = FlareNotice.thingChanged(thing.id, thing, environment: House.home)
        let renamed = rig.notice(change)
        #expect(renamed.eventNames == ["thing changed"] && renamed.requests.isEmpty)
        #expect(rig.state.things[House.kettle]?.name == "Tea kettle")
        #expect(rig.notice(change) == [], "nothing has changed")
        var new = thing
        new.id = House.id(150)
        new.name = "Radio"
        #expect(rig.notice(.thingChanged(new.id, new, environment: House.home)).eventNames == ["thing added"])
        #expect(rig.state.slugs[.thing, new.id] == "radio")
        let removed = rig.notice(.thingChanged(thing.id, nil, environment: House.home))
        #expect(removed.eventNames == ["thing removed"] && removed.requests.isEmpty)
        #expect(rig.state.things[House.kettle] == nil)
        #expect(rig.notice(.thingChanged(House.screen, nil, environment: House.office)) == [])
    }

    @Test func `moving a thing that has a beacon updates the tracked position`() throws {
        var rig = Rig.atHome()
        var lamp = try #require(rig.state.things[House.lamp])
        lamp.position = Point3D(x: 3, y: 3)
        let effects = rig.notice(.thingChanged(lamp.id, lamp, environment: House.home))
        let tracked = effects.compactMap { if case .trackBeacons(let place) = $0 { place } else { nil } }
        #expect(tracked.first?.things.first { $0.id == House.lamp }?.position == lamp.position)
        var kettle = try #require(rig.state.things[House.kettle])
        kettle.description = "for tea"
        #expect(
            !rig.notice(.thingChanged(kettle.id, kettle, environment: House.home))
                .contains { if case .trackBeacons = $0 { true } else { false } }
        )
    }

    @Test func `an object keeps its slug while another environment is current, until its own is removed`() {
        var rig = Rig.atHome()
        rig.happens(House.located(20))
        rig.serve()
        #expect(rig.state.environmentID == House.office)
        #expect(rig.happens(Self.cleared(.thing, "lamp", "kettle")) == [])
        #expect(rig.happens(Self.cleared(.environment, "home")) == [])
        rig.server.environments.removeAll { $0.id == House.home }
        rig.notice(.modelChanged(ObjectReference(.environment, House.home), environment: nil))
        rig.serve()
        let forgotten =
            rig.happens(Self.cleared(.thing, "lamp")) + rig.happens(Self.cleared(.environment, "home"))
        #expect(
            forgotten == [
                .remember(.slugForgotten(House.lampThing)),
                .remember(.slugForgotten(ObjectReference(.environment, House.home))),
            ]
        )
    }

    @Test func `a new object may reuse the slug of a removed one`() {
        var memory = PersistedState()
        memory.environment = House.home
        let old = ObjectReference(.thing, House.id(900))
        memory.slugs.restore("lamp", for: old, home: House.home)
        var rig = Rig(memory: memory)
        rig.happens(.flare(.linkUp))
        rig.serve()
        #expect(rig.state.slugs[.thing, House.lamp] == "lamp")
        #expect(rig.state.slugs[.thing, old.id] == nil)
        #expect(rig.happens(Self.cleared(.thing, "lamp")) == [])
    }

    @Test func `a rename changes the name but not the slug`() {
        var rig = Rig.atHome()
        rig.server.environments[1].name = "Zuhause"
        rig.notice(.modelChanged(ObjectReference(.environment, House.home), environment: House.home))
        let effects = rig.serve()
        #expect(effects.eventNames == ["environment changed"])
        #expect(effects.events.first?.slug == "home")
        #expect(effects.events.first?.before == ["name": "Home"])
        #expect(effects.events.first?.after == ["name": "Zuhause"])
        #expect(effects.events.first?.changed == ["name"])
        #expect(rig.state.environmentID == House.home)
    }
}
