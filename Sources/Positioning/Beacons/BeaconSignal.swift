import Glibc

/// A running mean of one beacon's received levels, weighted towards recent packets.
///
/// Levels are relative to the beacon's level at one metre, so that frames with different calibrated powers
/// can be mixed.
/// - Source: contrib/contract/positioning.md, "6.2 For each packet".
struct BeaconSignal: Sendable, Hashable {
    private var mean = 0.0
    private var count = 0.0
    /// Received power of the last packet, dBm; for people to read.
    var rssi: Int?
    /// When it was last heard, seconds; `-infinity` before the first packet.
    private(set) var heardAt = -Double.infinity

    /// Records a packet.
    mutating func record(_ level: Double, at time: Double, _ settings: GridEstimator.Settings) {
        let silence = time - heardAt
        // A packet far in the past or future: the clock was set. Start over.
        guard abs(silence) <= settings[.stale] else {
            (mean, count, heardAt) = (level, 1, time)
            return
        }
        let clip = settings[.clip]
        count *= exp(-max(silence, 0) / settings[.smoothing])
        mean += min(max(level - mean, -clip), clip) / (count + 1)
        count += 1
        heardAt = max(heardAt, time)
    }

    /// The mean level at a time, and the decayed number of packets behind it; `nil` when the beacon has been
    /// silent for too long.
    func average(at time: Double, _ settings: GridEstimator.Settings) -> (level: Double, packets: Double)? {
        // Most beacons of a large place were never heard.
        guard heardAt.isFinite else { return nil }
        let silence = time - heardAt
        guard abs(silence) <= settings[.stale] else { return nil }
        return (mean, count * exp(-max(silence, 0) / settings[.smoothing]))
    }
}
