import CommandFixture
import Controller
import Flare
import JSON
import Testing
import Things

/// Changes from the server, and the events they cause.
@Suite struct ChangeTests {
    @Test func `data from other clients are merged key by key and published as one event`() {
        var rig = Rig.atHome()
        let effects = rig.notice(
            .data(House.lampThing, ["on": false, "brightness": 0.5, "new": [1]], sender: "x")
        )
        #expect(effects.eventNames == ["thing changed"])
        #expect(effects.events.first?.changed == ["new", "on"])
        #expect(effects.events.first?.before == ["on": true])
        #expect(effects.events.first?.after == ["on": false, "new": [1]])
        #expect(effects.events.first?.cause == .init("server"))
        #expect(effects.events.first?.at == Rig.moment(0))
        #expect(rig.controller.removeChanges() == [.object(House.lampThing)])
        #expect(rig.notice(.data(House.lampThing, ["on": false], sender: "x")) == [])
        #expect(rig.controller.removeChanges().isEmpty)
    }

    @Test func `a dotted key is a path into the data, and values that cannot be stored are skipped`() {
        var rig = Rig.atHome()
        rig.notice(.data(House.lampThing, ["a.b": 1], sender: nil))
        #expect(rig.lamp("a") == ["b": 1])
        for key in ["", "a..b", "$x", "on.x"] {
            #expect(rig.notice(.data(House.lampThing, [key: 1], sender: nil)) == [], "\(key)")
        }
        #expect(rig.notice(.data(House.lampThing, ["on": .null], sender: nil)) == [])
    }

    @Test func `data of zones, environments and this device are merged too`() {
        var rig = Rig.atHome()
        let eventNames = [
            ObjectReference(.environment, House.home), ObjectReference(.zone, House.kitchen),
            ObjectReference(.device, House.homeDevice),
        ].flatMap { rig.notice(.data($0, ["x": 1], sender: nil)).eventNames }
        #expect(eventNames == ["environment changed", "zone changed", "device changed"])
        #expect(rig.controller.removeChanges().isSuperset(of: [.environment, .zone, .device]))
        #expect(
            rig.notice(.data(ObjectReference(.device, House.homeDevice), ["angle": 30], sender: nil))
                .eventNames
                == ["device turned"]
        )
        #expect(rig.state.angle == 30)
    }

    @Test func `a thing that moves causes an event and updates the tracked beacons`() {
        var rig = Rig.atHome()
        let effects = rig.notice(.position(House.lampThing, Point3D(x: 1, y: 1), sender: nil))
        #expect(effects.eventNames == ["thing moved"])
        guard case .trackBeacons(let place?)? = effects.last else {
            Issue.record("beacon tracking was not updated: \(effects)")
            return
        }
        #expect(place.things.first?.position == Point3D(x: 1, y: 1))
        #expect(rig.notice(.position(ObjectReference(.thing, House.kettle), .zero, sender: nil)).count == 1)
        let minor = rig.notice(.data(House.lampThing, ["minor": 9], sender: nil))
        #expect(minor.contains { if case .trackBeacons = $0 { true } else { false } })
    }

    @Test func `notices about unknown objects are ignored`() {
        var rig = Rig.atHome()
        let screen = ObjectReference(.thing, House.screen)
        let before = rig.state
        #expect(rig.notice(.data(screen, ["on": false], sender: nil)) == [])
        #expect(rig.notice(.position(screen, .zero, sender: nil)) == [])
        #expect(rig.notice(.handleAction(screen, "on", sender: nil)) == [])
        #expect(rig.notice(.modelChanged(screen, environment: House.office)) == [])
        #expect(rig.state == before)
    }

    @Test func `an action by another client causes an event`() {
        var rig = Rig.atHome()
        let effects = rig.notice(.handleAction(ObjectReference(.thing, House.kettle), "boil", sender: "x"))
        #expect(effects.eventNames == ["thing action"])
        #expect(effects.events.first?.details == ["action": "boil"])
    }

    @Test func `many model changes at once cause only two reads`() {
        var rig = Rig.atHome()
        for number in 0..<100 {
            let object = ObjectReference(number % 2 == 0 ? .thing : .zone, House.id(UInt32(number)))
            rig.notice(.modelChanged(object, environment: number % 3 == 0 ? nil : House.home))
        }
        #expect(rig.asked.count == 1)
        #expect(rig.serve().requests.count == 1)
    }

    @Test func `a read that adds, changes and removes things causes events with the differences`() {
        var rig = Rig.atHome()
        rig.notice(.near(thing: House.lamp, device: House.homeDevice, distance: 1))
        rig.server.things[0].name = "Reading lamp"
        rig.server.things[0].data["on"] = false
        rig.server.things.removeAll { $0.id == House.kettle }
        var new = FlareThing(id: House.id(600))
        new.name = "Lamp"
        new.environment = House.home
        rig.server.things.append(new)
        _ = rig.controller.removeChanges()
        rig.notice(.modelChanged(House.lampThing, environment: House.home))
        let effects = rig.serve()
        #expect(effects.eventNames == ["thing changed", "nearby changed", "thing added", "thing removed"])
        #expect(effects.events.first?.before == ["name": "Lamp", "data": ["on": true]])
        #expect(effects.events.first?.after == ["name": "Reading lamp", "data": ["on": false]])
        #expect(effects.events.first?.changed == ["data", "name"])
        #expect(effects.events.map(\.slug) == ["lamp", "lamp", "lamp-2", "kettle"])
        #expect(
            rig.controller.removeChanges()
                == [
                    .object(House.lampThing), .nearby, .object(ObjectReference(.thing, House.kettle)),
                    .object(ObjectReference(.thing, new.id)),
                ]
        )
        #expect(rig.state.changedAt[ObjectReference(.thing, House.kettle)] == nil)
    }

    @Test func `a read without differences causes no event and no tracking update`() {
        var rig = Rig.atHome()
        rig.command(.refresh)
        let effects = rig.serve()
        #expect(effects.count == effects.requests.count + effects.answers.count)
        #expect(effects.codes == [nil])
        #expect(rig.controller.removeChanges().isEmpty)
    }

    @Test func `events are numbered in order and without gaps`() {
        var rig = Rig.atHome()
        let start = rig.state.sequence
        for number in 1...5 { rig.notice(.data(House.lampThing, ["x": JSONValue(number)], sender: nil)) }
        #expect(rig.effects.events.map(\.sequence) == (1...5).map { start + $0 })
        #expect(rig.state.sequence == start + 5)
        #expect(rig.state.epoch == "e1")
    }

    @Test func `an alert is raised once, keeps its time and is cleared once`() {
        var rig = Rig.atHome()
        rig.happens(.alertRaised("sensors", .warning, message: "no adapter"), after: 5)
        #expect(rig.controller.removeChanges() == [.alert("sensors")])
        rig.happens(.alertRaised("sensors", .warning, message: "no adapter"), after: 5)
        #expect(rig.controller.removeChanges().isEmpty)
        rig.happens(.alertRaised("sensors", .error, message: "broken"), after: 5)
        #expect(
            rig.state.alerts == ["sensors": Alert(severity: .error, message: "broken", since: Rig.moment(5))]
        )
        rig.happens(.alertCleared("sensors"))
        #expect(rig.state.alerts.isEmpty)
        _ = rig.controller.removeChanges()
        rig.happens(.alertCleared("sensors"))
        #expect(rig.controller.removeChanges().isEmpty)
    }

    @Test func `the first broker connection is the start event, later ones are link events`() {
        var rig = Rig.atHome()
        #expect(rig.happens(.brokerLinkChanged(isUp: false)) == [])
        #expect(rig.happens(.brokerLinkChanged(isUp: true)).eventNames == ["bridge started"])
        let down = rig.happens(.brokerLinkChanged(isUp: false))
        #expect(down.eventNames == ["bridge link"])
        #expect(down.events.first?.details == ["link": "mqtt", "up": false])
        var configuration = ControllerConfiguration()
        configuration.isReloaded = true
        var reloaded = Rig.atHome(configuration)
        #expect(reloaded.happens(.brokerLinkChanged(isUp: true)).eventNames == ["bridge reloaded"])
    }

    @Test func `another link is an event when it goes up or down, not when it appears`() {
        var rig = Rig.atHome()
        _ = rig.controller.removeChanges()
        #expect(rig.happens(.linkChanged("station", isUp: false)) == [])
        #expect(rig.controller.removeChanges() == [.link])
        #expect(rig.happens(.linkChanged("station", isUp: false)) == [])
        let up = rig.happens(.linkChanged("station", isUp: true))
        #expect(up.events.first?.details == ["link": "station", "up": true])
        #expect(rig.happens(.linkChanged("station", isUp: nil)) == [])
    }
}
