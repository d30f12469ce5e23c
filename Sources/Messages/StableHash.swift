/// A hash of texts that is the same in every run, unlike Swift's hasher.
/// - Source: FNV-1a, 64 bits.
package struct StableHash: Sendable {
    package private(set) var value: UInt64 = 0xCBF2_9CE4_8422_2325

    package init() {}

    package mutating func combine(_ bytes: some Sequence<UInt8>) {
        for byte in bytes { value = (value ^ UInt64(byte)) &* 0x100_0000_01B3 }
        // Separates consecutive texts.
        value = (value ^ 0xFF) &* 0x100_0000_01B3
    }
}
