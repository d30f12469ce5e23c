/// A beacon with a rotating identifier (Eddystone-EID), and the key that resolves it.
package struct EphemeralBeacon: Sendable, Hashable {
    /// The beacon's fixed identity in the place.
    package let identity: BeaconIdentity
    /// The identity key; only its owner has it.
    package let key: CipherBlock
    /// The identifier changes every 2^exponent seconds.
    package let exponent: Int
    /// When the beacon's clock was 0, seconds since 1970.
    package let clockStart: Double

    package static let exponents = 0...15

    package init(identity: BeaconIdentity, key: CipherBlock, exponent: Int, clockStart: Double) {
        self.identity = identity
        self.key = key
        self.exponent = min(max(exponent, Self.exponents.lowerBound), Self.exponents.upperBound)
        self.clockStart = clockStart
    }

    /// How long an identifier is used, seconds.
    var period: Double { Double(1 << exponent) }

    /// The identifier that the beacon sends when its clock reads `clock` seconds.
    /// - Source: Eddystone-EID specification; contrib/contract/positioning.md, "1.4 Eddystone".
    package func id(at clock: UInt32, cipher: BlockCipher) -> UInt64 {
        var block = CipherBlock.zero
        block[11] = 0xFF
        (block[14], block[15]) = (
            UInt8(truncatingIfNeeded: clock >> 24), UInt8(truncatingIfNeeded: clock >> 16)
        )
        let temporaryKey = cipher(key, block)
        block = .zero
        block[11] = UInt8(exponent)
        for (index, byte) in start(of: clock).bigEndianBytes.enumerated() { block[12 + index] = byte }
        let whole = cipher(temporaryKey, block)
        return (0..<8).reduce(0) { $0 << 8 | UInt64(whole[$1]) }
    }

    /// Decrypts telemetry that was sent when the beacon's clock read `clock` seconds; `nil` when another
    /// beacon sent it, or this one at another time.
    package func decrypt(
        _ frame: EncryptedTelemetry,
        at clock: UInt32,
        cipher: @escaping BlockCipher
    ) -> BeaconTelemetry? {
        let plain = EAXMode(key: key, cipher: cipher).decrypt(
            frame.cipher,
            nonce: start(of: clock).bigEndianBytes + frame.salt.bigEndianBytes,
            tag: frame.check.bigEndianBytes
        )
        guard let plain, plain.count == 12 else { return nil }
        return BeaconTelemetry(eddystone: plain.span)
    }

    /// The start of the identifier's period: the low bits of the clock are cleared.
    private func start(of clock: UInt32) -> UInt32 { (clock >> exponent) << exponent }
}
