import CommandFixture
import Controller
import Flare
import People
import Testing

/// Slugs of what is in other environments.
struct ElsewhereTests {
    private func slug(_ rig: Rig, _ id: FlareID, _ kind: FlareClass = .thing) -> String? {
        rig.state.slugs[kind, id]
    }

    private func thing(_ number: UInt32, _ name: String, in environment: FlareID) -> FlareThing {
        var thing = FlareThing(id: House.id(number))
        (thing.name, thing.environment, thing.zone) = (name, environment, House.meeting)
        return thing
    }

    @Test func `objects of environments that were never chosen have slugs after the start`() {
        var rig = Rig()
        rig.happens(.flare(.linkUp))
        let effects = rig.serve()
        #expect(rig.state.environmentID == House.home)
        #expect(slug(rig, House.screen) == "screen" && slug(rig, House.meeting, .zone) == "meeting")
        #expect(rig.state.things[House.screen] == nil)
        let record = ControllerEffect.PersistedRecord.slug(
            "screen",
            ObjectReference(.thing, House.screen),
            home: House.office
        )
        #expect(effects.contains(.remember(record)))
        #expect(effects.events.isEmpty)
        #expect(!rig.controller.removeChanges().contains(.object(ObjectReference(.thing, House.screen))))
    }

    @Test func `a thing that is made here does not get the name of one that is elsewhere`() {
        var rig = Rig.atHome()
        var made = thing(500, "Screen", in: House.home)
        made.zone = House.kitchen
        rig.server.things.append(made)
        rig.notice(.thingChanged(made.id, made, environment: House.home))
        #expect(slug(rig, made.id) == "screen-2" && slug(rig, House.screen) == "screen")
    }

    @Test func `what is made or imported elsewhere gets a slug at once`() {
        var rig = Rig.atHome()
        rig.happens(
            .objectMade(ObjectReference(.thing, House.id(500)), name: "Desk", home: House.office, by: .owner)
        )
        #expect(slug(rig, House.id(500)) == "desk")
        rig.server.things.append(thing(501, "Shelf", in: House.office))
        rig.notice(.modelChanged(ObjectReference(.environment, House.office), environment: House.office))
        rig.serve()
        #expect(slug(rig, House.id(501)) == "shelf")
    }

    @Test func `what is missing in an environment that was read again leaves its slug to a new object`() {
        var rig = Rig.atHome()
        rig.server.things.removeAll { $0.id == House.screen }
        rig.server.things.append(thing(500, "Screen", in: House.office))
        rig.notice(.modelChanged(ObjectReference(.environment, House.office), environment: House.office))
        rig.serve()
        #expect(slug(rig, House.id(500)) == "screen" && slug(rig, House.screen) == nil)
    }

    @Test func `an environment that cannot be read does not keep the others from it, and is tried again`() {
        var rig = Rig.atHome()
        rig.lose()
        rig.server.things.append(thing(500, "Desk", in: House.office))
        rig.happens(.flare(.linkUp))
        while !rig.asked.isEmpty {
            let isOffice = rig.asked.first == .loadPlace(environment: House.office)
            rig.serveOne(isOffice ? .failure(.timedOut(seconds: 1)) : nil)
        }
        #expect(slug(rig, House.id(500)) == nil)
        rig.notice(.modelChanged(ObjectReference(.environment, House.home), environment: House.home))
        rig.serve()
        #expect(slug(rig, House.id(500)) == "desk")
    }

    @Test func `environments are read one at a time, each once`() {
        var places = PlacesElsewhere()
        places.found([House.home, House.office, House.studio])
        #expect(places.next(besides: House.home) == House.office)
        #expect(places.next(besides: House.home) == nil)
        places.found([House.office, House.studio])
        places.ended(House.office, isRead: true)
        #expect(places.next(besides: House.home) == House.studio)
        places.changed(House.studio)
        places.ended(House.studio, isRead: true)
        #expect(places.next(besides: nil) == House.studio)
        places.ended(House.studio, isRead: false)
        #expect(places.isEmpty && places.next(besides: nil) == nil)
        places.found([House.office, House.studio])
        #expect(places.next(besides: nil) == House.studio)
    }
}
