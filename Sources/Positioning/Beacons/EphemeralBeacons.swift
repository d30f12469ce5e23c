/// Resolves ephemeral identifiers to beacons.
///
/// The identifiers of the current and the adjacent periods are computed once a period. Beacon clocks drift:
/// while a beacon is silent the search widens, and when it is heard its clock offset is corrected.
/// - Source: Eddystone-EID specification; contrib/contract/positioning.md, "1.4 Eddystone".
package struct EphemeralBeacons: Sendable {
    package struct Match: Sendable, Hashable {
        package let beacon: EphemeralBeacon
        /// The beacon's clock at the start of the identifier's period, seconds.
        package let clock: UInt32
    }

    package static let most = 256
    /// Most periods searched on either side.
    private static let widestReach = 64.0
    /// Largest clock drift, as a fraction of the elapsed time.
    private static let drift = 150e-6

    private struct Known {
        let beacon: EphemeralBeacon
        /// Seconds that the beacon's clock is ahead of what it should show.
        var ahead = 0.0
        /// Seconds since 1970.
        var heardAt: Double?
    }

    private let cipher: BlockCipher
    private var known: [Known]
    private var table: [UInt64: (index: Int, clock: UInt32)] = [:]
    /// The time for which the table is valid, seconds since 1970.
    private var validity: Range<Double>?

    /// Beacons beyond the first ``most`` are ignored.
    package init(_ beacons: [EphemeralBeacon], cipher: @escaping BlockCipher) {
        self.cipher = cipher
        known = beacons.prefix(Self.most).map { Known(beacon: $0) }
    }

    /// The beacon that sends this identifier at `time`.
    ///
    /// - Parameter time: Seconds since 1970.
    package mutating func resolve(_ id: UInt64, at time: Double) -> Match? {
        guard !known.isEmpty, time.isFinite, time.magnitude < 1e12 else { return nil }
        if validity?.contains(time) != true { fillTable(at: time) }
        guard let (index, clock) = table[id] else { return nil }
        let beacon = known[index].beacon
        let expected = time - beacon.clockStart + known[index].ahead
        let start = Double(clock)
        known[index].ahead += max(start - expected, 0) - max(expected - start - beacon.period, 0)
        known[index].heardAt = time
        return Match(beacon: beacon, clock: clock)
    }

    /// Decrypts telemetry from the address that sent the match.
    package func decrypt(_ frame: EncryptedTelemetry, from match: Match) -> BeaconTelemetry? {
        // The next period may have begun since.
        let next = match.clock.addingReportingOverflow(UInt32(1) << UInt32(match.beacon.exponent))
            .partialValue
        return [match.clock, next].lazy.compactMap { [cipher] clock in
            match.beacon.decrypt(frame, at: clock, cipher: cipher)
        }.first
    }

    private mutating func fillTable(at time: Double) {
        table.removeAll(keepingCapacity: true)
        var end = time + 3600
        for (index, entry) in known.enumerated() {
            let (beacon, period) = (entry.beacon, entry.beacon.period)
            let clock = time - beacon.clockStart + entry.ahead
            let unheard = entry.heardAt.map { time - $0 } ?? clock
            let reach = min(1 + (unheard.magnitude * Self.drift / period).rounded(.up), Self.widestReach)
            let current = (clock / period).rounded(.down)
            end = min(end, time + max((current + 1) * period - clock, 1))
            for number in stride(from: current - reach, through: current + reach, by: 1) {
                guard let start = UInt32(exactly: number * period) else { continue }
                table[beacon.id(at: start, cipher: cipher)] = (index, start)
            }
        }
        validity = time..<end
    }
}
