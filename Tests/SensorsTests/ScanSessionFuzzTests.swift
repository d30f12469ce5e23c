import Positioning
import SeededRandom
import Sensors
import SystemPackage
import Testing

/// Random events in random order: scanning recovers, and the adapter is restored.
@Suite struct ScanSessionFuzzTests {
    private func trouble(_ world: inout ScanWorld, _ random: inout SeededGenerator) {
        let index = Int(random.next() % 2)
        switch random.next() % 18 {
        case 0: world.switchAdapter(index, on: false)
        case 1: world.switchAdapter(index, on: true)
        case 2: world.pull(index)
        case 3:
            if world.adapters[index] == nil { world.plug(index, ScanWorld.Adapter(isUp: false, address: 1)) }
        case 4, 5:
            let isOn = random.next() % 2 == 0
            world.scan(isOn, index: index)
        case 6: world.adapters[index]?.isMute.toggle()
        case 7: world.adapters[index]?.isDeaf.toggle()
        case 8:
            world.adapters[index]?.refusals[[0x200B, 0x200C, 0x2041, 0x2042][Int(random.next() % 4)]] =
                UInt8(random.next() % 32)
        case 9: world.adapters[index]?.refusals = [:]
        case 10: world.maySend.toggle()
        case 11: world.mayAdminister.toggle()
        case 12: world.isBlocked.toggle()
        case 13: world.hasBluetooth.toggle()
        case 14: world.tell(.switched(on: random.next() % 3 != 0))
        case 15: world.tell(.failed(Errno(rawValue: Int32(random.next() % 140))))
        case 16: world.adapters[index]?.knowsExtended.toggle()
        default: world.pass(Double(random.next() % 200) / 10)
        }
    }

    @Test func `scanning recovers from any failure that ends`() {
        for seed in 0..<UInt64(max(Fuzz.count / 50, 200)) {
            var random = SeededGenerator(seed: seed)
            var world = ScanWorld(adapters: [0: .init(address: 1), 1: .init(isUp: false, address: 2)])
            world.start()
            for _ in 0..<40 { trouble(&world, &random) }
            #expect(world.condition.state != .scanning || world.condition.problem == nil)
            // All failures have ended.
            (world.hasBluetooth, world.maySend, world.mayAdminister, world.isBlocked) = (
                true, true, true, false
            )
            world.tell(.switched(on: true))
            for index in 0...1 {
                if world.adapters[index] == nil { world.plug(index, ScanWorld.Adapter(address: 1)) }
                world.adapters[index]?.isMute = false
                world.adapters[index]?.isDeaf = false
                world.adapters[index]?.refusals = [:]
                world.switchAdapter(index, on: true)
            }
            world.pass(400)
            #expect(world.condition.state == .scanning, "seed \(seed): \(world.condition)")
            #expect(world.condition.problem == nil, "seed \(seed)")
            guard let open = world.open, world.adapters[open]?.isOurs == true else {
                Issue.record("seed \(seed): it says that it scans and does not")
                return
            }
            // No other program scans, so scanning is off at the end.
            world.scan(false, index: open)
            world.pass(5)
            #expect(world.adapters[open]?.isOurs == true, "seed \(seed)")
            world.tell(.stop)
            world.pass(2)
            #expect(world.hasEnded && world.open == nil, "seed \(seed)")
            #expect(world.adapters[open]?.isScanning == false, "seed \(seed)")
        }
    }

    private func read(_ packet: [UInt8]) -> HCIMessage { HCIMessage(packet.span) }

    @Test func `arbitrary packets of an adapter are parsed`() {
        let corpus: [[UInt8]] = [
            [4, 0x0E, 4, 1, 0x42, 0x20, 0], [4, 0x0F, 4, 0, 1, 0x41, 0x20],
            [1, 0x42, 0x20, 6, 1, 1, 0, 0, 0, 0],
            [4, 0xFD, 6, 1, 0, 1, 0, 2, 0],
        ]
        var fuzz = Fuzz(seed: 14, corpus: corpus)
        var known = 0
        for _ in 0..<Fuzz.count {
            if read(fuzz.next()) != .other { known += 1 }
        }
        #expect(known > Fuzz.count / 10)
        #expect(read(corpus[0]) == .commandResult(opcode: 0x2042, status: 0))
        #expect(read(corpus[1]) == .commandResult(opcode: 0x2041, status: 0))
        #expect(
            read(corpus[2])
                == .command(HCICommand(opcode: 0x2042, parameters: [1, 1, 0, 0, 0, 0]))
        )
    }
}
