import CommandFixture
import Controller
import Flare
import JSON
import Testing
import Things

/// Beacon reports and the conditions kept from them.
@Suite struct BeaconTests {
    @Test func `a beacon report is stored with its thing and causes no event`() {
        var rig = Rig.atHome()
        _ = rig.controller.removeChanges()
        let report = BeaconReport(rssi: -70, batteryVolts: 2.9, age: 2)
        let stranger = FlareID(high: 9, low: 9)
        #expect(rig.happens(.beaconsHeard([House.lamp: report, stranger: report])) == [])
        #expect(rig.controller.removeChanges() == [.beacon(House.lamp)])
        let first = rig.state.beacons[House.lamp]
        #expect(first?.rssi == -70 && first?.batteryVolts == 2.9)
        #expect(rig.state.beacons.count == 1)
        // Values missing in a report stay as they were.
        rig.happens(.beaconsHeard([House.lamp: BeaconReport(rssi: -60, age: .nan)]))
        let second = rig.state.beacons[House.lamp]
        #expect(second?.rssi == -60 && second?.batteryVolts == 2.9)
        #expect((second?.seenAt.wallMilliseconds ?? 0) - (first?.seenAt.wallMilliseconds ?? 0) >= 2000)
    }

    @Test func `a beacon's condition is removed with its thing`() {
        var rig = Rig.atHome()
        rig.happens(.beaconsHeard([House.lamp: BeaconReport(rssi: -70, age: 0)]))
        rig.command(.chooseEnvironment(.next))
        rig.serve()
        #expect(rig.state.things[House.lamp] == nil)
        #expect(rig.state.beacons.isEmpty)
    }

    @Test func `an event carries the name of its object`() {
        var rig = Rig.atHome()
        let order = Command.Operation.set(.thing("\(House.lamp)"), ThingRequest(attributes: ["state": "OFF"]))
        rig.command(order)
        let events = rig.serve().events
        #expect(events.map(\.name) == [rig.state.things[House.lamp]?.name])
        #expect(events.first?.name?.isEmpty == false)
    }
}
