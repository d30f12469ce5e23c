import Glibc
import Positioning
import Sensors
import SystemPackage
import Testing

@Suite struct ScanSessionTests {
    private static let set = HCICommand(opcode: 0x2041, parameters: [0, 0, 1, 0, 0x60, 0, 0x60, 0])
    private static let on = HCICommand(opcode: 0x2042, parameters: [1, 0, 0, 0, 0, 0])
    private static let off = HCICommand(opcode: 0x2042, parameters: [0, 0, 0, 0, 0, 0])

    private func started(_ world: ScanWorld = ScanWorld()) -> ScanWorld {
        var world = world
        world.start()
        world.pass(1)
        return world
    }

    // MARK: Starting

    @Test func `scanning starts passively, with duplicates, with extended advertising`() {
        let world = started()
        #expect(world.sent == [Self.set, Self.on])
        #expect(Self.on.packet == [1, 0x42, 0x20, 6, 1, 0, 0, 0, 0, 0])
        #expect(world.condition.state == .scanning && world.condition.isExtended)
        #expect(world.condition.adapter == "hci0" && world.condition.problem == nil)
        #expect(world.conditions.map(\.state) == [.starting, .scanning])
    }

    @Test(arguments: [UInt8(0x01), 0x11, 0x12]) func `an older controller gets legacy commands`(
        _ status: UInt8
    ) {
        var world = ScanWorld()
        world.adapters[0]?.refusals[0x2041] = status
        world = started(world)
        #expect(
            world.sent.dropFirst() == [
                HCICommand(opcode: 0x200B, parameters: [0, 0x60, 0, 0x60, 0, 0, 0]),
                HCICommand(opcode: 0x200C, parameters: [1, 0]),
            ]
        )
        #expect(world.condition.state == .scanning && !world.condition.isExtended)
    }

    @Test func `active scanning is used when configured`() {
        var settings = ScanSettings()
        settings.isActive = true
        let world = started(ScanWorld(settings))
        #expect(world.sent.first?.parameters == [0, 0, 1, 1, 0x60, 0, 0x60, 0])
    }

    @Test func `a scan of another program is reconfigured and left running afterwards`() {
        var world = ScanWorld()
        world.adapters[0]?.isScanning = true
        world = started(world)
        #expect(world.sent == [Self.set, Self.off, Self.set, Self.on])
        #expect(world.condition.state == .scanning)
        world.tell(.stop)
        #expect(world.hasEnded && world.open == nil)
        #expect(world.adapters[0]?.isScanning == true)
        #expect(world.sent.count == 4)
    }

    // MARK: Stopping

    @Test func `stopping switches scanning off and closes the socket`() {
        var world = started()
        world.tell(.stop)
        #expect(world.sent.last == Self.off)
        #expect(world.adapters[0]?.isScanning == false && world.adapters[0]?.isUp == true)
        #expect(world.hasEnded && world.open == nil)
        #expect(world.condition.state == .off)
    }

    @Test func `an adapter that was down is switched on and at the end off again`() {
        var world = ScanWorld()
        world.adapters[0]?.isUp = false
        world = started(world)
        #expect(world.condition.state == .scanning)
        world.tell(.stop)
        #expect(world.hasEnded)
        #expect(world.adapters[0]?.isUp == false)
    }

    @Test func `an adapter that other programs use by then is left on`() {
        var world = ScanWorld()
        world.adapters[0]?.isUp = false
        world = started(world)
        world.give(HCICommand(opcode: 0x0C13, parameters: [0x61]))
        world.tell(.stop)
        #expect(world.hasEnded)
        #expect(world.adapters[0]?.isUp == true && world.adapters[0]?.isScanning == false)
    }

    @Test func `an adapter that the kernel switched on for a moment is kept on and switched off at the end`()
    {
        var session = ScanSession(settings: ScanSettings())
        let adapter = AdapterInfo(index: 0, address: DeviceAddress(bits: 1, isRandom: false), isUp: false)
        _ = session.start(at: 0)
        #expect(session.handle(.listed([adapter]), at: 0).contains(.bringUp(0)))
        #expect(session.handle(.broughtUp(Errno(rawValue: EALREADY)), at: 0).contains(.open(0)))
        _ = session.handle(.opened(Errno(rawValue: EBUSY)), at: 0)
        #expect(session.handle(.stop, at: 1).contains(.takeDown(0)))
    }

    @Test func `stopping waits at most a second for the controller`() {
        var world = started()
        world.adapters[0]?.isMute = true
        world.tell(.stop)
        #expect(!world.hasEnded)
        world.pass(1.1)
        #expect(world.hasEnded && world.open == nil)
    }

    @Test func `the switch stops and starts scanning`() {
        var world = started()
        world.tell(.switched(on: false))
        #expect(world.condition.state == .off && world.adapters[0]?.isScanning == false)
        world.pass(100)
        #expect(world.condition.state == .off && world.sent.count == 3)
        world.switchAdapter(0, on: false)
        world.switchAdapter(0, on: true)
        #expect(world.open == nil)
        world.tell(.switched(on: true))
        #expect(world.condition.state == .scanning)
        // Both before the controller answers.
        world.adapters[0]?.isMute = true
        world.tell(.switched(on: false))
        world.adapters[0]?.isMute = false
        world.tell(.switched(on: true))
        world.pass(2)
        #expect(world.condition.state == .scanning && world.adapters[0]?.isOurs == true)
    }

    @Test func `a scanner that is off does nothing`() {
        var session = ScanSession(settings: ScanSettings(), isOn: false)
        #expect(session.start(at: 0).isEmpty)
        #expect(session.deadline == nil)
        #expect(session.handle(.adapter(0, .pluggedIn), at: 1).isEmpty)
        #expect(session.handle(.stop, at: 2) == [.end])
        #expect(session.handle(.switched(on: true), at: 3).isEmpty)
    }

    // MARK: Which adapter

    private func choice(_ adapter: AdapterChoice) -> ScanSettings {
        var settings = ScanSettings()
        settings.adapter = adapter
        return settings
    }

    @Test func `of several adapters one that is on is used unless another is configured`() throws {
        var first = ScanWorld.Adapter(isUp: false, address: 1)
        let second = ScanWorld.Adapter(address: 2)
        #expect(started(ScanWorld(adapters: [0: first, 1: second])).open == 1)
        #expect(started(ScanWorld(choice(.index(0)), adapters: [0: first, 1: second])).open == 0)
        let address = AdapterChoice.address(DeviceAddress(bits: 1, isRandom: false))
        #expect(started(ScanWorld(choice(address), adapters: [0: first, 1: second])).open == 0)
        first.isUp = true
        first.isLowEnergy = false
        #expect(started(ScanWorld(adapters: [0: first, 1: second])).open == 1)
    }

    @Test func `a missing adapter is no problem unless one is configured`() {
        var world = started(ScanWorld(adapters: [:]))
        #expect(world.condition.state == .absent && world.condition.problem == nil)
        #expect(world.session.deadline == nil)
        world.plug(3, ScanWorld.Adapter(address: 1))
        #expect(world.condition.state == .scanning && world.condition.adapter == "hci3")
        let named = started(ScanWorld(choice(.index(2))))
        #expect(named.problem.contains("no adapter hci2 found"))
        #expect(named.problem.contains("available: hci0 (00:1A:7D:DA:71:13)"))
    }

    @Test func `a system without Bluetooth is checked again after a while`() {
        var world = ScanWorld()
        world.hasBluetooth = false
        world = started(world)
        #expect(world.condition.state == .absent && world.condition.problem == nil)
        world.hasBluetooth = true
        world.pass(60)
        #expect(world.condition.state == .scanning)
        var named = ScanWorld(choice(.index(0)))
        named.hasBluetooth = false
        #expect(started(named).problem.contains("has no Bluetooth"))
    }

    @Test func `an adapter without an address yet is checked again`() {
        let address = AdapterChoice.address(DeviceAddress(bits: 7, isRandom: false))
        var world = started(
            ScanWorld(choice(address), adapters: [0: ScanWorld.Adapter(isUp: false, address: 0)])
        )
        #expect(world.open == nil)
        world.adapters[0]?.address = 7
        world.pass(2)
        #expect(world.condition.state == .scanning)
    }

    // MARK: Rights

    @Test func `missing permission names the capability and is retried`() {
        var world = ScanWorld()
        world.maySend = false
        world = started(world)
        #expect(world.condition.state == .waiting && world.open == nil)
        #expect(world.problem.contains("CAP_NET_RAW") && !world.problem.contains("CAP_NET_ADMIN"))
        world.maySend = true
        world.pass(60)
        #expect(world.condition.state == .scanning && world.condition.problem == nil)
    }

    @Test func `without permission to switch it on, an adapter that is off is awaited`() {
        var world = ScanWorld()
        world.mayAdminister = false
        world.adapters[0]?.isUp = false
        world = started(world)
        #expect(world.problem.contains("CAP_NET_ADMIN") && world.problem.contains("bluetoothctl power on"))
        world.switchAdapter(0, on: true)
        #expect(world.condition.state == .scanning && world.condition.problem == nil)
    }

    @Test func `an adapter blocked by rfkill is retried every ten seconds`() {
        var world = ScanWorld()
        world.isBlocked = true
        world.adapters[0]?.isUp = false
        world = started(world)
        #expect(world.problem.contains("rfkill unblock bluetooth"))
        world.isBlocked = false
        world.pass(10)
        #expect(world.condition.state == .scanning)
    }
}
