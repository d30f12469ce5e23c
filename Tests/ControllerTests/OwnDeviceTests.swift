import CommandFixture
import Controller
import Flare
import JSON
import Testing

@Suite struct OwnDeviceTests {
    @Test func `a saved device is used again`() {
        let rig = Rig.atHome()
        #expect(rig.state.device?.id == House.homeDevice)
        #expect(rig.server.devices.count == 2)
    }

    @Test func `without a saved device, one is created as configured`() {
        var configuration = ControllerConfiguration()
        configuration.deviceName = "wall"
        configuration.deviceDescription = "tablet, Linux 6"
        configuration.deviceMAC = "aa:bb:cc:00:11:22"
        var rig = Rig(configuration: configuration)
        rig.happens(.flare(.linkUp))
        rig.serve()
        let device = rig.state.device
        #expect(device?.name == "wall")
        #expect(device?.description == "tablet, Linux 6")
        #expect(device?.data == ["mac": "aa:bb:cc:00:11:22"])
        #expect(device?.position == .zero)
        #expect(rig.effects.contains(.remember(.device(House.id(1001), environment: House.home))))
    }

    @Test(arguments: [false, true]) func `a saved device unknown to the server is replaced`(asError: Bool) {
        var rig = Rig(memory: memory(House.id(77)))
        rig.happens(.flare(.linkUp))
        while let next = rig.asked.first, next != .loadDevice(House.id(77), environment: House.home) {
            rig.serveOne()
        }
        if asError {
            rig.serveOne(.failure(.unknownObject(ObjectReference(.device, House.id(77)))))
        }
        rig.serve()
        #expect(rig.state.device?.id == House.id(1001))
        #expect(rig.effects.contains(.remember(.device(House.id(1001), environment: House.home))))
    }

    @Test func `a saved device of another environment is replaced by a new one`() {
        var rig = Rig(memory: memory(House.officeDevice))
        rig.happens(.flare(.linkUp))
        rig.serve()
        #expect(rig.state.device?.id == House.id(1001))
        #expect(rig.state.device?.environment == House.home)
    }

    private func memory(_ device: FlareID) -> PersistedState {
        var memory = PersistedState()
        memory.devices = [House.home: device]
        return memory
    }

    @Test func `a device removed at run time is replaced by a new one without an event`() {
        var rig = Rig.atHome()
        rig.server.devices.removeAll { $0.id == House.homeDevice }
        rig.notice(.modelChanged(ObjectReference(.device, House.homeDevice), environment: House.home))
        rig.notice(.modelChanged(ObjectReference(.device, House.homeDevice), environment: House.home))
        rig.notice(.modelChanged(ObjectReference(.device, House.homeDevice), environment: House.home))
        #expect(rig.serve().events.isEmpty)
        #expect(rig.state.device?.id == House.id(1001))
        #expect(rig.server.devices.count == 2, "only one device was created")
    }

    @Test func `repeated refreshes while a device is being created do not create another`() {
        var rig = Rig()
        rig.happens(.flare(.linkUp))
        rig.serveOne()
        for _ in 0..<5 { rig.command(.refresh) }
        rig.serve()
        #expect(rig.server.devices.count == 3)
        #expect(rig.effects.answers.count == 5)
    }

    @Test func `a device created for an environment that was left meanwhile is remembered`() {
        var rig = Rig()
        rig.happens(.flare(.linkUp))
        rig.serveOne()
        rig.happens(House.located(20))
        rig.serve()
        let made = rig.effects.filter { if case .remember(.device) = $0 { true } else { false } }
        #expect(made.count == 2)
        #expect(rig.state.device?.environment == House.office)
        rig.command(.chooseEnvironment(.named("home")))
        rig.serve()
        #expect(rig.state.device?.environment == House.home)
        #expect(rig.server.devices.count == 4)
    }

    @Test func `changes of this device by other clients cause events with the differences`() {
        var rig = Rig.atHome()
        rig.server.devices[0].name = "wall"
        rig.server.devices[0].position = Point3D(x: 1, y: 1)
        rig.notice(.modelChanged(ObjectReference(.device, House.homeDevice), environment: House.home))
        let effects = rig.serve()
        #expect(effects.eventNames == ["device moved", "device changed"])
        #expect(effects.events.last?.before == ["name": "tablet"])
        #expect(effects.events.last?.after == ["name": "wall"])
    }

    @Test func `notices about other devices are ignored`() {
        var rig = Rig.atHome()
        let other = ObjectReference(.device, House.stranger)
        let before = rig.state
        rig.notice(.modelChanged(other, environment: House.home))
        rig.notice(.data(other, ["angle": 5], sender: nil))
        rig.notice(.position(other, Point3D(x: 1, y: 1), sender: nil))
        rig.notice(.handleAction(other, "north", sender: nil))
        #expect(rig.asked.isEmpty)
        #expect(rig.state == before)
    }
}
