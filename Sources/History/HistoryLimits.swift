/// How much of the history is kept.
///
/// - Source: contrib/contract/bindings.md, "History".
package struct HistoryLimits: Sendable, Hashable {
    /// Days that samples are kept.
    package var rawDays = 7
    /// Days that the sums of groups are kept; at least as long as the samples.
    package var groupDays = 400
    /// The size of the database; beyond it the oldest samples go, and sums when there are none left.
    package var maximumMegabytes = 2048

    package init() {}

    private static let day: Int64 = 86_400_000

    /// Samples before this time go; milliseconds since 1970.
    func samplesEnd(at now: Int64) -> Int64 { Self.end(rawDays, before: now) }

    /// Groups that begin before this time go; milliseconds since 1970.
    func sumsEnd(at now: Int64) -> Int64 { Self.end(max(groupDays, rawDays), before: now) }

    /// More days than these are as good as for ever, and cannot overflow.
    private static let mostDays = 1_000_000

    private static func end(_ days: Int, before now: Int64) -> Int64 {
        now - Int64(min(max(0, days), mostDays)) * day
    }

    var maximumBytes: Int64 { Int64(min(max(0, maximumMegabytes), 1 << 40)) << 20 }
}
