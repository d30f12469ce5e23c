import Positioning
import Receivers
import SeededRandom
import Sensors
import Testing

@Suite struct AddressResolverTests {
    private let cipher = AESBlock.cipher
    private var random = SplitMix64(seed: 33)

    private static func key(_ random: inout SplitMix64) throws -> IdentityKey {
        var block = CipherBlock.zero
        for index in 0..<16 { block[index] = UInt8(truncatingIfNeeded: random.next()) }
        return try #require(IdentityKey(block))
    }

    /// A new address of the device with a key.
    private func address(of key: IdentityKey, _ random: inout SplitMix64) -> DeviceAddress {
        let prand = UInt32(truncatingIfNeeded: random.next()) & 0x3F_FFFF | 0x40_0000
        return DeviceAddress(
            bits: UInt64(prand) << 24 | UInt64(key.hash(of: prand, cipher)),
            isRandom: true
        )
    }

    private static func stranger(_ number: Int) -> DeviceAddress {
        DeviceAddress(
            bits: 0x4000_0000_0000 | UInt64(number) &* 0x9E37_79B9 & 0x3FFF_FFFF_FFFF,
            isRandom: true
        )
    }

    @Test mutating func `each address is that of its key`() throws {
        var keys: [IdentityKey] = []
        for _ in 0..<64 { keys.append(try Self.key(&random)) }
        var resolver = AddressResolver(keys, cipher: cipher)
        for (number, key) in keys.enumerated() {
            #expect(resolver.resolve(address(of: key, &random), at: Double(number)) == .key(number))
        }
        #expect(resolver.resolve(Self.stranger(1), at: 70) == .stranger)
    }

    @Test
    mutating func
        `a key that was given in the other order resolves, and after two addresses in that order alone`()
        throws
    {
        let key = try Self.key(&random)
        var resolver = AddressResolver([key.reversed], cipher: cipher)
        for _ in 0..<2 { #expect(resolver.resolve(address(of: key, &random), at: 0) == .key(0)) }
        let before = resolver.blocks
        #expect(resolver.resolve(Self.stranger(1), at: 0) == .stranger)
        #expect(resolver.blocks - before == 1)
        #expect(resolver.resolve(address(of: key, &random), at: 0) == .key(0))
    }

    @Test mutating func `a packet from a remembered address costs no encryption for 15 minutes`() throws {
        let key = try Self.key(&random)
        var resolver = AddressResolver([key], cipher: cipher)
        let (own, other) = (address(of: key, &random), Self.stranger(7))
        _ = resolver.resolve(own, at: 0)
        _ = resolver.resolve(other, at: 0)
        let before = resolver.blocks
        for second in stride(from: 0.0, to: 440, by: 1) {
            #expect(resolver.resolve(own, at: second) == .key(0))
            #expect(resolver.resolve(other, at: second) == .stranger)
        }
        #expect(resolver.resolve(own, at: 899) == .key(0))
        #expect(resolver.blocks == before)
        #expect(resolver.resolve(own, at: 901) == .key(0))
        #expect(resolver.blocks == before + 1)
    }

    @Test mutating func `sixty-four keys and thousands of strangers cost one trial each`() throws {
        var keys: [IdentityKey] = []
        for _ in 0..<64 { keys.append(try Self.key(&random)) }
        var resolver = AddressResolver(keys, cipher: cipher)
        // Five new strangers a second, each heard ten times.
        var postponed = 0
        for number in 0..<2000 {
            for packet in 0..<10 {
                let answer = resolver.resolve(
                    Self.stranger(number),
                    at: Double(number) / 5 + Double(packet) / 100
                )
                if answer == .postponed { postponed += 1 }
            }
        }
        #expect(postponed == 0)
        #expect(resolver.blocks <= 2000 * 128)
    }

    @Test mutating func `a flood of new addresses waits, and takes no more than its share of the processor`()
        throws
    {
        var keys: [IdentityKey] = []
        for _ in 0..<64 { keys.append(try Self.key(&random)) }
        var resolver = AddressResolver(keys, cipher: cipher)
        for number in 0..<20_000 { _ = resolver.resolve(Self.stranger(number), at: Double(number) / 10_000) }
        #expect(resolver.blocks <= 100_000 + 2 * 20_000 && resolver.postponed > 15_000)
        // Our own phone has its turn as soon as there is room.
        #expect(resolver.resolve(address(of: try #require(keys.last), &random), at: 4) == .key(63))
    }

    @Test mutating func `what is remembered is bounded`() throws {
        let key = try Self.key(&random)
        var resolver = AddressResolver([key], cipher: cipher)
        var most = 0
        for number in 0..<60_000 {
            _ = resolver.resolve(Self.stranger(number), at: Double(number) / 1000)
            if number % 8 == 0 { _ = resolver.resolve(address(of: key, &random), at: Double(number) / 1000) }
            most = max(most, resolver.remembered)
        }
        #expect(most <= 2 * AddressResolver.mostStrangers + AddressResolver.mostResolved + 1)
        #expect(most > AddressResolver.mostStrangers)
    }

    @Test mutating func `other addresses, missing keys and impossible times are strangers'`() throws {
        let key = try Self.key(&random)
        var resolver = AddressResolver([key], cipher: cipher)
        for text in ["C0:81:94:0D:FB:AA", "3F:81:94:0D:FB:AA"] {
            #expect(resolver.resolve(try #require(DeviceAddress(text, isRandom: true)), at: 0) == .stranger)
        }
        let own = address(of: key, &random)
        #expect(resolver.resolve(own, at: .nan) == .stranger)
        #expect(resolver.resolve(own, at: 1e300) == .stranger)
        #expect(resolver.blocks == 0)
        var without = AddressResolver([], cipher: cipher)
        #expect(without.resolve(own, at: 0) == .stranger)
        // A clock that is set back does not make an answer eternal.
        #expect(resolver.resolve(own, at: 1e6) == .key(0))
        #expect(resolver.resolve(own, at: 0) == .key(0))
        #expect(resolver.blocks == 3 || resolver.blocks == 2)
    }
}
