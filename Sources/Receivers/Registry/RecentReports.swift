/// The last messages of a receiver, to know those that come twice.
///
/// A broker or a bridge may deliver a message again; a receiver that says the same of a device that rests does so a
/// period later.
package struct RecentReports: Sendable, Hashable {
    /// Two equal messages within this time are one, seconds.
    package static let window = 0.3
    private static let most = 64

    private var fingerprints: [UInt64] = []
    private var times: [Double] = []
    private var next = 0

    package init() {}

    package static func fingerprint(_ topic: String, _ payload: [UInt8]) -> UInt64 {
        var hasher = Hasher()
        hasher.combine(topic)
        hasher.combine(payload)
        return UInt64(bitPattern: Int64(hasher.finalize()))
    }

    /// Whether the same came a moment ago; it is remembered.
    package mutating func isRepeat(_ fingerprint: UInt64, at now: Double) -> Bool {
        for (index, known) in fingerprints.enumerated()
        where known == fingerprint && abs(now - times[index]) < Self.window {
            return true
        }
        if fingerprints.count < Self.most {
            fingerprints.append(fingerprint)
            times.append(now)
        } else {
            (fingerprints[next], times[next]) = (fingerprint, now)
            next = (next + 1) % Self.most
        }
        return false
    }
}
