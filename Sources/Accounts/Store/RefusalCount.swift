/// Counts the refusals of each caller in a minute: beyond a share they are condensed as those of strangers.
struct RefusalCount: Sendable {
    /// The most rows of a caller in a minute.
    private static let share = 100

    private var minute: Int64 = 0
    private var counts: [String: Int] = [:]

    /// Counts a refusal; whether it is beyond the share of its caller.
    mutating func isBeyond(_ caller: String, at now: Int64) -> Bool {
        if now / 60_000 != minute { (minute, counts) = (now / 60_000, [:]) }
        let count = counts[caller, default: 0]
        guard count < Self.share else { return true }
        counts[caller] = count + 1
        return false
    }
}
