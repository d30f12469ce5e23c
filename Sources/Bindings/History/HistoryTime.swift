/// Times of states and samples: milliseconds since 1970, UTC.
///
/// - Source: ECMAScript, "Time Values and Time Range".
package enum HistoryTime {
    /// What a time may be; sums of a time and an interval do not overflow within it.
    package static let legal: ClosedRange<Int64> = -8_640_000_000_000_000...8_640_000_000_000_000

    /// The nearest legal time.
    package static func clamped(_ time: Int64) -> Int64 {
        min(max(time, legal.lowerBound), legal.upperBound)
    }
}
