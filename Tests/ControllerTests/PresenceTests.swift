import CommandFixture
import Controller
import Flare
import Testing

@Suite struct PresenceTests {
    private let me = House.homeDevice

    private func inKitchen() -> Rig {
        let rig = Rig.atHome()
        #expect(rig.state.zoneID == House.kitchen)
        return rig
    }

    @Test func `an exit before the enter leaves the zone and then enters the other`() {
        var rig = inKitchen()
        let exit = rig.notice(.exit(zone: House.kitchen, device: me), after: 10_000)
        #expect(exit.eventNames == ["zone exit"])
        #expect(rig.state.zoneID == nil)
        #expect(rig.state.zoneSince == nil)
        let enter = rig.notice(.enter(zone: House.living, device: me), after: 1)
        #expect(enter.eventNames == ["zone enter"])
        #expect(enter.events.first?.slug == "living-room")
        #expect(rig.state.zoneSince == Rig.moment(10_001))
    }

    @Test(arguments: [Int64(0), 499, 500, 60_000])
    func `an exit of the old zone after the enter of the new one is ignored`(delay: Int64) {
        var rig = inKitchen()
        let enter = rig.notice(.enter(zone: House.living, device: me), after: 1000)
        #expect(enter.eventNames == ["zone exit", "zone enter"])
        #expect(rig.notice(.exit(zone: House.kitchen, device: me), after: delay) == [])
        #expect(rig.state.zoneID == House.living)
    }

    @Test func `an exit within half a second after the enter takes effect at the end of that time`() {
        var rig = inKitchen()
        rig.notice(.enter(zone: House.living, device: me), after: 1000)
        #expect(
            rig.notice(.exit(zone: House.living, device: me), after: 200)
                == [.startTimer(.exitCheck, milliseconds: 300)]
        )
        #expect(rig.state.zoneID == House.living)
        #expect(rig.happens(.timerFired(.exitCheck), after: 300).eventNames == ["zone exit"])
        #expect(rig.state.zoneID == nil)
        #expect(rig.happens(.timerFired(.exitCheck)) == [])
    }

    @Test(arguments: [House.living, House.kitchen])
    func `a new enter cancels a pending exit`(zone: FlareID) {
        var rig = inKitchen()
        rig.notice(.enter(zone: House.living, device: me), after: 1000)
        rig.notice(.exit(zone: House.living, device: me), after: 100)
        rig.notice(.enter(zone: zone, device: me), after: 100)
        #expect(rig.happens(.timerFired(.exitCheck), after: 300) == [])
        #expect(rig.state.zoneID == zone)
    }

    @Test func `an exit half a second after the enter takes effect at once`() {
        var rig = inKitchen()
        rig.notice(.enter(zone: House.living, device: me))
        #expect(rig.notice(.exit(zone: House.living, device: me), after: 500).eventNames == ["zone exit"])
    }

    @Test func `a repeated enter is not an event and restarts the half second`() {
        var rig = inKitchen()
        #expect(rig.notice(.enter(zone: House.kitchen, device: me)) == [])
        rig.notice(.exit(zone: House.kitchen, device: me), after: 499)
        #expect(rig.state.zoneID == House.kitchen)
    }

    @Test func `a pending exit does not affect the zone of another environment`() {
        var rig = inKitchen()
        rig.notice(.enter(zone: House.living, device: me))
        rig.notice(.exit(zone: House.living, device: me), after: 100)
        #expect(rig.happens(House.located(20)).contains(.stopTimer(.exitCheck)))
        rig.serve()
        #expect(rig.state.zoneID == House.meeting)
        #expect(rig.happens(.timerFired(.exitCheck), after: 400) == [])
        #expect(rig.state.zoneID == House.meeting)
    }

    @Test func `near and far notices are handled in either order`() {
        var rig = inKitchen()
        #expect(rig.notice(.near(thing: House.lamp, device: me, distance: 1)).eventNames == ["nearby near"])
        #expect(rig.notice(.near(thing: House.lamp, device: me, distance: 1)) == [])
        let other = rig.notice(.near(thing: House.kettle, device: me, distance: 1), after: 5)
        #expect(other.eventNames == ["nearby far", "nearby near"])
        #expect(other.events.map(\.slug) == ["lamp", "kettle"])
        #expect(rig.notice(.far(thing: House.lamp, device: me)) == [])
        #expect(rig.state.nearbyID == House.kettle)
        #expect(rig.state.nearbySince == Rig.moment(5))
        #expect(rig.notice(.far(thing: House.kettle, device: me)).eventNames == ["nearby far"])
        #expect(rig.state.nearbyID == nil)
        #expect(rig.state.nearbySince == nil)
    }

    @Test func `a paired thing stays nearby until another one is near or it is removed`() {
        var configuration = ControllerConfiguration()
        configuration.stayPaired = true
        var rig = Rig.atHome(configuration)
        rig.notice(.near(thing: House.lamp, device: me, distance: 1))
        #expect(rig.notice(.far(thing: House.lamp, device: me)) == [])
        rig.command(.refresh)
        rig.serve()
        #expect(rig.state.nearbyID == House.lamp)
        rig.notice(.near(thing: House.kettle, device: me, distance: 1))
        #expect(rig.state.nearbyID == House.kettle)
        rig.server.things.removeAll { $0.id == House.kettle }
        rig.notice(.modelChanged(ObjectReference(.thing, House.kettle), environment: House.home))
        #expect(rig.serve().eventNames == ["thing removed", "nearby far"])
        #expect(rig.state.nearbyID == nil)
    }

    @Test func `presence notices about other devices are ignored`() {
        var rig = inKitchen()
        rig.notice(.near(thing: House.lamp, device: me, distance: 1))
        let before = rig.state
        let other = House.stranger
        let notices: [FlareNotice] = [
            .enter(zone: House.living, device: other), .exit(zone: House.kitchen, device: other),
            .near(thing: House.kettle, device: other, distance: 1), .far(thing: House.lamp, device: other),
        ]
        for notice in notices { #expect(rig.notice(notice) == []) }
        #expect(rig.state == before)
    }

    @Test func `a notice about an unknown zone or thing reads the environment again`() {
        var rig = inKitchen()
        var cellar = FlareZone(id: House.id(13))
        cellar.name = "Cellar"
        cellar.environment = House.home
        rig.server.zones.append(cellar)
        #expect(
            rig.notice(.enter(zone: cellar.id, device: me)).requests == [.loadPlace(environment: House.home)]
        )
        #expect(rig.serve().eventNames == ["zone added"])
        #expect(rig.state.zone?.name == "Cellar")
        rig.notice(.near(thing: House.id(999), device: me, distance: 1))
        #expect(rig.serve().eventNames == ["nearby far"])
        #expect(rig.state.nearbyID == nil)
    }

    @Test func `removing the current zone leaves it`() {
        var rig = inKitchen()
        rig.server.zones.removeAll { $0.id == House.kitchen }
        rig.notice(.modelChanged(ObjectReference(.zone, House.kitchen), environment: House.home))
        #expect(rig.serve().eventNames == ["zone removed", "zone exit"])
        #expect(rig.state.zoneID == nil)
    }
}
