import CommandFixture
import Controller
import Flare
import JSON
import Testing
import Things

/// The last place of an earlier run, shown while the server cannot be reached.
@Suite struct RememberedPlaceTests {
    private static var memory: PersistedState {
        var memory = PersistedState()
        memory.environment = House.home
        memory.devices = [House.home: House.homeDevice, House.office: House.officeDevice]
        return memory
    }

    private static var place: RememberedPlace {
        RememberedPlace(
            environments: House.environments,
            environment: House.home,
            zones: House.zones.filter { $0.environment == House.home },
            things: House.things.filter { $0.environment == House.home },
            device: House.device(House.homeDevice, in: House.home, zone: House.kitchen)
        )
    }

    /// A controller that found no server and shows the place.
    private func showing(_ place: RememberedPlace = Self.place, server: HouseServer = HouseServer()) -> Rig {
        var rig = Rig(memory: Self.memory, presence: .steady(.init()), server: server)
        rig.happens(.flare(.linkDown(reason: "off")))
        _ = rig.controller.removeChanges()
        rig.happens(.placeRemembered(place))
        return rig
    }

    @Test func `it is shown as stale, without events and without a position`() {
        var rig = showing()
        #expect(rig.state.isStale && rig.state.isPlaceKnown && !rig.state.isLinkUp)
        #expect(rig.state.environmentID == House.home && rig.state.environments.count == 3)
        #expect(rig.state.zones.count == 2 && rig.state.things.count == 3)
        #expect(rig.state.device?.id == House.homeDevice && rig.state.device?.position == nil)
        #expect(rig.state.zoneID == nil && rig.state.nearbyID == nil)
        #expect(rig.effects.events.isEmpty)
        let changes = rig.controller.removeChanges()
        #expect(changes.contains(.object(House.lampThing)) && changes.contains(.environment))
    }

    @Test func `commands are refused, because the server cannot be reached`() {
        var rig = showing()
        #expect(rig.set(["color": "green"]).codes == [.serverUnreachable])
        #expect(rig.command(.chooseEnvironment(.named("office"))).codes == [.serverUnreachable])
        #expect(rig.lamp("color") == "red")
    }

    @Test func `the live place replaces it without an event, and without what is gone`() {
        var server = HouseServer()
        server.things.removeAll { $0.id == House.kettle }
        server.things = server.things.map { thing in
            var thing = thing
            if thing.id == House.lamp { thing.data["color"] = "violet" }
            return thing
        }
        var rig = showing(server: server)
        _ = rig.controller.removeChanges()
        rig.happens(.flare(.linkUp))
        // Until the place is read it stays as it is; what differs from it meanwhile is no event.
        rig.notice(.data(House.lampThing, ["color": "blue"], sender: nil))
        #expect(rig.state.isStale)
        rig.serve()
        #expect(!rig.state.isStale && rig.state.things.count == 2 && rig.lamp("color") == "violet")
        #expect(rig.effects.events.isEmpty)
        let changes = rig.controller.removeChanges()
        // All of it: nothing says "stale" any more.
        for id in [House.lamp, House.floorLamp, House.kettle] {
            #expect(changes.contains(.object(ObjectReference(.thing, id))))
        }
        for id in [House.home, House.office, House.studio] {
            #expect(changes.contains(.object(ObjectReference(.environment, id))))
        }
        // From now on changes are events again.
        #expect(
            rig.notice(.data(House.lampThing, ["color": "red"], sender: nil)).eventNames == ["thing changed"]
        )
    }

    @Test func `an environment that is gone is left without an event`() {
        var server = HouseServer()
        server.environments.removeAll { $0.id == House.home }
        var rig = showing(server: server)
        rig.happens(.flare(.linkUp))
        rig.serve()
        #expect(!rig.state.isStale && rig.state.environmentID == House.office && rig.state.isPlaceKnown)
        #expect(rig.effects.events.isEmpty)
        #expect(rig.state.environments.count == 2)
    }

    @Test func `a server without environments leaves nothing of it`() {
        var server = HouseServer()
        server.environments = []
        var rig = showing(server: server)
        rig.happens(.flare(.linkUp))
        rig.serve()
        #expect(!rig.state.isStale && rig.state.environmentID == nil && rig.state.things.isEmpty)
        #expect(rig.effects.events.isEmpty)
    }

    @Test func `a device that is gone is made anew, without an event`() {
        var server = HouseServer()
        server.devices = []
        var rig = showing(server: server)
        rig.happens(.flare(.linkUp))
        rig.serve()
        #expect(rig.state.device?.id == House.id(1001) && rig.effects.events.isEmpty)
    }

    @Test func `after the server was reached it is not shown any more`() {
        var rig = Rig(memory: Self.memory)
        rig.happens(.flare(.linkUp))
        rig.lose()
        rig.happens(.placeRemembered(Self.place))
        #expect(!rig.state.isStale && rig.state.environmentID == nil)
    }

    @Test func `a place without its environment is not shown`() {
        var place = Self.place
        place.environment = House.stranger
        #expect(showing(place).state.environmentID == nil)
    }

    @Test func `the device of another memory is not shown`() {
        var place = Self.place
        place.device = House.device(House.stranger, in: House.home)
        #expect(showing(place).state.device == nil)
    }
}
