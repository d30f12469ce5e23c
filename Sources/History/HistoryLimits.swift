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
    func samplesEnd(at now: Int64) -> Int64 { now - Int64(clamping: rawDays) * Self.day }

    /// Groups that begin before this time go; milliseconds since 1970.
    func sumsEnd(at now: Int64) -> Int64 { now - Int64(clamping: max(groupDays, rawDays)) * Self.day }

    var maximumBytes: Int64 { Int64(clamping: maximumMegabytes) * 1_048_576 }
}
