import Controller
import Flare
import Testing
import Things

/// How the beacons of the place are heard.
@Suite struct BeaconTests {
    @Test func `what is heard of a beacon is kept with its thing, and is no event`() {
        var rig = Rig.atHome()
        _ = rig.controller.removeChanges()
        let report = BeaconReport(rssi: -70, batteryVolts: 2.9, age: 2)
        let stranger = FlareID(high: 9, low: 9)
        #expect(rig.happens(.beaconsHeard([House.lamp: report, stranger: report])) == [])
        #expect(rig.controller.removeChanges() == [.beacon(House.lamp)])
        let first = rig.state.beacons[House.lamp]
        #expect(first?.rssi == -70 && first?.batteryVolts == 2.9)
        #expect(rig.state.beacons.count == 1)
        // What is not told again stays as it was.
        rig.happens(.beaconsHeard([House.lamp: BeaconReport(rssi: -60, age: .nan)]))
        let second = rig.state.beacons[House.lamp]
        #expect(second?.rssi == -60 && second?.batteryVolts == 2.9)
        #expect((second?.seenAt.wallMilliseconds ?? 0) - (first?.seenAt.wallMilliseconds ?? 0) >= 2000)
    }

    @Test func `with its thing a beacon's condition goes`() {
        var rig = Rig.atHome()
        rig.happens(.beaconsHeard([House.lamp: BeaconReport(rssi: -70, age: 0)]))
        rig.command(.chooseEnvironment(.next))
        rig.serve()
        #expect(rig.state.things[House.lamp] == nil)
        #expect(rig.state.beacons.isEmpty)
    }

    @Test func `events name their object`() {
        var rig = Rig.atHome()
        let order = Command.Order.set(.thing("\(House.lamp)"), ThingRequest(attributes: ["state": "OFF"]))
        rig.command(order)
        let events = rig.serve().events
        #expect(events.map(\.name) == [rig.state.things[House.lamp]?.name])
        #expect(events.first?.name?.isEmpty == false)
    }
}
