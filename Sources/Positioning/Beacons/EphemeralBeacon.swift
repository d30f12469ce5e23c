/// A beacon that changes its identifier (Eddystone-EID), and what is needed to know it all the same.
package struct EphemeralBeacon: Sendable, Hashable {
    /// Which beacon of the place it is.
    package let identity: BeaconIdentity
    /// The identity key, which only its owner knows.
    package let key: CipherBlock
    /// The identifier changes every 2^exponent seconds.
    package let exponent: Int
    /// When its clock stood at 0, seconds since 1970.
    package let clockStart: Double

    package static let exponents = 0...15

    package init(identity: BeaconIdentity, key: CipherBlock, exponent: Int, clockStart: Double) {
        self.identity = identity
        self.key = key
        self.exponent = min(max(exponent, Self.exponents.lowerBound), Self.exponents.upperBound)
        self.clockStart = clockStart
    }

    /// How long an identifier lasts, seconds.
    var period: Double { Double(1 << exponent) }

    /// The identifier while the beacon's clock shows this many seconds.
    /// - Source: Eddystone-EID specification; positioning 1.4.
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

    /// What an encrypted frame says that was sent while the beacon's clock showed this many seconds; `nil` when it
    /// is not this beacon's, or of another time.
    package func open(
        _ frame: EncryptedTelemetry,
        at clock: UInt32,
        cipher: @escaping BlockCipher
    ) -> BeaconTelemetry? {
        let plain = EAXMode(key: key, cipher: cipher).open(
            frame.cipher,
            nonce: start(of: clock).bigEndianBytes + frame.salt.bigEndianBytes,
            tag: frame.check.bigEndianBytes
        )
        guard let plain, plain.count == 12 else { return nil }
        return BeaconTelemetry(eddystone: plain.span)
    }

    /// The low bits, which change while the identifier does not, are not used.
    private func start(of clock: UInt32) -> UInt32 { (clock >> exponent) << exponent }
}
