package import Positioning
import Text

/// An identity resolving key (IRK): who has it recognises a phone or watch behind its changing addresses.
///
/// However it is printed or reflected, it shows `***`; only ``reveal()`` gives its digits.
/// - Source: Bluetooth Core Specification, volume 3, part H, 2.4.2.1.
package struct IdentityKey: Sendable, Hashable {
    /// The key in the specification's order, the most significant byte first.
    private let block: CipherBlock

    /// - Returns: `nil` for a key of zeros: a device has it that has no key.
    package init?(_ block: CipherBlock) {
        guard block != .zero else { return nil }
        self.block = block
    }

    /// The key in the other order of bytes, in which some systems show it.
    package var reversed: IdentityKey { IdentityKey(unchecked: Self.reversed(block)) }

    private init(unchecked block: CipherBlock) { self.block = block }

    /// The 32 hexadecimal digits, for the one place that stores or sends them.
    package func reveal() -> String { Self.digits(of: block) }

    /// A name for topics and lists that does not give the key away: 16 hexadecimal digits.
    ///
    /// It is the first half of a block that is encrypted with the key, so it cannot be turned around. The block has
    /// letters where that of an address has zeros, so it tells nothing about addresses either.
    package func fingerprint(_ cipher: BlockCipher) -> String {
        var block = CipherBlock.zero
        for (index, byte) in "trilateral key".utf8.enumerated() { block[index] = byte }
        return String(Self.digits(of: cipher(self.block, block)).prefix(16))
    }

    /// The hash function for private addresses, `ah`.
    ///
    /// - Parameter random: The 24 random bits of the address, `prand`.
    /// - Returns: 24 bits.
    /// - Source: Bluetooth Core Specification, volume 3, part H, 2.2.2.
    package func hash(of random: UInt32, _ cipher: BlockCipher) -> UInt32 {
        var block = CipherBlock.zero
        (block[13], block[14], block[15]) = (
            UInt8(truncatingIfNeeded: random >> 16), UInt8(truncatingIfNeeded: random >> 8),
            UInt8(truncatingIfNeeded: random)
        )
        let result = cipher(self.block, block)
        return UInt32(result[13]) << 16 | UInt32(result[14]) << 8 | UInt32(result[15])
    }

    /// Whether the device with this key has made the address.
    package func resolves(_ address: DeviceAddress, _ cipher: BlockCipher) -> Bool {
        address.isResolvable && hash(of: address.random, cipher) == address.hash
    }

    private static func reversed(_ block: CipherBlock) -> CipherBlock {
        var result = CipherBlock.zero
        for index in 0..<16 { result[index] = block[15 - index] }
        return result
    }

    private static func digits(of block: CipherBlock) -> String {
        var digits = ""
        for index in 0..<16 {
            digits += (block[index] < 16 ? "0" : "") + String(block[index], radix: 16)
        }
        return digits
    }
}

extension IdentityKey: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    package var description: String { "***" }
    package var debugDescription: String { "***" }
    package var customMirror: Mirror { Mirror(self, children: [], displayStyle: .struct) }
}

extension DeviceAddress {
    /// Whether it is a resolvable private address: random, and its two highest bits are 01.
    ///
    /// - Source: Bluetooth Core Specification, volume 6, part B, 1.3.2.2.
    package var isResolvable: Bool { isRandom && bits >> 46 == 0b01 }

    /// Whether it may change at any time: a private address, resolvable or not.
    package var isPrivate: Bool { isRandom && bits >> 46 != 0b11 }

    fileprivate var random: UInt32 { UInt32(truncatingIfNeeded: bits >> 24) }
    fileprivate var hash: UInt32 { UInt32(truncatingIfNeeded: bits & 0xFF_FFFF) }
}
