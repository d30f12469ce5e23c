import Glibc
import Positioning
import Sensors
import SystemPackage
import Testing

/// Failures while a session scans.
@Suite struct ScanSessionTroubleTests {
    private static let off = HCICommand(opcode: 0x2042, parameters: [0, 0, 0, 0, 0, 0])
    private static let on = HCICommand(opcode: 0x2042, parameters: [1, 0, 0, 0, 0, 0])

    private func scanning(_ settings: ScanSettings = ScanSettings()) -> ScanWorld {
        var world = ScanWorld(settings)
        world.start()
        world.pass(1)
        #expect(world.condition.state == .scanning)
        return world
    }

    // MARK: Silence

    @Test
    func `silence leads to enabling, a restart and a reset, and is reported after twenty seconds`() {
        var world = scanning()
        world.adapters[0]?.isDeaf = true
        let heard = world.sent.count
        world.pass(5)
        #expect(Array(world.sent.dropFirst(heard)) == [Self.on])
        world.pass(5)
        #expect(world.sent.dropFirst(heard + 1).map(\.opcode) == [0x2042, 0x2041, 0x2042])
        #expect(world.condition.state == .scanning && world.resets.isEmpty)
        world.pass(10)
        #expect(world.resets.count == 1)
        #expect(world.condition.state == .deaf && world.condition.resets == 1)
        #expect(world.problem.contains("hci0 has received nothing for 20 s"))
        world.adapters[0]?.isDeaf = false
        world.pass(1)
        #expect(world.condition.state == .scanning && world.condition.problem == nil)
        #expect(world.condition.restarts == 3)
    }

    @Test func `attempts to end a long silence become rarer and resets are limited`() {
        var world = scanning()
        world.adapters[0]?.isDeaf = true
        world.pass(3600)
        #expect(world.condition.restarts < 25)
        #expect((2...6).contains(world.resets.count))
        #expect(zip(world.resets, world.resets.dropFirst()).allSatisfy { $1 - $0 >= 600 })
        #expect(world.adapters[0]?.isOurs == true, "it still listens")
    }

    @Test func `an adapter is not reset when not configured or not permitted`() {
        var settings = ScanSettings()
        settings.mayReset = false
        for mayAdminister in [true, false] {
            var world = scanning(mayAdminister ? settings : ScanSettings())
            world.mayAdminister = mayAdminister
            world.adapters[0]?.isDeaf = true
            world.pass(60)
            #expect(world.resets.isEmpty && world.condition.resets == 0)
            world.adapters[0]?.isDeaf = false
            world.pass(1)
            #expect(world.condition.state == .scanning)
        }
    }

    // MARK: Others

    @Test func `scanning resumes a second after another program stops it`() {
        var world = scanning()
        world.scan(false)
        #expect(world.adapters[0]?.isScanning == false)
        world.pass(0.9)
        #expect(world.adapters[0]?.isScanning == false, "others may be in the middle of something")
        world.pass(0.2)
        #expect(world.adapters[0]?.isOurs == true)
        #expect(world.condition.restarts == 1 && world.condition.state == .scanning)
    }

    @Test func `another program's search is not interrupted and later continues without us`() {
        var world = scanning()
        for isOn in [false, true] { world.scan(isOn) }
        #expect(world.adapters[0]?.isOurs == false)
        world.pass(14)
        #expect(world.adapters[0]?.isOurs == false)
        world.pass(2)
        #expect(world.adapters[0]?.isOurs == true)
        world.tell(.stop)
        #expect(world.hasEnded && world.adapters[0]?.isScanning == true)
    }

    @Test func `scanning ends with us when another program's search has ended`() {
        var world = scanning()
        for isOn in [false, true] { world.scan(isOn) }
        world.pass(10)
        world.scan(false)
        world.pass(2)
        #expect(world.adapters[0]?.isOurs == true)
        world.tell(.stop)
        #expect(world.hasEnded && world.adapters[0]?.isScanning == false)
    }

    @Test func `scanning restarts after another program resets the adapter`() {
        var world = scanning()
        world.give(HCICommand(opcode: 0x0C03, parameters: []))
        world.pass(1.1)
        #expect(world.adapters[0]?.isOurs == true)
    }

    @Test func `other programs' commands that do not concern scanning are ignored`() {
        var world = scanning()
        let count = world.sent.count
        world.give(HCICommand(opcode: 0x2006, parameters: [0]))
        world.tell(.message(.commandResult(opcode: 0x2042, status: 0x0C)))
        world.tell(.message(.other))
        world.pass(4)
        #expect(world.sent.count == count && world.condition.state == .scanning)
    }

    @Test func `our own commands reported by the system are ignored`() {
        var session = ScanSession(settings: ScanSettings())
        let adapter = AdapterInfo(index: 0, address: DeviceAddress(bits: 1, isRandom: false), isUp: true)
        _ = session.start(at: 0)
        _ = session.handle(.listed([adapter]), at: 0)
        _ = session.handle(.opened(nil), at: 0)
        for opcode: UInt16 in [0x2041, 0x2042] {
            let command = opcode == 0x2042 ? Self.on : HCICommand(opcode: opcode, parameters: [])
            #expect(session.handle(.message(.command(command)), at: 0).isEmpty)
            _ = session.handle(.message(.commandResult(opcode: opcode, status: 0)), at: 0)
        }
        #expect(session.deadline == 5)
        #expect(session.handle(.stop, at: 1) == [.send(Self.off)])
    }

    // MARK: Errors

    @Test func `a refused command is reported with its error, retried, and leads to a reset`() {
        var world = ScanWorld()
        world.adapters[0]?.refusals = [0x2042: 0x0D]
        world.start()
        #expect(world.problem.contains("LE Set Extended Scan Enable failed with error 0x0D"))
        #expect(world.open == nil && world.condition.state == .waiting)
        world.pass(2.5)
        #expect(world.resets.count == 1)
        #expect(world.condition.problem != nil)
        world.adapters[0]?.refusals = [:]
        world.pass(10)
        #expect(world.condition.state == .scanning && world.condition.problem == nil)
    }

    @Test func `an adapter that is being reset is not reported as scanning`() {
        var world = ScanWorld()
        world.adapters[0]?.isDeaf = true
        world.adapters[0]?.isMute = true
        world.start()
        world.pass(3)
        world.adapters[0]?.isMute = false
        world.pass(3)
        #expect(world.condition.state == .scanning && world.condition.problem == nil)
        // In silence scanning is enabled again, which gets no answer.
        world.adapters[0]?.isMute = true
        world.pass(5.5)
        #expect(world.resets.count == 1)
        #expect(world.condition.state == .starting && world.condition.problem != nil)
        world.adapters[0]?.isMute = false
        world.adapters[0]?.isDeaf = false
        world.pass(20)
        #expect(world.condition.state == .scanning && world.condition.problem == nil)
    }

    @Test func `a controller that does not answer is reported, retried and reset`() {
        var world = ScanWorld()
        world.adapters[0]?.isMute = true
        world.start()
        world.pass(2.1)
        #expect(world.problem.contains("hci0 does not answer"))
        world.pass(10)
        #expect(world.resets.count == 1)
        world.pass(3600)
        #expect(world.sent.count < 150)
        world.adapters[0]?.isMute = false
        // A wait, an unanswered command, and another wait.
        world.pass(123)
        #expect(world.condition.state == .scanning && world.condition.problem == nil)
    }

    @Test func `a controller that refuses legacy and extended commands is reported`() {
        var world = ScanWorld()
        world.adapters[0]?.refusals = [0x2041: 0x0C, 0x200B: 0x0C]
        world.start()
        #expect(world.problem.contains("LE Set Scan Parameters failed with error 0x0C"))
        #expect(world.sent.count <= 8)
    }

    // MARK: Down and up, out and in

    @Test func `an adapter that another program switches off is awaited`() {
        var world = scanning()
        world.switchAdapter(0, on: false)
        #expect(world.condition.state == .waiting && world.open == nil)
        #expect(world.problem.contains("another program switched hci0 off"))
        world.pass(1000)
        #expect(world.adapters[0]?.isUp == false, "it may have been switched off on purpose")
        world.switchAdapter(0, on: true)
        world.pass(1)
        #expect(world.condition.state == .scanning && world.condition.problem == nil)
    }

    @Test func `an adapter that we switched on is switched on again`() {
        var world = ScanWorld()
        world.adapters[0]?.isUp = false
        world.start()
        world.pass(1)
        world.switchAdapter(0, on: false)
        #expect(world.problem.contains("switched on again within seconds"))
        world.isBlocked = true
        world.pass(30)
        #expect(world.problem.contains("rfkill"))
        world.isBlocked = false
        world.pass(11)
        #expect(world.condition.state == .scanning)
        world.tell(.stop)
        #expect(world.adapters[0]?.isUp == false)
    }

    @Test func `an adapter that is plugged in again scans again under any number`() {
        var world = scanning()
        let adapter = world.adapters[0]
        world.pull(0)
        #expect(world.condition.state == .waiting && world.problem.contains("no adapter found"))
        world.pass(1000)
        var back = adapter ?? ScanWorld.Adapter(address: ScanWorld.address)
        (back.isUp, back.isScanning) = (false, false)
        world.plug(4, back)
        world.pass(1)
        #expect(world.condition.state == .scanning && world.condition.adapter == "hci4")
        #expect(world.condition.problem == nil)
    }

    @Test func `another adapter takes over when none is configured`() {
        var world = scanning()
        world.plug(1, ScanWorld.Adapter(address: 9))
        #expect(world.open == 0)
        world.pull(0)
        world.pass(1)
        #expect(world.open == 1 && world.condition.state == .scanning && world.condition.problem == nil)
    }

    @Test(arguments: [ENETDOWN, ENODEV, EPIPE, EIO]) func `scanning recovers from a failed socket`(
        _ code: Int32
    ) {
        var world = scanning()
        world.tell(.failed(Errno(rawValue: code)))
        if code == ENETDOWN { world.switchAdapter(0, on: false) }
        if code == ENETDOWN { world.switchAdapter(0, on: true) }
        world.pass(5)
        #expect(world.condition.state == .scanning && world.condition.problem == nil)
    }

    @Test func `events during the stop do not prevent it`() {
        for change in [ScanSession.AdapterChange.down, .pulledOut] {
            var world = scanning()
            world.adapters[0]?.isMute = true
            world.tell(.stop)
            world.tell(.adapter(0, change))
            #expect(world.hasEnded && world.open == nil)
        }
        var world = scanning()
        world.adapters[0]?.isMute = true
        world.tell(.stop)
        world.tell(.failed(Errno(rawValue: ENODEV)))
        #expect(world.hasEnded)
    }
}
