import Glibc

/// How strongly one beacon is heard: a running mean of its packets that forgets, and how sure it is.
///
/// Levels are relative to what the beacon is heard with at one metre, so that frames with different calibrated
/// powers can follow one another.
/// - Source: positioning 6.2.
struct BeaconSignal: Sendable, Hashable {
    private var mean = 0.0
    private var count = 0.0
    /// When it was heard last, seconds; before the first packet, never.
    private(set) var heardAt = -Double.infinity

    /// Takes in a packet.
    mutating func hear(_ level: Double, at time: Double, _ settings: GridEstimator.Settings) {
        let silence = time - heardAt
        // A packet from long ago is one of a clock that was set back.
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

    /// What it says at a time, and how many packets say so, as they are forgotten; `nil` when it has not been
    /// heard for too long.
    func look(at time: Double, _ settings: GridEstimator.Settings) -> (level: Double, packets: Double)? {
        let silence = time - heardAt
        guard abs(silence) <= settings[.stale] else { return nil }
        return (mean, count * exp(-max(silence, 0) / settings[.smoothing]))
    }
}
