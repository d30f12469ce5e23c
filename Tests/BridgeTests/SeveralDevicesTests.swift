import Bridge
import Controller
import Flare
import JSON
import Testing

/// What the nodes of a daemon with several devices publish.
struct SeveralDevicesTests {
    private func state(_ zone: FlareID?, heardAt milliseconds: Int64) -> ControllerState {
        var state = Flat.state
        state.node = "n"
        var anna = DeviceNode(ListedNode(node: "anna", name: "Anna"))
        anna.zoneID = zone
        anna.fix = PositionFix(
            accuracyMetres: 1,
            quality: .good,
            source: "beacons",
            at: Flat.moment(milliseconds)
        )
        anna.seenAt = Flat.moment(milliseconds)
        state.nodes["anna"] = anna
        return state
    }

    @Test func `the first node publishes the list of devices, and who is in a zone`() throws {
        var screen = Screen.ofFlat()
        let told = screen.show(
            state(Flat.kitchen, heardAt: 0),
            [.devices, .occupancy(Flat.kitchen)]
        )
        #expect(Set(told.keys) == ["devices", "zones/kitchen"])
        let devices = try JSONValue(parsing: told["devices"] ?? "")
        #expect(devices.array?.compactMap { $0["node"]?.string } == ["n", "anna"])
        #expect(try JSONValue(parsing: told["zones/kitchen"] ?? "")["occupied"] == true)
    }

    @Test
    func `where somebody is is told at once, and that somebody was heard again at most every ten seconds`() {
        var screen = Screen.ofFlat()
        screen.show(state(Flat.kitchen, heardAt: 0), [.devices])
        #expect(screen.show(state(Flat.kitchen, heardAt: 1000), [.devices], at: 1000).isEmpty)
        #expect(screen.show(state(nil, heardAt: 2000), [.devices], at: 2000).keys.contains("devices"))
        #expect(screen.show(state(nil, heardAt: 3000), [.devices], at: 3000).isEmpty)
        #expect(screen.show(state(nil, heardAt: 13_000), [.devices], at: 13_000).keys.contains("devices"))
    }

    @Test func `without further devices the list is cleared`() {
        var screen = Screen.ofFlat()
        #expect(screen.show(Flat.state, [.devices]).isEmpty, "there was none")
        screen.show(state(Flat.kitchen, heardAt: 0), [.devices])
        #expect(screen.show(Flat.state, [.devices], at: 20_000) == ["devices": ""])
    }

    @Test func `a node that is the place alone clears what a device had, and says who is in its zones`()
        throws
    {
        var screen = Screen()
        var state = Flat.state
        state.isPresent = false
        (state.device, state.fix, state.zoneID, state.nearbyID) = (nil, nil, nil, nil)
        let told = screen.show(state, Flat.view.union([.object(ObjectReference(.zone, Flat.kitchen))]))
        for topic in ["zone", "device", "nearby", "nearby/availability", "lifecycle", "sensors/gps"] {
            #expect(told[topic] == "", "\(topic)")
        }
        #expect(told["environment"]?.isEmpty == false && told["state"]?.isEmpty == false)
        let zone = try JSONValue(parsing: told["zones/kitchen"] ?? "")
        #expect(zone["occupied"] == false && zone["devices"] == [])
    }

    @Test func `a further node publishes its device and nothing of the place`() {
        var screen = Screen(publishesPlace: false)
        let told = screen.show(Flat.state, Flat.model.union(Flat.view).union([.link, .devices]))
        #expect(
            Set(told.keys) == [
                "alerts", "state", "environment", "zone", "device", "device/position", "device/angle",
                "nearby",
                "nearby/availability", "sensors/gps", "sensors/beacons", "sensors/cmx", "sensors/compass",
            ]
        )
    }
}
